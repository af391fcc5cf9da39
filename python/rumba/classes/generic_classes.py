"""Compiled classes over type parameters: `jitclass` of a class that derives from `typing.Generic`.

    T = TypeVar("T")

    @jitclass
    class Pair(Generic[T]):
        first: T
        rest: Optional["Pair[T]"]

        def __init__(self, first: T, rest=None):
            self.first = first
            self.rest = rest

`Pair[int64]` is a compiled class like any other, made once for each type. `Pair(1.5)` finds the types by the arguments for which the
annotations of `__init__` name a parameter.
"""
import inspect
import types as python_types
import typing

from ..types import deferred_type
from ..types.hints import as_numba_type
from ..types.typeof import typeof


class GenericClass:
    """A class whose fields have types that are parameters. Its items are compiled classes."""

    # The compiler looks for it.
    is_generic_class = True

    def __init__(self, cls, spec, compile_class):
        self._written, self._spec, self._compile = cls, spec, compile_class
        self._made, self._open = {}, {}
        self.__name__, self.__qualname__, self.__module__ = cls.__name__, cls.__qualname__, cls.__module__
        self.__doc__, self.__parameters__ = cls.__doc__, cls.__parameters__

    def __repr__(self):
        parameters = ", ".join(parameter.__name__ for parameter in self.__parameters__)
        return f"<compiled class {self.__module__}.{self.__qualname__}[{parameters}]>"

    def __reduce__(self):
        return self.__qualname__

    def __getitem__(self, given):
        given = given if isinstance(given, tuple) else (given,)
        if len(given) != len(self.__parameters__):
            raise TypeError(f"{self.__qualname__} has {len(self.__parameters__)} type parameters, not {len(given)}")
        if any(isinstance(one, typing.TypeVar) for one in given):
            # An annotation.
            return python_types.GenericAlias(self, given)
        types = tuple(map(as_numba_type, given))
        if types not in self._made:
            self._made[types] = self._class_for(types)
        return self._made[types]

    def __call__(self, *args, **kwargs):
        """An object of the class for the types of these arguments."""
        bound = inspect.signature(self._written.__init__).bind(None, *args, **kwargs)
        hints, known = typing.get_type_hints(self._written.__init__), {}
        for name, value in bound.arguments.items():
            if isinstance(hints.get(name), typing.TypeVar):
                known.setdefault(hints[name], typeof(value))
        missing = [parameter.__name__ for parameter in self.__parameters__ if parameter not in known]
        if missing:
            raise TypeError(f"no argument tells the type {missing[0]} of {self.__qualname__}: name it, as in "
                            f"{self.__qualname__}[float64](...)")
        return self[tuple(known[parameter] for parameter in self.__parameters__)](*args, **kwargs)

    def __instancecheck__(self, value):
        return isinstance(value, tuple(self._made.values()))

    def __subclasscheck__(self, cls):
        return issubclass(cls, tuple(self._made.values()))

    def __mro_entries__(self, bases):
        raise TypeError(f"a class derives from {self.__qualname__} for given types: {self.__qualname__}[float64]")

    def instance_type(self, given):
        """The type of the objects for given types; while their class is made, one that is told later."""
        types = tuple(map(as_numba_type, given))
        return self._open[types] if types in self._open else self[types].class_type.instance_type

    def _class_for(self, types):
        written = self._written
        shown = f"{written.__qualname__}[{', '.join(map(str, types))}]"
        cls = type(written)(written.__name__, (written,), {
            "__module__": written.__module__, "__qualname__": shown, "__doc__": written.__doc__, "_generic": (self, types)})
        own = self._open[types] = deferred_type()
        try:
            made = self._compile(cls, self._fields(dict(zip(self.__parameters__, types))))
        finally:
            del self._open[types]
        own.define(made.class_type.instance_type)
        return made

    def _fields(self, types):
        """Names and types of the fields: the specification before annotations."""
        given = dict(self._spec or ())
        # The class may name itself where it is not bound to its name yet, or in no module.
        methods = (one for one in vars(self._written).values() if isinstance(one, python_types.FunctionType))
        seen = next((method.__globals__ for method in methods), None)
        hints = typing.get_type_hints(self._written, seen, {self.__name__: self})
        hints = {name: hint for name, hint in hints.items() if name not in given}
        return {name: as_numba_type(_substituted(hint, types)) for name, hint in {**given, **hints}.items()}


def _substituted(hint, types):
    """An annotation with types in place of parameters."""
    if isinstance(hint, typing.TypeVar):
        return types[hint]
    parameters = getattr(hint, "__parameters__", ())
    return hint[tuple(types[parameter] for parameter in parameters)] if parameters else hint


@as_numba_type.register
def _type_of_use(hint):
    """The type of `Pair[int64]` in annotations of its own class."""
    origin = typing.get_origin(hint)
    return origin.instance_type(typing.get_args(hint)) if isinstance(origin, GenericClass) else None

