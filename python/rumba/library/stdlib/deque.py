"""`collections.deque` in compiled code: held as a list that grows at both ends."""
import collections
import operator
import sys

from ...errors import TypingError
from ...extending import Effects, register_jitable
from ...intrinsics import deque_bound, list_close, list_gap, list_item, list_new, list_take, list_write, present, set_deque_bound
from ...types import DequeType, Integer, NoneType, Optional
from .. import library
from ..builtins._unequal_kinds import always, are_apart, never


def _is_deque(ty):
    return isinstance(ty, DequeType)


@library(collections.deque, effects=Effects(also="makes=deque returns=items:iterable@0 exhausts=iterable@0"))
def deque(iterable, maxlen=None):
    if isinstance(iterable, Optional):
        return lambda iterable, maxlen=None: collections.deque(present(iterable), maxlen)
    if maxlen is None or isinstance(maxlen, NoneType):
        return _deque
    _check_bound(maxlen)
    return _bounded


def _check_bound(maxlen):
    if not isinstance(maxlen, Integer):
        raise TypingError(f"the `maxlen` of a deque is an integer or None, not {maxlen}")


def _deque(iterable, maxlen=None):
    made = collections.deque()
    made.extend(iterable)
    return made


def _bounded(iterable, maxlen=None):
    # Made here: a function that all deques come from would give all of them one type of items.
    made = collections.deque()
    set_deque_bound(made, _bound(maxlen))
    made.extend(iterable)
    return made


def _empty(*, maxlen):
    made = collections.deque()
    set_deque_bound(made, _bound(maxlen))
    return made


@register_jitable
def _bound(maxlen):
    """What a deque knows of its `maxlen`: one more, 0 is none."""
    if maxlen < 0:
        raise ValueError("maxlen must be non-negative")
    return maxlen + 1


@library(collections.deque, strict=False, effects=Effects(also="makes=deque returns=items:iterable@0 exhausts=iterable@0"))
def deque_of_nothing(*, maxlen):
    if maxlen is None or isinstance(maxlen, NoneType):
        return lambda *, maxlen: collections.deque()
    _check_bound(maxlen)
    return _empty


@register_jitable
def _is_full(self):
    bound = deque_bound(self)
    return bound > 0 and len(self) >= bound - 1


@register_jitable
def _add(self, item):
    """Appends; what is too much leaves at the begin."""
    if _is_full(self):
        if len(self) == 0:
            return
        list_take(self, 0)
        list_close(self, 0, 1)
    at = len(self)
    list_gap(self, at, 1)
    list_write(self, at, item)


@register_jitable
def _add_left(self, item):
    if _is_full(self):
        last = len(self) - 1
        if last < 0:
            return
        list_take(self, last)
        list_close(self, last, 1)
    list_gap(self, 0, 1)
    list_write(self, 0, item)


@library("collections.deque.append", effects=Effects(appends={"self": "x"}, mutates="self"))
def append(self, x, /):
    return lambda self, x, /: _add(self, x)


@library("collections.deque.appendleft", effects=Effects(appends={"self": "x"}, mutates="self"))
def appendleft(self, x, /):
    return lambda self, x, /: _add_left(self, x)


@library("collections.deque.insert", effects=Effects(appends={"self": "x"}, mutates="self"))
def insert(self, i, x, /):
    return _insert if isinstance(i, Integer) else None


def _insert(self, i, x, /):
    if _is_full(self):
        raise IndexError("deque already at its maximum size")
    count = len(self)
    at = min(max(i + count if i < 0 else i, 0), count)
    list_gap(self, at, 1)
    list_write(self, at, x)


@library("collections.deque.index", strict=False)
def index(self, x, start=0, stop=sys.maxsize, /):
    return _index


def _index(self, x, start=0, stop=sys.maxsize, /):
    count = len(self)
    at = max(start + count, 0) if start < 0 else start
    end = min(stop + count if stop < 0 else stop, count)
    while at < end:
        if list_item(self, at) == x:
            return at
        at += 1
        if len(self) != count:
            raise RuntimeError("deque mutated during iteration")
    raise ValueError(repr(x) + " is not in deque")


def _extension(add):
    def extended(self, iterable, /):
        for item in iterable:
            add(self, item)

    def extended_by_deque(self, iterable, /):
        # It may be the same one.
        for item in [item for item in iterable]:
            add(self, item)
    return lambda self, iterable, /: extended_by_deque if _is_deque(iterable) else extended


for _name, _put in (("extend", _add), ("extendleft", _add_left)):
    library(f"collections.deque.{_name}",
            effects=Effects(extends={"self": "iterable"}, mutates="self", exhausts="iterable"))(_extension(_put))


@library("collections.deque.__iadd__", effects=Effects(extends={"self": "other"}, mutates="self", returns="self"))
def iadd(self, other, /):
    return _iadd


def _iadd(self, other, /):
    self.extend(other)
    return self


@library("collections.deque.__add__", effects=Effects(returns=("items of self", "items of other")))
def add(self, other, /):
    return _sum if _is_deque(other) else None


def _sum(self, other, /):
    made = self.copy()
    made.extend(other)
    return made


@library("collections.deque.__mul__", effects=Effects(returns="items of self"))
def mul(self, times, /):
    return _times if isinstance(times, Integer) else None


def _times(self, times, /):
    made = list_new(self, 0)
    set_deque_bound(made, deque_bound(self))
    for _ in range(times):
        made.extend(self)
    return made


@library("collections.deque.pop", effects=Effects(mutates="self", returns="item of self"))
def pop(self, /):
    return _pop


def _pop(self, /):
    last = len(self) - 1
    if last < 0:
        raise IndexError("pop from an empty deque")
    item = list_take(self, last)
    list_close(self, last, 1)
    return item


@library("collections.deque.popleft", effects=Effects(mutates="self", returns="item of self"))
def popleft(self, /):
    return _pop_left


def _pop_left(self, /):
    if len(self) == 0:
        raise IndexError("pop from an empty deque")
    item = list_take(self, 0)
    list_close(self, 0, 1)
    return item


@library("collections.deque.rotate", effects=Effects(mutates="self"))
def rotate(self, n=1, /):
    return _rotate


def _rotate(self, n=1, /):
    count = len(self)
    if count < 2:
        return
    indices = n % count
    if indices * 2 <= count:
        for _ in range(indices):
            item = list_take(self, count - 1)
            list_close(self, count - 1, 1)
            list_gap(self, 0, 1)
            list_write(self, 0, item)
    else:
        for _ in range(count - indices):
            item = list_take(self, 0)
            list_close(self, 0, 1)
            list_gap(self, count - 1, 1)
            list_write(self, count - 1, item)


@library("collections.deque.clear", effects=Effects(mutates="self"))
def clear(self, /):
    return _clear


def _clear(self, /):
    while len(self) > 0:
        last = len(self) - 1
        list_take(self, last)
        list_close(self, last, 1)


@library("collections.deque.copy", effects=Effects(returns="items of self"))
def copy(self, /):
    return _copy


def _copy(self, /):
    made = list_new(self, len(self))
    set_deque_bound(made, deque_bound(self))
    for item in self:
        _add(made, item)
    return made


@library("collections.deque.reverse", effects=Effects(mutates="self"))
def reverse(self, /):
    return _reverse


def _reverse(self, /):
    start, end = 0, len(self) - 1
    while start < end:
        first, last = list_take(self, start), list_take(self, end)
        list_write(self, start, last)
        list_write(self, end, first)
        start += 1
        end -= 1


@library("collections.deque.count")
def count(self, value, /):
    return _count


def _count(self, value, /):
    return operator.countOf(self, value)


@library("collections.deque.__contains__")
def contains(self, value, /):
    return _contains


def _contains(self, value, /):
    for item in self:
        if item == value:
            return True
    return False


@library("collections.deque.remove", effects=Effects(mutates="self"))
def remove(self, value, /):
    return _remove


def _remove(self, value, /):
    at = 0
    for item in self:
        if item == value:
            list_take(self, at)
            list_close(self, at, 1)
            return
        at += 1
    raise ValueError(repr(value) + " is not in deque")


@library("collections.deque.__delitem__", effects=Effects(mutates="self"))
def delitem(self, index, /):
    return _delete if isinstance(index, Integer) else None


def _delete(self, index, /):
    count = len(self)
    at = index + count if index < 0 else index
    if at < 0 or at >= count:
        raise IndexError("deque index out of range")
    list_take(self, at)
    list_close(self, at, 1)


@register_jitable
def _are_equal(a, b):
    if len(a) != len(b):
        return False
    for at in range(len(a)):
        if at >= len(a) or at >= len(b) or not list_item(a, at) == list_item(b, at):
            return False
    return True


@library("collections.deque.__eq__")
def eq(self, other, /):
    if _is_deque(other):
        return lambda self, other, /: _are_equal(self, other)
    return never if are_apart(self, other) else None


@library("collections.deque.__ne__")
def ne(self, other, /):
    if _is_deque(other):
        return lambda self, other, /: not _are_equal(self, other)
    return always if are_apart(self, other) else None
