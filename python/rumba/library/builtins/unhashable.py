"""`hash` of frozen sets and of tuples of objects, and of unhashable values: that raises TypeError at run time, as in Python. (The compiler itself hashes
other values.)
"""
import sys

from ...intrinsics import present
from ...types import Array, BaseFunction, BaseTuple, DictType, FrozenSetType, List, ListType, Opaque, Optional, Set, SliceType, View
from .. import library
from .._predicates import holds_objects, is_fixed_list
from .frozenset import hash_of_frozenset
from .keys_by_methods import hash_of_tuple


_UNHASHABLE = [(ListType, None), (List, "list"), (Set, "set"), (DictType, None), (Array, None)]
if sys.version_info < (3, 12):
    _UNHASHABLE.append((SliceType, "slice"))


@library("builtins.hash")
def hash_of_unhashable(obj, /):
    if isinstance(obj, FrozenSetType):
        return hash_of_frozenset
    message = _why_not(obj)
    if message is None:
        if isinstance(obj, Optional) and holds_objects(obj):
            return _hash_of_optional
        return hash_of_tuple(obj) if isinstance(obj, BaseTuple) and holds_objects(obj) else None

    def fail(obj, /):
        raise TypeError(message)
    return fail


def _hash_of_optional(obj, /):
    return hash(None) if obj is None else hash(present(obj))


def _why_not(ty):
    """What is said of a type without hashes: Python's name of its class, or the type where Python has none of its own."""
    for kind, name in _UNHASHABLE:
        if isinstance(ty, kind):
            return f"unhashable type: '{name or ty}'"
    if is_fixed_list(ty):
        return "unhashable type: 'list'"
    if isinstance(ty, (BaseFunction, Opaque, View)):
        return f"No __hash__ is defined for object of type {ty}"
    if isinstance(ty, BaseTuple):
        return next(filter(None, map(_why_not, ty.types)), None)
    return None
