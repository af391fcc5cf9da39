"""`sorted` of tuples of one type, and the searches and insertions of `bisect`.

As in Python, equal items keep their order, also in reverse. Where comparisons contradict each other (NaN),
another order may come out than CPython's.
"""
import bisect

from ...errors import TypingError
from ...extending import Effects, register_jitable
from ...intrinsics import room, room_get, room_items, room_like, room_set
from ...types import Complex, Float, Integer, unliteral
from .. import library
from .._predicates import check_uniform, is_absent, is_array, is_uniform, length
from .list import check_order, is_list, sorted_list

# So many items are moved one by one to where they belong; such runs are merged.
_RUN = 16


_SORTS = Effects(returns="list of iterable", calls="key", exhausts=("iterable", "tuple"))


@library(sorted, effects=_SORTS)
def sorted_(iterable, /, *, key=None, reverse=False):
    check_order(key, reverse)
    if length(iterable) is None:
        return sorted_list
    if length(iterable) == 0:
        return _sort_nothing
    check_uniform(iterable, "sorted")
    arrange = _insert_all if length(iterable) <= _RUN else _merge_all
    return _sort(arrange) if is_absent(key) else _sort_by_key(arrange)


@library(sorted, effects=_SORTS)
def sorted_of_owners(iterable, /, *, key=None, reverse=False):
    """Of tuples with items that no room holds, as strings and lists: they are sorted as a list is."""
    return sorted_list if is_uniform(iterable) else None


def _sort_nothing(iterable, /, *, key=None, reverse=False):
    *items, = iterable
    return items


def _sort(arrange):
    def sort(iterable, /, *, key=None, reverse=False):
        items, result = room(iterable), room(iterable)
        order = room_like(iterable, 0)
        arrange(items, order, iterable, bool(reverse))
        for at in range(len(iterable)):
            room_set(result, at, room_get(items, room_get(order, at)))
        return room_items(result)
    return sort


def _sort_by_key(arrange):
    def sort(iterable, /, *, key=None, reverse=False):
        first = key(iterable[0])
        keys = room_like(iterable, first)
        room_set(keys, 0, first)
        for at in range(1, len(iterable)):
            room_set(keys, at, key(iterable[at]))
        items, result = room(iterable), room(iterable)
        order = room_like(iterable, 0)
        arrange(keys, order, iterable, bool(reverse))
        for at in range(len(iterable)):
            room_set(result, at, room_get(items, room_get(order, at)))
        return room_items(result)
    return sort


# Each fills `order` with the places of the keys, smallest key first.

@register_jitable
def _insert_all(keys, order, iterable, reverse):
    _insert(keys, order, 0, len(iterable), reverse)


@register_jitable
def _merge_all(keys, order, iterable, reverse):
    count, spare = len(iterable), room_like(iterable, 0)
    for start in range(0, count, _RUN):
        _insert(keys, order, start, min(start + _RUN, count), reverse)
    width = _RUN
    while width < count:
        for start in range(0, count - width, 2 * width):
            _merge(keys, order, spare, start, start + width, min(start + 2 * width, count), reverse)
        width *= 2


@register_jitable
def _insert(keys, order, start, end, reverse):
    """Puts the places from `start` to `end` into order, one by one."""
    for place in range(start, end):
        key, free = room_get(keys, place), place
        while free > start:
            other = room_get(order, free - 1)
            if not _precedes(key, room_get(keys, other), reverse):
                break
            room_set(order, free, other)
            free -= 1
        room_set(order, free, place)


@register_jitable
def _merge(keys, order, spare, start, middle, end, reverse):
    """Makes one run of two that stand side by side."""
    for at in range(start, middle):
        room_set(spare, at, room_get(order, at))
    left, right, at = start, middle, start
    while left < middle and right < end:
        ours, theirs = room_get(spare, left), room_get(order, right)
        if _precedes(room_get(keys, theirs), room_get(keys, ours), reverse):
            room_set(order, at, theirs)
            right += 1
        else:
            room_set(order, at, ours)
            left += 1
        at += 1
    while left < middle:
        room_set(order, at, room_get(spare, left))
        left, at = left + 1, at + 1


@register_jitable
def _precedes(key, other, reverse):
    return other < key if reverse else key < other


def _check_sorted(a, function):
    """Refuses what nothing is looked for in: other types than lists, arrays of one dimension and tuples of items of one type."""
    if not is_list(a) and not (is_array(a) and a.ndim == 1) and length(a) != 0:
        check_uniform(a, function)


@library(bisect.bisect_left, effects=Effects(calls="key"))
def bisect_left(a, x, lo=0, hi=None, *, key=None):
    _check_sorted(a, "bisect_left")
    return _bisect_left if is_absent(key) else _bisect_left_by_key


@library(bisect.bisect_right, effects=Effects(calls="key"))
def bisect_right(a, x, lo=0, hi=None, *, key=None):
    _check_sorted(a, "bisect_right")
    return _bisect_right if is_absent(key) else _bisect_right_by_key


@register_jitable
def _end(lo, hi, count):
    """Where a search ends."""
    if lo < 0:
        raise ValueError("lo must be non-negative")
    if hi is None:
        return count
    # CPython's functions take -1 for None.
    return count if hi == -1 else hi


def _bisect_left(a, x, lo=0, hi=None, *, key=None):
    low, high = lo, _end(lo, hi, len(a))
    while low < high:
        middle = (low + high) // 2
        if a[middle] < x:
            low = middle + 1
        else:
            high = middle
    return low


def _bisect_left_by_key(a, x, lo=0, hi=None, *, key=None):
    low, high = lo, _end(lo, hi, len(a))
    while low < high:
        middle = (low + high) // 2
        if key(a[middle]) < x:
            low = middle + 1
        else:
            high = middle
    return low


def _bisect_right(a, x, lo=0, hi=None, *, key=None):
    low, high = lo, _end(lo, hi, len(a))
    while low < high:
        middle = (low + high) // 2
        if x < a[middle]:
            high = middle
        else:
            low = middle + 1
    return low


def _bisect_right_by_key(a, x, lo=0, hi=None, *, key=None):
    low, high = lo, _end(lo, hi, len(a))
    while low < high:
        middle = (low + high) // 2
        if x < key(a[middle]):
            high = middle
        else:
            low = middle + 1
    return low


def _check_insertion(a, x, function):
    """Refuses what is no list, and an item that would not stay what it is in it."""
    if not is_list(a):
        raise TypingError(f"{function}: a list is inserted into, not {a}")
    if isinstance(a.dtype, Integer) and isinstance(unliteral(x), (Float, Complex)):
        raise TypingError(f"{function}: a list of {a.dtype} cannot hold {unliteral(x)}")


@library(bisect.insort_left, effects=Effects(appends={"a": "x"}, calls="key"))
def insort_left(a, x, lo=0, hi=None, *, key=None):
    _check_insertion(a, x, "insort_left")
    return _insort_left if is_absent(key) else _insort_left_by_key


def _insort_left(a, x, lo=0, hi=None, *, key=None):
    a.insert(bisect.bisect_left(a, x, lo, hi), x)


def _insort_left_by_key(a, x, lo=0, hi=None, *, key=None):
    a.insert(bisect.bisect_left(a, key(x), lo, hi, key=key), x)


@library(bisect.insort_right, effects=Effects(appends={"a": "x"}, calls="key"))
def insort_right(a, x, lo=0, hi=None, *, key=None):
    _check_insertion(a, x, "insort_right")
    return _insort_right if is_absent(key) else _insort_right_by_key


def _insort_right(a, x, lo=0, hi=None, *, key=None):
    a.insert(bisect.bisect_right(a, x, lo, hi), x)


def _insort_right_by_key(a, x, lo=0, hi=None, *, key=None):
    a.insert(bisect.bisect_right(a, key(x), lo, hi, key=key), x)
