"""`hash` of frozen sets and of tuples of objects, and of unhashable values: that raises TypeError at run time, as in Python. (The compiler itself hashes
other values.)
"""
from ...intrinsics import present
from ...types import BaseTuple, FrozenSetType, Optional
from .. import library
from .._predicates import holds_objects, why_unhashable
from .frozenset import hash_of_frozenset
from .keys_by_methods import hash_of_tuple


@library("builtins.hash")
def hash_of_unhashable(obj, /):
    if isinstance(obj, FrozenSetType):
        return hash_of_frozenset
    message = why_unhashable(obj)
    if message is None:
        if isinstance(obj, Optional) and holds_objects(obj):
            return _hash_of_optional
        return hash_of_tuple(obj) if isinstance(obj, BaseTuple) and holds_objects(obj) else None

    def fail(obj, /):
        raise TypeError(message)
    return fail


def _hash_of_optional(obj, /):
    return hash(None) if obj is None else hash(present(obj))
