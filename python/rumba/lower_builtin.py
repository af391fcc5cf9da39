"""`type_callable` and typing templates give the type of a call, `lower_builtin` its code.

Both come together in a candidate that `rumba.overload_registry` asks as it asks overloads. Members of structs are such
candidates, too.
"""
import inspect

from . import errors, fork_locks, overload_registry, types
from .codegen import intrinsic
from .types import Type, unliteral

_lock = fork_locks.lock()
# Name of a function -> what its arguments are (types or classes of types) and the function that writes its code.
_lowerings = {}


class Stated(overload_registry.Candidate):
    """A function whose results' types a library states. `typer(context)` gives a function of types of arguments, which
    gives the result's type, a signature, or None."""

    def __init__(self, key, typer):
        self._key, self._typer = key, typer
        self.function = typer
        self.name = getattr(key, "__name__", str(key))
        self._made = {}

    def implementation(self, args, keywords):
        """The code for arguments of these types, or None."""
        from .compat.targets import cpu_target

        typer = self._typer(cpu_target.typing_context)
        try:
            bound = inspect.signature(typer).bind(*args, **keywords)
        except TypeError as error:
            raise errors.TypingError(str(error)) from None
        result = typer(*args, **keywords)
        if result is None:
            return None
        signature = result if isinstance(result, types.Signature) else types.signature(result, *bound.args)
        written = lowering_of(overload_registry.name_of_key(self._key), tuple(signature.args))
        key = signature, written
        if key not in self._made:
            order = _order(bound, len(args), list(keywords))
            self._made[key] = intrinsic.Native(self, signature, written or self._nothing(signature), order)
        return self._made[key]

    def _nothing(self, signature):
        def codegen(context, builder, sig, args):
            raise errors.LoweringError(
                f"No definition for lowering {self.name}{signature}: its type is stated, its code is not; register a "
                "function that writes it with `lower_builtin`")

        return codegen

    def place(self):
        """How messages call it."""
        code = getattr(inspect.unwrap(self._typer), "__code__", None)
        return f"'{self.name}'" if code is None else f"'{self.name}' ({code.co_filename}:{code.co_firstlineno})"


def _order(bound, by_position, names):
    """Which argument of the call each parameter gets."""
    order = []
    for name, value in bound.arguments.items():
        if isinstance(value, tuple) and bound.signature.parameters[name].kind is inspect.Parameter.VAR_POSITIONAL:
            order.extend(range(len(order), len(order) + len(value)))
        elif name in names:
            order.append(by_position + names.index(name))
        else:
            order.append(len(order))
    return order


def type_callable(func):
    """Decorates a function of a typing context that gives a function of types of arguments: that gives the type of the
    result of a call of `func`, or None."""
    def note(typer):
        overload_registry.add_function(func, Stated(func, typer))
        return typer

    return note


def lower_builtin(func, *argtys):
    """Decorates the function `codegen(context, builder, sig, args)` that writes the code of a call of `func` with
    arguments of these types or classes of types."""
    def note(codegen):
        with _lock:
            _lowerings.setdefault(overload_registry.name_of_key(func), []).append((argtys, codegen))
        overload_registry.changed()
        return codegen

    return note


lower = lower_builtin


def has_lowering(name):
    """Whether any code is registered for calls of a function."""
    return name in _lowerings


def lowering_of(name, args):
    """The function that writes the code for these arguments: the one whose types say most."""
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
        elif isinstance(arg, want) or isinstance(unliteral(arg), want):
            # A class that is derived from more says more.
            grades.append(len(want.__mro__))
        else:
            return None
    return grades


# Members.

class Member(overload_registry.Candidate):
    """An attribute whose code a library writes."""

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
            self._made[owner] = intrinsic.Native(self, signature, self._codegen, [0])
        return self._made[owner]

    def place(self):
        """How messages call it."""
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

    def codegen(context, builder, signature, args):
        position = typeof_box.model(signature.args[0]).get_field_position(struct_attr)
        value = builder.extract_value(args[0], position)
        context.nrt.incref(builder, signature.return_type, value)
        return value

    overload_registry.add_member("attribute", typeclass, python_attr, Member(python_attr, result, codegen))


# (type or class of types, name) -> function that gives the attribute's type.
_attributes = {}


def lower_getattr(ty, attr):
    """Decorates the function `codegen(context, builder, typ, value)` that writes the code of an attribute whose type an
    `AttributeTemplate` says."""
    def note(written):
        def codegen(context, builder, signature, args):
            return written(context, builder, signature.args[0], args[0])

        def result(owner):
            known = _resolver(owner, attr)
            return None if known is None else known(owner)

        overload_registry.add_member("attribute", ty, attr, Member(attr, result, codegen))
        return written

    return note


def _resolver(owner, attr):
    for (kind, name), resolve in reversed(_attributes.items()):
        if name == attr and (isinstance(owner, kind) if isinstance(kind, type) else owner == kind):
            return resolve
    return None


# Templates.

class FunctionTemplate:
    """What libraries derive their statements of types from; `key` is the function."""

    key = None
    prefer_literal = False

    def __init__(self, context):
        self.context = context


class AbstractTemplate(FunctionTemplate):
    """A statement by a method: `generic(args, kws)` gives a signature, or None."""

    def _typed(self, *args, **kws):
        return self.generic(args, kws)


class ConcreteTemplate(FunctionTemplate):
    """A statement by a list of signatures, `cases`; the first one that the arguments are of or convert to."""

    cases = []

    def _typed(self, *args, **kws):
        if kws:
            return None
        from .types.convert import conversion

        plain = tuple(map(unliteral, args))
        fitting = [case for case in self.cases if len(case.args) == len(args)]
        exact = [case for case in fitting if case.args == plain]
        converted = [case for case in fitting if all(conversion(a, b) is not None for a, b in zip(plain, case.args))]
        return next(iter(exact or converted), None)


class CallableTemplate(FunctionTemplate):
    """A statement by a function: `generic()` gives a function of types of arguments that gives the result's type."""


class AttributeTemplate:
    """A statement of attributes' types: `resolve_name(typ)` for each; `key` is the type or class of types."""

    key = None

    def __init__(self, context=None):
        self.context = context


def _typer_of(template):
    def typer(context):
        made = template(context)
        return made.generic() if isinstance(made, CallableTemplate) else made._typed

    return typer


def infer_global(function, typ=None, **kwargs):
    """Decorates a template for calls of a function."""
    def note(template):
        stated = Stated(function, _typer_of(template))
        stated.prefer_literal = template.prefer_literal
        overload_registry.add_function(function, stated)
        return template

    return note


def infer(template):
    """Decorates a template for calls of its `key`."""
    return infer_global(template.key)(template)


def infer_getattr(template):
    """Decorates a template of attributes."""
    for name in dir(template):
        if name.startswith("resolve_"):
            def resolve(owner, name=name):
                from .compat.targets import cpu_target

                return getattr(template(cpu_target.typing_context), name)(owner)

            with _lock:
                _attributes[template.key, name.removeprefix("resolve_")] = resolve
    return template
