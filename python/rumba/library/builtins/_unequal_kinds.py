"""Comparison of values of different kinds: a list never equals a dict, a number or a string.

A key of one kind is not in a dict or a set of another. Overloads of `==` and `!=` of containers ask here once they have found out that
the other operand is none of their own kind.
"""
from ...types import (
    BaseTuple, Boolean, ByteArray, Bytes, CharSeq, DequeType, DictType, List, ListType, LiteralList, LiteralStrKeyDict, NoneType, Number, Set,
    SetType, UnicodeCharSeq, UnicodeType, unliteral)
from .. import library
from .._predicates import why_unhashable

_KINDS = (("list", (LiteralList, List, ListType)), ("deque", (DequeType,)), ("set", (Set, SetType)), ("dict", (DictType, LiteralStrKeyDict)), ("tuple", (BaseTuple,)),
          ("str", (UnicodeType, UnicodeCharSeq)), ("number", (Number, Boolean)), ("None", (NoneType,)), ("bytes", (Bytes, ByteArray, CharSeq)))


def kind(ty):
    """The kind of what is equal to nothing of another kind; None for what may be equal to anything, as arrays."""
    plain = unliteral(ty)
    return next((name for name, classes in _KINDS if isinstance(plain, classes)), None)


def are_apart(a, b):
    """Whether values of these types are never equal, since they are of different kinds."""
    return None not in (kind(a), kind(b)) and kind(a) != kind(b)


@library("builtins.dict.__contains__")
@library("builtins.set.__contains__")
@library("builtins.frozenset.__contains__")
def contains(self, key, /):
    held = self.key_type if isinstance(self, DictType) else self.dtype
    if why_unhashable(unliteral(key)) is None and are_apart(held, key):
        return lambda self, key, /: False


def never(self, other, /):
    """What `==` is of what is of different kinds."""
    return False


def always(self, other, /):
    """What `!=` is of what is of different kinds."""
    return True
