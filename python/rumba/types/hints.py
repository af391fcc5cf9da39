"""`as_numba_type`: the Numba type of a Python annotation."""
import collections
import inspect
import types as python_types
import typing

from ..errors import TypingError
from . import collection_types, containers, misc, names
from .base import Type
from .classes import ClassInstanceType

_CONTAINERS = {
    list: containers.ListType, dict: containers.DictType, set: containers.SetType, frozenset: containers.FrozenSetType,
    collections.deque: collection_types.DequeType, collections.OrderedDict: collection_types.OrderedDictType,
}


class AsNumbaTypeRegistry:
    """Gives the type for a class or an annotation; `register` adds more."""

    def __init__(self):
        self.lookup = {
            int: names.int64, float: names.float64, complex: names.complex128, str: names.unicode_type,
            bool: names.bool, type(None): names.none}
        self.functions = [self._of_type, self._of_generic]

    def __call__(self, py_type):
        """The type; TypingError if there is none."""
        found = self.try_infer(py_type)
        if found is None:
            raise TypingError(f"Cannot infer Numba type of Python type {py_type}")
        return found

    infer = __call__

    def try_infer(self, py_type):
        """The type, or None."""
        found = self.lookup.get(py_type) if py_type.__hash__ else None
        for function in self.functions:
            found = function(py_type) if found is None else found
        if found is not None and not isinstance(found, Type):
            raise TypingError(f"as_numba_type should return a Numba type, not {found!r}")
        return found

    def register(self, func_or_py_type, numba_type=None):
        """Adds the type of one class; or decorates a function that gives types or None."""
        if numba_type is not None:
            if not isinstance(numba_type, Type):
                raise TypeError(f"expected a type, not {numba_type!r}")
            self.lookup[func_or_py_type] = numba_type
        elif inspect.isfunction(func_or_py_type):
            self.functions.append(func_or_py_type)
        else:
            raise TypeError(f"expected a function, or a class and its type, not {func_or_py_type!r}")
        return func_or_py_type

    def _of_type(self, py_type):
        return py_type if isinstance(py_type, Type) else None

    def _of_generic(self, py_type):
        origin, args = typing.get_origin(py_type), typing.get_args(py_type)
        if origin in (typing.Union, getattr(python_types, "UnionType", None)) and origin:
            return self._of_union(args)
        if origin in _CONTAINERS:
            return _CONTAINERS[origin](*map(self, args))
        if origin is collections.Counter:
            return collection_types.CounterType(self(args[0]), self(int))
        if origin is tuple:
            return containers.BaseTuple.from_types(tuple(map(self, args)))
        return None

    def _of_union(self, args):
        present = [arg for arg in args if arg is not type(None)]
        classes = [self.try_infer(arg) for arg in present]
        if len(present) > 1 and all(isinstance(ty, ClassInstanceType) for ty in classes):
            union = misc.Union(classes)
            return union if len(present) == len(args) else misc.Optional(union)
        if len(args) != 2:
            raise TypingError(
                f"Cannot type Union of more than two types. Attempted to unify '{len(args)}' types.")
        if len(present) != 1:
            raise TypingError(f"Cannot type Union that is not an Optional (neither type of {args} is NoneType)")
        return misc.Optional(self(present[0]))


as_numba_type = AsNumbaTypeRegistry()
