"""Types that libraries add: which Python values they are of, how they are held, how they come in.

Yet a value of such a type has no content in compiled code (`models.OpaqueModel`): it can be passed around
and be what overloads are chosen by. A type with content is refused where a value of it comes in.
"""
import threading

from .errors import UnsupportedError
from .types import Type

_lock = threading.Lock()
# Class of values -> function of the value and a context that gives its type.
_typers = {}
# Class of types -> how its values are held.
_models = {}
# Class of types -> the function that takes a value in, and the one that hands it out.
_unboxers, _boxers = {}, {}


class _TypeofImpl:
    """`typeof_impl.register(cls)` decorates a function that gives the types of values of a class."""

    def register(self, cls, func=None):
        """The decorator, or the registration of `func`."""
        def note(function):
            with _lock:
                _typers[cls] = function
            return function

        return note if func is None else note(func)

    def __call__(self, value, context=None):
        from .types.typeof import typeof

        return typeof(value)


typeof_impl = _TypeofImpl()


def typeof(value):
    """The type that a library gives a value, or None."""
    for cls in type(value).__mro__:
        typer = _typers.get(cls)
        if typer is not None:
            return typer(value, None)
    return None


class DataModel:
    """How values of a type are held."""

    def __init__(self, dmm=None, fe_type=None, *args):
        self.fe_type = fe_type


class OpaqueModel(DataModel):
    """Values without content."""


class PrimitiveModel(DataModel):
    """Values that are one machine value."""


class StructModel(DataModel):
    """Values of several members."""


class models:  # noqa: N801  Numba's name of a module
    """The models that libraries derive theirs from."""

    DataModel, OpaqueModel, PrimitiveModel, StructModel = DataModel, OpaqueModel, PrimitiveModel, StructModel


def register_model(typeclass):
    """Decorates the model of a class of types."""
    def note(model):
        with _lock:
            _models[typeclass] = model
        return model

    return note


def unbox(typeclass):
    """Decorates the function that takes a value of a class of types in."""
    def note(function):
        with _lock:
            _unboxers[typeclass] = function
        return function

    return note


def box(typeclass):
    """Decorates the function that hands a value of a class of types out."""
    def note(function):
        with _lock:
            _boxers[typeclass] = function
        return function

    return note


class NativeValue:
    """What an unboxing function returns."""

    def __init__(self, value, is_error=None, cleanup=None):
        self.value, self.is_error, self.cleanup = value, is_error, cleanup


def _of_class(registry, ty):
    for cls in type(ty).__mro__:
        if cls in registry:
            return registry[cls]
    return None


def is_opaque(ty):
    """Whether values of a library's type have no content. The compiler asks."""
    model = _of_class(_models, ty)
    return isinstance(model, type) and issubclass(model, OpaqueModel)


class _Dummy:
    """The value of what has no content."""


class _Refusing:
    """Stands for a part of the compiler that is not there: what is not named here is refused."""

    def __init__(self, what, **parts):
        self.__dict__.update(parts, _what=what)

    def __getattr__(self, name):
        raise UnsupportedError(f"{self._what} uses `{name}`, which is not there (yet)")


def check_unboxing(ty):
    """Raises unless a value of a library's type can come in: its unboxing function gives a dummy value."""
    unboxer = _of_class(_unboxers, ty)
    if unboxer is None:
        raise TypeError(f"cannot convert a value to native {ty}: no function is registered with `unbox`")
    what = f"the unboxing function of {ty}"
    context = _Refusing(what, get_dummy_value=_Dummy)
    native = unboxer(ty, _Dummy(), _Refusing(what, context=context))
    if not isinstance(getattr(native, "value", None), _Dummy):
        raise UnsupportedError(f"{what} gives a value with content, which is not taken (yet)")
