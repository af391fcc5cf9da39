"""Functions that compiled code returned and that share what may change with others: variables of the function around
them, or lists and arrays.

Python's cells hold Python objects, so variables that are assigned to stay where compiled code keeps them, and calls of
the functions are calls of the code that was compiled for them. Other functions that are returned have the values of
variables as constants (`rumba.boxing.closures`).
"""
import inspect
import types

import numpy

from .. import _rumba
from ..decorators import njit
from ..errors import TypingError
from ..intrinsics import cell_contents
from .closures import python_function


class Variable(_rumba.Instance):
    """A variable of a compiled function that has returned. The functions that use it share it."""

    @property
    def cell_contents(self):
        """Its value; ValueError if it has none, as of a cell of Python."""
        return _contents(self)


class Closure(_rumba.Closure):
    """A compiled function that another one has returned, with the variables of that one that it uses.

    It can be called from Python and from compiled code, which it can be passed to. Functions that were returned
    together share their variables; what one of them assigns is what the others read.

        >>> from rumba import njit
        >>> @njit
        ... def counter(count):
        ...     def step(by=1):
        ...         nonlocal count
        ...         count += by
        ...         return count
        ...     return step
        >>> step = counter(10)
        >>> step(), step(5)
        (11, 16)
    """

    def __new__(cls, template, captured, defaults, optional, number):
        parts = tuple(getattr(part, "_closure", part) for part in captured + defaults)
        return super().__new__(cls, number, parts)

    def __init__(self, template, captured, defaults, optional, number):
        self._captured = captured
        self._defaults = dict(zip(optional, defaults))
        self._function = function = template.py_func
        self.__name__, self.__qualname__ = function.__name__, function.__qualname__
        self.__module__, self.__doc__ = function.__module__, function.__doc__

    def __call__(self, /, *args, **kwargs):
        try:
            return _call_with_names(self, *args, **kwargs) if kwargs else _call(self, *args)
        except TypingError:
            # Arguments that the function does not have are a TypeError, as in Python.
            inspect.signature(self.py_func).bind(*args, **kwargs)
            raise

    def __repr__(self):
        return f"<compiled function {self.__qualname__}>"

    @property
    def py_func(self):
        """The Python function, with variables of its own that hold what the shared ones hold now."""
        return python_function(self._function, map(_cell, self._captured), self._defaults)


def may_change(parts):
    """Whether any part of a closure is something that others may change, too."""
    return any(isinstance(part, _CHANGING) or isinstance(part, tuple) and may_change(part) for part in parts)


_CHANGING = Closure, Variable, list, dict, set, numpy.ndarray, _rumba.Container, _rumba.Instance


def _cell(captured):
    if not isinstance(captured, Variable):
        return types.CellType(captured)
    try:
        return types.CellType(captured.cell_contents)
    except ValueError:
        return types.CellType()


@njit
def _contents(variable):
    return cell_contents(variable)


@njit
def _call(function, *args):
    return function(*args)


@njit
def _call_with_names(function, *args, **kwargs):
    return function(*args, **kwargs)
