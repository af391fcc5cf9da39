"""`typed.Set`: a set of compiled code."""
from collections.abc import Iterable, MutableSet

from .. import _rumba
from ..decorators import jit_is_disabled, njit
from ..errors import TypingError
from ..types import List, Set as PlainSet, SetType, typeof


@njit
def _add(s, item):
    s.add(item)


@njit
def _discard(s, item):
    s.discard(item)


@njit
def _remove(s, item):
    s.remove(item)


@njit
def _pop(s):
    return s.pop()


@njit
def _contains(s, item):
    return item in s


@njit
def _length(s):
    return len(s)


@njit
def _clear(s):
    s.clear()


@njit
def _copy(s):
    return s.copy()


@njit
def _equal(a, b):
    return a == b


@njit
def _items(s):
    return [item for item in s]


class Set(_rumba.Container, MutableSet):
    """A set whose items have one type, shared with compiled code. It keeps the order in which items are put in."""

    def __new__(cls, *items):
        if len(items) > 1:
            raise TypingError(f"Set expect at most 1 argument, got {len(items)}")
        if items and not isinstance(items[0], Iterable):
            raise TypingError(f"Set argument must be iterable: '{type(items[0]).__name__}' object is not iterable")
        return set(*items) if jit_is_disabled() else _rumba.Container.__new__(cls)

    def __init__(self, items=()):
        for item in items:
            self.add(item)

    @classmethod
    def empty(cls, item_type, n_keys=0):
        """A set of this type with capacity for a given number of items."""
        if jit_is_disabled():
            return set()
        if isinstance(item_type, (List, PlainSet)):
            raise TypingError(f"{item_type} as key is forbidden")
        return _rumba.types.container(cls, SetType(item_type), n_keys)

    @property
    def _numba_type_(self):
        if not self._typed:
            raise TypeError("invalid operation on untyped set")
        return _rumba.types.type_of(self)

    @property
    def _set_type(self):
        return self._numba_type_

    def __contains__(self, item):
        return self._typed and _contains(self, item)

    def __len__(self):
        return _length(self) if self._typed else 0

    def __iter__(self):
        if not self._typed:
            return
        length = len(self)
        for item in _items(self):
            yield item
            if len(self) != length:
                raise RuntimeError("set changed size during iteration")

    def __eq__(self, other):
        if isinstance(other, Set) and self._typed and other._typed and self._set_type == other._set_type:
            return self is other or _equal(self, other)
        return MutableSet.__eq__(self, other)

    __hash__ = None

    def add(self, item):
        """Puts in an item."""
        if not self._typed:
            self._adopt(Set.empty(typeof(item)))
        _add(self, item)

    def discard(self, item):
        """Removes an item if it is there."""
        if self._typed:
            _discard(self, item)

    def remove(self, item):
        """Removes an item; KeyError if it is not there."""
        if not self._typed:
            raise KeyError(item)
        _remove(self, item)

    def pop(self):
        """Removes an item and gives it."""
        if not self._typed:
            raise KeyError("pop from an empty set")
        return _pop(self)

    def clear(self):
        """Removes all items."""
        if self._typed:
            _clear(self)

    def copy(self):
        """Another set with the same items."""
        return _copy(self) if self._typed else Set()

    def update(self, *others):
        """Puts in all items of others."""
        for other in others:
            for item in other:
                self.add(item)

    def __str__(self):
        return "{" + ", ".join(str(item) for item in self) + "}"

    def __repr__(self):
        shown = str(self._set_type) if self._typed else "SetType[undefined]"
        return f"{shown}({self})"

    def __reduce__(self):
        if not self._typed:
            return Set, ()
        return _rebuilt, (self._set_type.item_type, list(self))


def new_set(item_type, n_keys=0):
    """`Set.empty` as a function."""
    return Set.empty(item_type, n_keys)


def _rebuilt(item_type, items):
    made = Set.empty(item_type, len(items))
    for item in items:
        made.add(item)
    return made
