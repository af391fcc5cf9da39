"""`typed.List`: a list of compiled code."""
from collections.abc import Iterable, MutableSequence

from .. import _rumba
from ..decorators import jit_is_disabled, njit
from ..types import ListType, typeof
from .cast_warnings import sentry_safe_cast


@njit
def _get(l, index):
    return l[index]


@njit
def _set(l, index, value):
    l[index] = value


@njit
def _delete(l, index):
    del l[index]


@njit
def _contains(l, item):
    return item in l


@njit
def _length(l):
    return len(l)


@njit
def _append(l, item):
    l.append(item)


@njit
def _extend(l, items):
    l.extend(items)


@njit
def _insert(l, index, item):
    l.insert(index, item)


@njit
def _pop(l, index):
    return l.pop(index)


@njit
def _remove(l, item):
    l.remove(item)


@njit
def _clear(l):
    l.clear()


@njit
def _index(l, item, start, stop):
    return l.index(item, start, stop)


@njit
def _count(l, item):
    return l.count(item)


@njit
def _copy(l):
    return l.copy()


@njit
def _reverse(l):
    l.reverse()


@njit
def _sort(l, reverse):
    l.sort(reverse=reverse)


@njit
def _sort_by(l, key, reverse):
    l.sort(key=key, reverse=reverse)


@njit
def _equal(a, b):
    return a == b


@njit
def _less(a, b):
    return a < b


@njit
def _less_or_equal(a, b):
    return a <= b


@njit
def _room(l):
    return l._allocated()


@njit
def _freeze(l):
    l._make_immutable()


@njit
def _mutable(l):
    return l._is_mutable()


@njit
def _joined(a, b):
    return a + b


@njit
def _repeated(l, count):
    return l * count


class List(_rumba.Container, MutableSequence):
    """A list whose items have one type, shared with compiled code."""

    def __new__(cls, *items, **more):
        if more:
            raise TypeError("List() takes no keyword arguments")
        if len(items) > 1:
            raise TypeError(f"List() expected at most 1 argument, got {len(items)}")
        if items and not isinstance(items[0], Iterable):
            raise TypeError(f"List() argument must be iterable: '{type(items[0]).__name__}' object is not")
        return list(*items) if jit_is_disabled() else _rumba.Container.__new__(cls)

    def __init__(self, items=()):
        for item in items:
            self.append(item)

    @classmethod
    def empty_list(cls, item_type, allocated=0):
        """An empty list of this type with the given capacity."""
        if jit_is_disabled():
            return []
        return _rumba.types.container(cls, ListType(item_type), allocated)

    @property
    def _numba_type_(self):
        if not self._typed:
            raise TypeError("invalid operation on untyped list")
        return _rumba.types.type_of(self)

    @property
    def _list_type(self):
        return self._numba_type_

    @property
    def _dtype(self):
        if not self._typed:
            raise RuntimeError("invalid operation on untyped list")
        return self._numba_type_.item_type

    def _settle(self, item):
        if not self._typed:
            self._adopt(List.empty_list(typeof(item)))

    def __len__(self):
        return _length(self) if self._typed else 0

    def __getitem__(self, index):
        if not self._typed:
            if isinstance(index, slice):
                return List()
            raise IndexError("list index out of range")
        return _get(self, index)

    def __setitem__(self, index, value):
        if not self._typed:
            if not isinstance(index, slice):
                raise IndexError("list assignment index out of range")
            self.extend(value)
            return
        _set(self, index, value)

    def __delitem__(self, index):
        if not self._typed:
            raise IndexError("list assignment index out of range")
        _delete(self, index)

    def __contains__(self, item):
        return self._typed and _contains(self, item)

    def __iter__(self):
        at = 0
        while at < len(self):
            yield self[at]
            at += 1

    def _allocated(self):
        return _room(self) if self._typed else 0

    def _make_immutable(self):
        if self._typed:
            _freeze(self)

    def _is_mutable(self):
        return not self._typed or _mutable(self)

    def append(self, item):
        """Appends an item."""
        self._settle(item)
        _append(self, item)

    def extend(self, items):
        """Appends all items of an iterable."""
        if self._typed and isinstance(items, List):
            if items._typed:
                sentry_safe_cast(items._dtype, self._dtype)
                _extend(self, items)
            return
        for item in items:
            self.append(item)

    def insert(self, index, item):
        """Inserts an item before an index."""
        self._settle(item)
        _insert(self, index, item)

    def pop(self, index=-1):
        """Removes and returns an item."""
        if not self._typed:
            raise IndexError("pop from empty list")
        return _pop(self, index)

    def remove(self, item):
        """Removes the first item that is equal."""
        if not self._typed:
            raise ValueError("list.remove(x): x not in list")
        _remove(self, item)

    def clear(self):
        """Removes all items."""
        if self._typed:
            _clear(self)

    def index(self, item, start=0, stop=9223372036854775807):
        """The index of the first equal item."""
        if not self._typed:
            raise ValueError("item not in list")
        return _index(self, item, start, stop)

    def count(self, item):
        """The number of equal items."""
        return _count(self, item) if self._typed else 0

    def copy(self):
        """A shallow copy."""
        return _copy(self) if self._typed else List()

    def reverse(self):
        """Reverses the list in place."""
        if self._typed:
            _reverse(self)

    def sort(self, key=None, reverse=False):
        """Sorts the list in place; the key function is compiled if necessary."""
        if not self._typed:
            return
        if key is None:
            _sort(self, reverse)
        else:
            from ..extending import is_jitted

            _sort_by(self, key if is_jitted(key) else njit(key), reverse)

    def __add__(self, other):
        if isinstance(other, List) and self._typed and other._typed:
            return _joined(self, other)
        made = self.copy()
        made.extend(other)
        return made

    def __iadd__(self, other):
        self.extend(other)
        return self

    def __mul__(self, count):
        return _repeated(self, count) if self._typed else List()

    def _is_like(self, other):
        """Whether compiled code compares the two as they are."""
        return isinstance(other, List) and self._typed and other._typed and self._list_type == other._list_type

    def __eq__(self, other):
        if self._is_like(other):
            return _equal(self, other)
        return _compared(self, other, list.__eq__)

    def __lt__(self, other):
        if self._is_like(other):
            return _less(self, other)
        return _compared(self, other, list.__lt__)

    def __le__(self, other):
        if self._is_like(other):
            return _less_or_equal(self, other)
        return _compared(self, other, list.__le__)

    def __gt__(self, other):
        return _compared(other, self, list.__lt__) if isinstance(other, (list, List)) else NotImplemented

    def __ge__(self, other):
        return _compared(other, self, list.__le__) if isinstance(other, (list, List)) else NotImplemented

    __hash__ = None

    def __str__(self):
        return "[" + ", ".join(str(item) for item in self) + "]"

    def __repr__(self):
        shown = str(self._list_type) if self._typed else "ListType[Undefined]"
        return f"{shown}({self})"

    def __reduce__(self):
        if not self._typed:
            return List, ()
        return _rebuilt, (self._dtype, list(self))


def new_list(item_type, allocated=0):
    """`List.empty_list` as a function."""
    return List.empty_list(item_type, allocated)


def _compared(a, b, compare):
    if not isinstance(a, (list, List)) or not isinstance(b, (list, List)):
        return NotImplemented
    return compare(list(a), list(b))


def _rebuilt(item_type, items):
    made = List.empty_list(item_type, len(items))
    for item in items:
        made.append(item)
    return made
