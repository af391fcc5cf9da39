"""The truth of objects that may be None, and of all in a container, where classes define `__bool__` or `__len__`. (The compiler knows that
of other values.)
"""
from ...intrinsics import present
from ...types import IterableType, Optional
from .. import library
from .._predicates import holds_objects


@library(bool)
def truth(object, /):
    return _truth if isinstance(object, Optional) and holds_objects(object) else None


def _truth(object, /):
    return object is not None and bool(present(object))


@library(any)
def any_object(iterable, /):
    return _any if isinstance(iterable, IterableType) and holds_objects(getattr(iterable, "dtype", iterable)) else None


def _any(iterable, /):
    for item in iterable:
        if item:
            return True
    return False


@library(all)
def all_objects(iterable, /):
    return _all if isinstance(iterable, IterableType) and holds_objects(getattr(iterable, "dtype", iterable)) else None


def _all(iterable, /):
    for item in iterable:
        if not item:
            return False
    return True
