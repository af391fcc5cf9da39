"""Comparison of tuples that contain lists and other containers, and search in such tuples."""
from ...extending import register_jitable
from ...intrinsics import items_equal, literal_unroll, raise_if
from ...types import BaseTuple
from .. import library

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


# Search among items of which the compiler itself compares not all: containers, tuples that hold such.

@library("builtins.tuple.__contains__")
def contains(self, value, /):
    if not isinstance(self, BaseTuple):
        return None
    return _has if len(self) else _constant(False)


def _has(self, value, /):
    if items_equal(self[0], value):
        return True
    return value in self[1:]


@library("builtins.tuple.count")
def count(self, value, /):
    if not isinstance(self, BaseTuple):
        return None
    return _count if len(self) else _constant(0)


def _count(self, value, /):
    found = 1 if items_equal(self[0], value) else 0
    return found + self[1:].count(value)


@library("builtins.tuple.index")
def index(self, value, /):
    return _index if isinstance(self, BaseTuple) else None


def _index(self, value, /):
    at = _first(self, value)
    raise_if(at == len(self), "ValueError", "tuple.index(x): x not in tuple")
    return at


@register_jitable
def _first(items, value):
    at = 0
    for item in literal_unroll(items):
        if items_equal(item, value):
            return at
        at += 1
    return at
