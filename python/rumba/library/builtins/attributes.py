"""`hasattr`, and `getattr` with a default, of builtin objects without an attribute of a constant name."""
import collections

import numpy

from ...extending import overload_registry as overloads
from ...types import (
    Boolean, Bytes, ClassInstanceType, Complex, CounterType, DefaultDictType, DequeType, DictType, Float, FrozenSetType, Integer, OrderedDictType, Set, UnicodeType,
    unliteral)
from .. import library
from .._predicates import is_array, is_list
from ..numpy._axis import literal


def _class_of(ty):
    """The class in Python of the values of a type, where it is one that nobody adds attributes to."""
    if is_array(ty):
        return numpy.ndarray
    if is_list(ty):
        return list
    for known, found in ((CounterType, collections.Counter), (DefaultDictType, collections.defaultdict),
                         (OrderedDictType, collections.OrderedDict), (DequeType, collections.deque),
                         (FrozenSetType, frozenset), (DictType, dict), (Set, set), (UnicodeType, str), (Bytes, bytes), (Boolean, bool), (Integer, int),
                         (Float, float), (Complex, complex)):
        if isinstance(unliteral(ty), known):
            return found
    return None


def _has(ty, name):
    """Whether values of a type have an attribute; None where nobody knows, or where an overload may give them one."""
    found, name = _class_of(ty), literal(name)
    if isinstance(ty, ClassInstanceType) and isinstance(name, str):
        return _has_member(ty, name)
    if found is None or not isinstance(name, str):
        return None
    return True if hasattr(found, name) else None if overloads.may_be_member(ty, name) else False


def _has_member(ty, name):
    """The same of objects of a compiled class that do not have it as a member. Those of plain classes may have more in Python than
    compiled code knows."""
    known = ty.class_type
    is_closed = known.kind == "jitclass" and not hasattr(known.class_def, name)
    return False if is_closed and not overloads.may_be_member(ty, name) else None


@library(hasattr, strict=False)
def has_attribute(obj, name, /):
    known = _has(obj, name)
    if known is not None:
        return lambda obj, name, /: known


@library(getattr, strict=False)
def attribute_or(obj, name, default, /):
    if _has(obj, name) is False:
        return lambda obj, name, default, /: default
