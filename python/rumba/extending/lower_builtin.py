"""`type_callable` and typing templates give the type of a call, `lower_builtin` its code.

Both come together in a candidate that `rumba.extending.overload_registry` asks as it asks overloads. Attributes and members of structs
are such candidates, too.

Absent: the templates (`rumba.extending.templates`), registries of code and how values are gone through (`rumba.extending.lowering_registry`).
"""
import functools
import inspect

from .. import errors, fork_locks, types
from . import overload_registry
from .code_forms import explicit, in_form_of
from ..codegen import intrinsic
from ..types import Type, unliteral

_lock = fork_locks.lock()
# Name of a function -> what its arguments are (types or classes of types) and the function that writes its code.
_lowerings = {}


class TypedSignature(overload_registry.Candidate):
    """A function whose results' types a library states. `typer(context)` gives a function of types of arguments, which
    gives the result's type, a signature, or None. The code is registered for `key`, which is the function itself otherwise."""

    def __init__(self, function, typer, key=None):
        self._key, self._typer = function if key is None else key, typer
        self.function = typer
        self.name = getattr(self._key, "__name__", str(self._key))
        self._made = {}

    def implementation(self, args, keywords):
        """The code for arguments of these types, or None."""
        from ..compat.targets import cpu_target

        typer = self._typer(cpu_target.typing_context)
        try:
            bound = inspect.signature(typer).bind(*args, **keywords)
        except TypeError as error:
            raise errors.TypingError(str(error)) from None
        result = typer(*args, **keywords)
        if result is None:
            return None
        signature = result if isinstance(result, types.Signature) else types.signature(result, *bound.args)
        written = self.written(tuple(signature.args))
        key = signature, written
        if key not in self._made:
            order = _order(_bound_to(signature, args, keywords) or bound, len(args), list(keywords))
            self._made[key] = intrinsic.Native(self, signature, written or self._nothing(signature), order)
        return self._made[key]

    def typed(self, context, args):
        """The signature for arguments of these types, or None."""
        result = self._typer(context)(*args)
        return result if result is None or isinstance(result, types.Signature) else types.signature(result, *args)

    def written(self, args):
        """The function that writes the code for arguments of these types, or None."""
        return lowering_of(overload_registry.name_of_key(self._key), args)

    def _nothing(self, signature):
        def codegen(context, builder, sig, args):
            raise errors.LoweringError(
                f"No definition for lowering {self.name}{signature}: its type is stated, its code is not; register a "
                "function that writes it with `lower_builtin`")

        return codegen

    def place(self):
        """Its name in messages."""
        code = getattr(inspect.unwrap(self._typer), "__code__", None)
        return f"'{self.name}'" if code is None else f"'{self.name}' ({code.co_filename}:{code.co_firstlineno})"


def _bound_to(signature, args, keywords):
    """The arguments by the parameters that a signature names, where it does."""
    if signature.pysig is None or not keywords:
        return None
    return signature.pysig.bind(*args, **keywords)


def _order(bound, by_position, names):
    """Which argument of the call each parameter gets."""
    order = []
    for name, value in bound.arguments.items():
        if isinstance(value, tuple) and bound.signature.parameters[name].kind is inspect.Parameter.VAR_POSITIONAL:
            order.extend(range(len(order), len(order) + len(value)))
        elif isinstance(value, dict) and bound.signature.parameters[name].kind is inspect.Parameter.VAR_KEYWORD:
            order.extend(by_position + names.index(given) for given in value)
        elif name in names:
            order.append(by_position + names.index(name))
        else:
            order.append(len(order))
    return order


def type_callable(func):
    """Decorates a function of a typing context that gives a function of types of arguments: that gives the type of the
    result of a call of `func`, or None."""
    def note(typer):
        overload_registry.add_function(func, TypedSignature(func, typer))
        return typer

    return note


def lower_builtin(func, *argtys):
    """Decorates the function `codegen(context, builder, sig, args)` that writes the code of a call of `func` with
    arguments of these types or classes of types."""
    def note(codegen):
        name = overload_registry.name_of_key(func)
        with _lock:
            _lowerings.setdefault(name, []).append((argtys, codegen))
        if name == "getiter" or name == "iternext":
            _add_iteration()
        overload_registry.changed()
        return codegen

    return note


lower = lower_builtin


def iteration(value):
    """`iter(value)` of a value of a library's type."""
    raise errors.TypingError("only compiled code goes through such values")


def _add_iteration():
    """From now on, loops ask for the code that libraries wrote."""
    from . import user_iteration

    with _lock:
        is_new = "iteration" not in _once
        _once.add("iteration")
    if is_new:
        overload_registry.add_function(iter, user_iteration.Iteration())


# What is registered once.
_once = set()


def has_lowering(name):
    """Whether an implementation is registered for calls of a function."""
    return name in _lowerings


def lowering_of(name, args):
    """The function that writes the code for these arguments: the one with the most specific types."""
    fitting = []
    for number, (wanted, codegen) in enumerate(_lowerings.get(name, ())):
        grades = _grades(wanted, args)
        if grades is not None:
            fitting.append((grades, number, codegen))
    return max(fitting, key=lambda one: one[:2])[2] if fitting else None


def _grades(wanted, args):
    """How much the types say of the arguments, each; None if they do not fit."""
    if wanted and isinstance(wanted[-1], types.VarArg):
        rest = (wanted[-1].dtype,) * (len(args) - len(wanted) + 1)
        wanted = (*wanted[:-1], *rest)
    if len(wanted) != len(args):
        return None
    grades = []
    for want, arg in zip(wanted, args):
        if isinstance(want, Type):
            if want not in (arg, unliteral(arg), types.Any):
                return None
            grades.append(0 if want == types.Any else 1000)
        elif isinstance(arg, want) or isinstance(unliteral(arg), want) or want is types.DType and isinstance(arg, types.NumberClass):
            # A class that is derived from more says more.
            grades.append(len(want.__mro__))
        else:
            return None
    return grades


def of_symbol(function, symbol, signature):
    """The candidate for calls of a C function, called by the compiler: `function` represents it."""
    def codegen(context, builder, sig, args):
        from ..codegen import cgutils

        result = signature.return_type
        returned = cgutils.ir.VoidType() if result == types.none else context.get_value_type(result)
        kind = cgutils.ir.FunctionType(returned, [arg.type for arg in args])
        made = builder.call(builder.inttoptr(cgutils.intp_t(_address_of(symbol)), kind.as_pointer()), args)
        return context.get_dummy_value() if result == types.none else made

    class OfSymbol(TypedSignature):
        """Calls of a C function."""

        def written(self, args):
            return codegen

    def typer(context):
        return lambda *args: signature if len(args) == len(signature.args) else None

    return OfSymbol(function, typer, symbol)


def _address_of(symbol):
    """The address of a C function: one that was added to llvmlite's symbols, or one of the process."""
    import ctypes

    from llvmlite import binding

    found = binding.address_of_symbol(symbol)
    if found is None:
        function = getattr(ctypes.CDLL(None), symbol, None)
        found = None if function is None else ctypes.cast(function, ctypes.c_void_p).value
    if found is None:
        raise errors.LoweringError(f"the process has no function {symbol!r}: load its library, or add it with llvmlite's add_symbol")
    return found


# Members.

class Member(overload_registry.Candidate):
    """An attribute that a library implements."""

    def __init__(self, name, result, codegen):
        # `result(type)` is the type of the attribute, or None.
        self.name, self._result, self._codegen = name, result, codegen
        self.function = codegen
        self._made = {}

    def implementation(self, args, keywords):
        """The code for a value of this type, or None."""
        (owner,) = args
        result = self._result(owner)
        if result is None:
            return None
        if owner not in self._made:
            signature = types.signature(result, owner)
            self._made[owner] = intrinsic.Native(self, signature, self.written(owner), [0])
        return self._made[owner]

    def written(self, owner):
        """The function that writes the code for values of a type."""
        return self._codegen

    def place(self):
        """Its name in messages."""
        return f"attribute '{self.name}'"


def make_attribute_wrapper(typeclass, struct_attr, python_attr):
    """Shows the member `struct_attr` of values that are held as structs as their attribute `python_attr`."""
    from . import typeof_box

    if not (isinstance(typeclass, type) and issubclass(typeclass, Type)):
        raise TypeError(f"typeclass should be a Type subclass, got {typeclass}")

    def result(ty):
        model = typeof_box.model(ty)
        if not hasattr(model, "get_member_fe_type"):
            raise errors.TypingError(f"{ty} has no members: its model is {type(model).__name__}")
        return model.get_member_fe_type(struct_attr)

    @explicit
    def codegen(b, signature, args):
        value = args[0][typeof_box.model(signature.args[0]).get_field_position(struct_attr)]
        b.incref_value(signature.return_type, value)
        return value

    overload_registry.add_member("attribute", typeclass, python_attr, Member(python_attr, result, codegen))


# What writes the code of attributes that templates say the types of: (type or class of types, name or None for all names,
# function of context, builder, type, value and name).
_getters = []


def lower_getattr(ty, attr):
    """Decorates the function `codegen(context, builder, typ, value)` that writes the code of an attribute whose type an
    `AttributeTemplate` says; an `explicit` one is `codegen(b, typ, value)`."""
    def note(written):
        # The name, which is given last, is known.
        _add_getter(ty, attr, in_form_of(written, lambda *given: written(*given[:-1])))
        return written

    return note


def lower_getattr_generic(ty):
    """Decorates the function `codegen(context, builder, typ, value, attr)` that writes the code of all attributes of which
    `lower_getattr` says nothing."""
    def note(written):
        _add_getter(ty, None, written)
        return written

    return note


def _add_getter(ty, attr, written):
    with _lock:
        _getters.append((ty, attr, written))
    overload_registry.changed()


def _fitting(registered, owner, attr):
    """What writes the code for an attribute; None if nobody said it."""
    fitting = []
    for number, (kind, name, written) in enumerate(registered):
        grades = _grades((kind,), (owner,)) if name in (attr, None) else None
        if grades is not None:
            fitting.append((name is not None, grades, number, written))
    return max(fitting, key=lambda one: one[:3])[3] if fitting else None


# The same for assignments: functions of context, builder, signature, arguments and name.
_setters = []


def lower_setattr(ty, attr):
    """Decorates the function `codegen(context, builder, sig, args)` that writes the code of the assignment of a value to an
    attribute whose type an `AttributeTemplate` says: both are the arguments. An `explicit` one is `codegen(b, sig, args)`."""
    def note(written):
        _add_setter(ty, attr, in_form_of(written, lambda *given: written(*given[:-1])))
        return written

    return note


def lower_setattr_generic(ty):
    """Decorates the function `codegen(context, builder, sig, args, attr)` that writes the code of assignments to all attributes
    of which `lower_setattr` says nothing."""
    def note(written):
        _add_setter(ty, None, written)
        return written

    return note


def _add_setter(ty, attr, written):
    with _lock:
        _setters.append((ty, attr, written))
    overload_registry.add_provider(ty, _Assignments())


class _Assignments:
    """Assignments to attributes of values of a type, which are asked for as the method `name=`."""

    def __init__(self):
        self._made = {}

    def candidate(self, kind, owner, name):
        """The candidate for an assignment, or None."""
        attr = name.removesuffix("=")
        if kind != "method" or attr == name or _fitting(_setters, owner, attr) is None:
            return None
        return self._made.setdefault(name, _Assignment(attr))


class _Assignment(TypedSignature):
    """The assignment of a value to an attribute."""

    def __init__(self, attr):
        super().__init__(attr, lambda context: functools.partial(self._typed, context))
        self._attr = attr
        self._codes = {}

    def _typed(self, context, owner, value):
        wanted = context.resolve_getattr(owner, self._attr)
        return types.signature(types.none, owner, unliteral(value) if wanted is None else wanted)

    def written(self, args):
        """The function that writes the code for arguments of these types, or None."""
        written = _fitting(_setters, args[0], self._attr)
        if written not in self._codes:
            self._codes[written] = in_form_of(written, lambda *given: written(*given, self._attr))
        return self._codes[written]


def getter(owner, attr):
    """What writes the code of an attribute, of context, builder, type, value and name; None if nobody said it."""
    return _fitting(_getters, owner, attr)


class AttributeOfTemplate:
    """The attributes and methods that a template states, each as a candidate. `context()` is what the template asks."""

    def __init__(self, template, context):
        self._template, self._context = template, context
        self._made = {}

    def candidate(self, kind, owner, name):
        """The candidate for an attribute or a method of values of a type, or None."""
        overload = getattr(self._template, "_overload", None)
        if overload is not None:
            return overload if (kind, name) == (self._template._kind, self._template._attr) else None
        found = self._resolved(owner, name)
        if found is None or isinstance(found, types.BoundFunction) != (kind == "method"):
            return None
        key = kind, owner, name
        if key not in self._made:
            self._made[key] = self._method(found, owner, name) if kind == "method" else self._attribute(name)
        return self._made[key]

    def _resolved(self, owner, name):
        return self._template(self._context()).resolve(unliteral(owner), name)

    def _method(self, bound, owner, name):
        def typer(context):
            def typed(this, *args, **kws):
                again = self._resolved(this, name)
                found = again.template(context).apply(args, kws)
                return None if found is None else found.as_function()

            return typed

        return TypedSignature(name, typer, bound.template.key)

    def _attribute(self, name):
        return _MemberOfTemplate(name, lambda owner: self._resolved(owner, name))


class _MemberOfTemplate(Member):
    """An attribute whose type a template states, and whose code is registered."""

    def __init__(self, name, result):
        super().__init__(name, result, _MemberOfTemplate.written)

    def written(self, owner):
        """The function that writes the code for values of a type."""
        written = _fitting(_getters, owner, self.name)
        if written is not None:
            return in_form_of(written, lambda *given: written(*given[:-2], owner, given[-1][0], self.name))

        def codegen(context, builder, signature, args):
            raise errors.LoweringError(
                f"No definition for lowering {owner}.{self.name}: its type is stated, its code is not; register a function that "
                "writes it with `lower_getattr`")

        return codegen
