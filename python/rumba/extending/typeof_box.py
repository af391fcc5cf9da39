"""Extension types: `typeof`, data models, boxing and unboxing.

Absent: the machine code of all that (`rumba.codegen.boxing`), members and calls (`rumba.extending.lower_builtin`).
"""
import enum

from .. import fork_locks, upcalls
from ..types import arrays, base

_lock = fork_locks.lock()
# Class of values -> function of the value and a context that gives its type. The compiler reads it.
typers = {}
# Class of types -> how its values are held.
_models = {}
# Those of them that are derived from `types.Array`.
array_classes = []
# Type -> its model.
_made = {}
# Class of types -> the function that takes a value in, and the one that hands it out.
_unboxers, _boxers = {}, {}
# Class of types -> the function that writes a constant.
_constants = {}
# Number of a type -> that the compiler knows it, and by which number of its own. The compiler reads it.
told, _telling = {}, set()
# What conversions from and to a type libraries wrote: (class of types or type, the same, function).
_casts = []
# Type -> how many conversions were there when it was looked at.
_looked_at = {}


class Purpose(enum.Enum):
    """The reason why the type of a value is requested."""

    argument = 1
    constant = 2


class _TypeofImpl:
    """`typeof_impl.register(cls)` decorates a function that gives the types of values of a class."""

    def register(self, cls, func=None):
        """The decorator, or the registration of `func`."""
        def note(function):
            with _lock:
                typers[cls] = function
            return function

        return note if func is None else note(func)

    def __call__(self, value, context=None):
        from ..types.typeof import typeof

        return typeof(value)


typeof_impl = _TypeofImpl()


def typeof(value):
    """The type of a value according to a library, or None."""
    for cls in type(value).__mro__:
        typer = typers.get(cls)
        if typer is not None:
            return typer(value, None)
    return None


# Values of which a library says the type: id -> (value, type). They stay alive, so that ids stay theirs.
_globals = {}


def add_global(value, ty):
    """Declares the type of a global value."""
    with _lock:
        _globals[id(value)] = value, ty
        typers.setdefault(object, _of_global)
    _changed()


def _of_global(value, context):
    found = _globals.get(id(value))
    return found[1] if found else None


def register_model(typeclass):
    """Decorates the model of a class of types."""
    def note(model):
        with _lock:
            _models[typeclass] = model
            for ty in [ty for ty in _made if isinstance(ty, typeclass)]:
                del _made[ty]
        if issubclass(typeclass, arrays.Array):
            array_classes.append(typeclass)
            upcalls.provide_array_class(typeclass)
        _changed()
        return model

    return note


def register_default(typeclass, unboxing, boxing):
    """What takes values of a class of types in and hands them out, where the library registers nothing else."""
    with _lock:
        _unboxers.setdefault(typeclass, unboxing)
        _boxers.setdefault(typeclass, boxing)


def _changed():
    """What was asked in vain may have an answer now, and calls ask for what stands in for values of such types."""
    from . import overload_registry

    upcalls.load_implicit_conversions()
    told.clear()
    overload_registry.changed()


def unbox(typeclass):
    """Decorates the unboxing function of a class of types."""
    def note(function):
        with _lock:
            _unboxers[typeclass] = function
        return function

    return note


def box(typeclass):
    """Decorates the boxing function of a class of types."""
    def note(function):
        with _lock:
            _boxers[typeclass] = function
        _changed()
        return function

    return note


def lower_cast(fromty, toty):
    """Decorates the function that writes the code of a conversion: of types or classes of types, one of which is a
    library's. That the conversion is allowed is said by `can_convert_to` or `can_convert_from`."""
    def note(function):
        with _lock:
            _casts.append((fromty, toty, function))
        _changed()
        return function

    return note


def lower_constant(typeclass):
    """Decorates the function `codegen(context, builder, ty, value)` that writes a Python value of a library's type as a
    constant, for code generators (`context.get_constant_generic`)."""
    def note(function):
        with _lock:
            _constants[typeclass] = function
        return function

    return note


class NativeValue:
    """What an unboxing function returns."""

    def __init__(self, value, is_error=None, cleanup=None):
        self.value, self.is_error, self.cleanup = value, is_error, cleanup

    def __repr__(self):
        return f"NativeValue(value={self.value!r}, is_error={self.is_error!r}, cleanup={self.cleanup!r})"


def _of_class(registry, ty):
    for cls in type(ty).__mro__:
        if cls in registry:
            return registry[cls]
    return None


def unboxer(ty):
    """The unboxing function of a type; None if none is registered."""
    return _of_class(_unboxers, ty)


def boxer(ty):
    """The boxing function of a type; None if none is registered."""
    return _of_class(_boxers, ty)


def constant(ty):
    """The function that writes constants of a type; None if none is registered."""
    return _of_class(_constants, ty)


def model(ty):
    """The data model of an extension type; None if none is registered."""
    found = _made.get(ty)
    if found is None:
        kind = _of_class(_models, ty)
        if kind is None:
            return None
        found = kind(None, ty)
        with _lock:
            _made[ty] = found
    return found


def parts(ty):
    """The description of an extension type for the compiler; None if it has no model."""
    number = told.get(ty._code)
    if number is not None:
        return number
    known = model(ty)
    if known is None:
        return None
    if _looked_at.get(ty) != len(_casts):
        _looked_at[ty] = len(_casts)
        if _casts:
            _tell_casts(ty)
    made = "foreign", ty, ty.name, known.held()
    if ty._code not in _telling:
        from .._rumba import types as compiler

        _telling.add(ty._code)
        try:
            told[ty._code] = "known", compiler.number(ty)
        finally:
            _telling.discard(ty._code)
    return made


def opaque(ty):
    """The description of a library type without a data model that is passed to the compiler: an address, or nothing for
    those without a value."""
    from ..types import Dummy, voidptr

    return ("opaque", ty, ty.name) if isinstance(ty, Dummy) else ("foreign", ty, ty.name, voidptr)


def _tell_casts(ty):
    """Tells the compiler of the conversions between a library's type and the others that are known."""
    from ..types import names

    others = [*sorted(names.number_domain, key=str), names.bool_, names.none, names.unicode_type,
              *(other for other in _looked_at if other != ty)]
    for other in others:
        _tell_cast(ty, other)
        _tell_cast(other, ty)


def _tell_cast(source, target):
    written = cast_function(source, target)
    grade = _grade(source, target) if written else None
    if grade is None:
        return
    from .._rumba import types as compiler

    try:
        symbol, text = upcalls.cast_code(written, source, target)
    except Exception:
        # It was registered for a class of types, of which it does not know this one; nobody may ever ask for that.
        return
    compiler.add_cast(source, target, int(grade), symbol, text)


def has_casts():
    """Whether any conversion is registered."""
    return bool(_casts)


def converts(source, target):
    """Whether a library defines an implicit conversion between two types."""
    return cast_function(source, target) is not None and _grade(source, target) is not None


def cast_function(source, target):
    """The function that writes the code of a conversion; None if no library wrote one."""
    for fromty, toty, function in reversed(_casts):
        if _is_of(source, fromty) and _is_of(target, toty):
            return function
    return None


def _is_of(ty, owner):
    return isinstance(ty, owner) if isinstance(owner, type) else ty == owner


def _grade(source, target):
    """How good a conversion is, as one of both types says it."""
    from ..compat.targets import cpu_target

    context = cpu_target.typing_context
    for ty, asked, other in ((source, "can_convert_to", target), (target, "can_convert_from", source)):
        if getattr(type(ty), asked) is getattr(base.Type, asked) or ty.is_internal:
            continue
        grade = getattr(ty, asked)(context, other)
        if grade is not None:
            return grade
    return None
