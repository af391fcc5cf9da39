"""Comparison of tuples with lists and other containers in them."""
from ..extending import register_jitable
from ..special import items_equal
from ..types import BaseTuple
from . import library

_COMPARISONS = {
    "lt": lambda a, b: a < b, "le": lambda a, b: a <= b, "gt": lambda a, b: a > b, "ge": lambda a, b: a >= b,
}


def _constant(value):
    def known(self, other, /):
        return value
    return known


def _ordering(compare):
    """The overload of a comparison: that of the first items that differ, or of the lengths."""
    compiled = register_jitable(compare)

    def ordered(self, other, /):
        if not items_equal(self[0], other[0]):
            return bool(compiled(self[0], other[0]))
        return compiled(self[1:], other[1:])

    def overload(self, other, /):
        if not isinstance(self, BaseTuple) or not isinstance(other, BaseTuple):
            return None
        if not len(self) or not len(other):
            return _constant(compare(len(self), len(other)))
        return ordered
    return overload


def _equality(compare, differ):
    """The overload of `==` or `!=`; `differ` is what it says of what differs."""
    compiled = register_jitable(compare)

    def equal(self, other, /):
        if not items_equal(self[0], other[0]):
            return differ
        return compiled(self[1:], other[1:])

    def overload(self, other, /):
        if not isinstance(self, BaseTuple) or not isinstance(other, BaseTuple):
            return None
        if not len(self) or len(self) != len(other):
            return _constant(differ if len(self) != len(other) else not differ)
        return equal
    return overload


for _name, _compare in _COMPARISONS.items():
    library(f"builtins.tuple.__{_name}__")(_ordering(_compare))
library("builtins.tuple.__eq__")(_equality(lambda a, b: a == b, False))
library("builtins.tuple.__ne__")(_equality(lambda a, b: a != b, True))
