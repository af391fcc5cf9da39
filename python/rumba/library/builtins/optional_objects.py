"""Objects that may be None: their truth, lengths and unary operators, where classes define these, and the truth of all in a container.
(The compiler itself knows these of other values, and attributes, items and binary operators of such objects.)
"""
import operator

from ...extending import register_jitable
from ...intrinsics import present
from ...types import EnumClass, IterableType, Optional
from .. import library
from .._predicates import holds_objects, is_user_iterable


@library(bool)
def truth(object, /):
    return _truth if isinstance(object, Optional) and holds_objects(object) else None


def _truth(object, /):
    return object is not None and bool(present(object))


def _holds_objects(iterable):
    return isinstance(iterable, IterableType) and holds_objects(getattr(iterable, "dtype", iterable))


@library(any)
def any_object(iterable, /):
    return _any if is_user_iterable(iterable) or _holds_objects(iterable) else None


def _any(iterable, /):
    for item in iterable:
        if item:
            return True
    return False


@library(all)
def all_objects(iterable, /):
    return _all if is_user_iterable(iterable) or _holds_objects(iterable) else None


def _all(iterable, /):
    for item in iterable:
        if not item:
            return False
    return True


@library(len)
def length(obj, /):
    if isinstance(obj, EnumClass):
        count = len(obj.instance_class)
        return lambda obj, /: count
    return _length if isinstance(obj, Optional) and holds_objects(obj) else None


def _length(obj, /):
    if obj is None:
        raise TypeError("object of type 'NoneType' has no len()")
    return len(present(obj))


def _unary(compute, message):
    """A unary operator of objects, which None has not."""
    compiled = register_jitable(compute)

    def run(a, /):
        if a is None:
            raise TypeError(message)
        return compiled(present(a))
    return lambda a, /: run if isinstance(a, Optional) and holds_objects(a) else None


library(operator.neg)(_unary(lambda a: -a, "bad operand type for unary -: 'NoneType'"))
library(operator.pos)(_unary(lambda a: +a, "bad operand type for unary +: 'NoneType'"))
library(operator.invert)(_unary(lambda a: ~a, "bad operand type for unary ~: 'NoneType'"))
