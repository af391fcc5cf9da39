"""Implicit conversions of extension types, for calls without a matching registration: to numbers (`lower_cast`) and
to arrays (`lower_builtin("__array__", ...)`).

Absent: the registrations (`rumba.extending.typeof_box`, `rumba.extending.lower_builtin`), the order in which all are asked (`rumba.extending.overload_registry`).
"""
import importlib
import operator
import sys
from types import ModuleType

from .. import errors, source_text, types
from . import lower_builtin, overload_registry, typeof_box
from .code_forms import explicit, is_explicit
from ..codegen import intrinsic


def _own(function):
    """What is registered for a function of this module is Rumba's own."""
    for one in overload_registry.registered(overload_registry.name_of_key(function)):
        one.library = True
    return function


class ImplicitConversion(overload_registry.Candidate):
    """What `rumba.extending.overload_registry` asks for a call of the function `name`. `changed(type)` is the function that makes a value
    of a type what stands in for it, or None."""

    is_fallback = True

    def __init__(self, name, changed, wraps):
        self._name, self._changed, self._wraps = name, changed, wraps
        self.function = changed
        self._made = {}

    def implementation(self, args, keywords):
        """The compiled function, or None."""
        if keywords:
            return None
        found = self._made.get(args) or self._compiled(args)
        if found is not None:
            self._made[args] = found
        return found

    def _compiled(self, args):
        from ..decorators import njit

        changes = [self._changed(ty) for ty in args]
        called = _function(self._name)
        if called is None or not any(changes):
            return None
        names = [f"x{at}" for at in range(len(args))]
        given = [f"change{at}({name})" if change else name for at, (name, change) in enumerate(zip(names, changes))]
        result = f"called({', '.join(given)})"
        scope = {"called": called, **{f"change{at}": change for at, change in enumerate(changes)}}
        if self._wraps and (self._name == "operator.getitem" or self._name.startswith("numpy.")):
            first = next(at for at, change in enumerate(changes) if change)
            result, scope["wrap"] = f"wrap({names[first]}, {result})", wrap
        return njit(source_text.function(f"call({', '.join(names)})", [f"return {result}"], scope))

    def place(self):
        """How messages call it."""
        return f"'{self._name}' of what stands in for the arguments"


def _function(name):
    """The function that the compiler knows by a dotted name; None if only libraries know it."""
    module, _, attribute = name.rpartition(".")
    if module not in ("operator", "builtins", "numpy", "math"):
        return None
    return getattr(importlib.import_module(module), attribute, None)


class Printing(overload_registry.Candidate):
    """What `rumba.extending.overload_registry` asks for a call of `print`: items of libraries' types print by their own code, or as the
    Python objects that they become."""

    is_fallback = True

    def __init__(self):
        self.function = print_item
        self._made = {}

    def implementation(self, args, keywords):
        """The compiled function, or None."""
        if keywords or not any(map(_prints, args)):
            return None
        found = self._made.get(args) or self._compiled(args)
        if found is not None:
            self._made[args] = found
        return found

    def _compiled(self, args):
        from ..decorators import njit

        names = [f"x{at}" for at in range(len(args))]
        pieces = [f"print_item({name}); print(end=end{at})" if _prints(ty) else f"print({name}, end=end{at})"
                  for at, (name, ty) in enumerate(zip(names, args))]
        scope = {"print_item": print_item, **{f"end{at}": " " for at in range(len(args))}, f"end{len(args) - 1}": "\n"}
        return njit(source_text.function(f"call({', '.join(names)})", pieces, scope))

    def place(self):
        """How messages call it."""
        return "'print' of values of a library's types"


class Getting(overload_registry.Candidate):
    """What `rumba.extending.overload_registry` asks for `getattr(value, "name")` of a value of a library's type."""

    is_fallback = prefer_literal = True

    def __init__(self):
        self.function = getattr
        self._made = {}

    def implementation(self, args, keywords):
        """The compiled function, or None."""
        if keywords or len(args) not in (2, 3) or args[0].is_internal or not isinstance(args[1], types.StringLiteral):
            return None
        found = self._made.get(args) or self._compiled(*args)
        self._made[args] = found
        return found

    def _compiled(self, owner, name, *default):
        from ..compat import compiler_questions
        from ..decorators import njit

        attr = name.literal_value
        if not default:
            return njit(source_text.function("get(value, name)", [f"return value.{attr}"], {}))
        is_there = compiler_questions.attribute(owner, attr) is not None
        result = f"value.{attr}" if is_there else "default"
        return njit(source_text.function("get(value, name, default)", [f"return {result}"], {}))

    def place(self):
        """How messages call it."""
        return "'getattr' of a value of a library's type"


def _prints(ty):
    if ty.is_internal:
        return False
    return lower_builtin.lowering_of("print_item", (ty,)) is not None or typeof_box.boxer(ty) is not None


@_own
@intrinsic.intrinsic
def print_item(typingctx, value):
    """Prints a value of a library's type, and no end of line."""
    if not _prints(value):
        return None
    written = lower_builtin.lowering_of("print_item", (value,))

    def codegen(context, builder, signature, args):
        api = context.get_python_api(builder)
        state = api.gil_ensure()
        if written is not None:
            written(context, builder, signature, args)
        else:
            context.nrt.incref(builder, value, args[0])
            made = api.from_native_value(value, args[0])
            with builder.if_then(builder.not_(api.is_null(made))):
                api.print_object(made)
                api.decref(made)
            with builder.if_then(api.c_api_error()):
                # The code that prints has no way to raise it.
                api.err_write_unraisable(api.borrow_none())
        api.gil_release(state)
        return context.get_dummy_value()

    return types.none(value), codegen


# They keep alive what they compiled.
_standins = {}
_printing = Printing()
_getting = Getting()


def _standin(name, changed, wraps):
    return _standins.setdefault((name, changed), ImplicitConversion(name, changed, wraps))


def first(name):
    """What is asked for a call before all others: numbers that operands convert to."""
    # `not x` is what `bool(x)` is not: that is asked instead.
    if not typeof_box.has_casts() or not name.startswith("operator.") or name == "operator.not_":
        return []
    # `a += b` of numbers is `a + b`.
    plain = name.replace("operator.i", "operator.", 1)
    is_inplace = plain != name and hasattr(operator, plain.removeprefix("operator.").rstrip("_"))
    return [_standin(plain if is_inplace else name, _as_number, False)]


def last(name):
    """What is asked for a call when nobody else takes it: arrays that arguments are, what prints."""
    if name == "builtins.print":
        return [_printing]
    if name == "builtins.getattr":
        return [_getting]
    if _is_member(name):
        return []
    asked = [_standin(name, _as_array, True)] if lower_builtin.has_lowering("__array__") else []
    if typeof_box.array_classes:
        from . import array_subclasses

        asked += array_subclasses.last(name, _function(name))
    return asked


def _is_member(name):
    """Whether a dotted name is that of a member of a class or an object (`python.<number>.<object>.<member>`, `sys.stdout.<member>`): what
    these lack, no conversion gives them, and it may be known as a method."""
    if name.startswith("python.") and name.count(".") > 2:
        return True
    module, _, owner = name.rpartition(".")[0].rpartition(".")
    of = getattr(sys.modules.get(module), owner, None)
    return isinstance(of, type) or of is not None and not isinstance(of, ModuleType) and not callable(of)


def _as_number(ty):
    """What makes an integer, or else a float, of a value that converts to one."""
    if ty.is_internal:
        return None
    for number in (types.int64, types.float64, types.complex128):
        if typeof_box.converts(ty, number):
            return _conversion(number)
    return None


_conversions = {}


def _conversion(number):
    found = _conversions.get(number)
    if found is None:
        def convert(typingctx, value):
            written = typeof_box.cast_function(value, number)
            if written is not None and is_explicit(written):
                return number(value), explicit(lambda b, signature, args: written(b, value, number, args[0]))

            def codegen(context, builder, signature, args):
                return context.cast(builder, args[0], signature.args[0], number)

            return number(value), codegen

        found = _conversions[number] = _own(intrinsic.intrinsic(convert))
    return found


def _as_array(ty):
    """What makes an array of a value that is one."""
    if ty.is_internal or not isinstance(ty, types.ArrayCompatible):
        return None
    return as_array if lower_builtin.lowering_of("__array__", (ty,)) else None


@_own
@intrinsic.intrinsic
def as_array(typingctx, value):
    """The array that a value of a library's type is."""
    written = lower_builtin.lowering_of("__array__", (value,))

    def codegen(context, builder, signature, args):
        from ..codegen import cgutils

        place = cgutils.alloca_once_value(builder, args[0])
        array = builder.load(written(context, builder, signature, [place]))
        context.nrt.incref(builder, signature.return_type, array)
        return array

    return value.as_array(value), codegen


def wrap(value, result):
    """The result of a function of arrays as a value of the type that its argument had."""
    raise errors.TypingError("only compiled code calls it")


class _Wrapped(overload_registry.Candidate):
    """Asks what `type_callable("__array_wrap__")` says."""

    function = wrap
    # What gives the result itself.
    _same = None

    def implementation(self, args, keywords):
        """The code that wraps, or the result itself."""
        is_array = isinstance(args[1], types.Array)
        for stated in overload_registry.registered("__array_wrap__") if is_array else ():
            found = stated.implementation(args, keywords)
            if found is not None:
                return found
        if self._same is None:
            from ..decorators import njit

            self._same = njit(lambda value, result: result)
        return self._same

    def place(self):
        """How messages call it."""
        return "'__array_wrap__'"


overload_registry.add_function(wrap, _Wrapped())
_own(wrap)
