"""`sorted` of tuples with elements of one type, and the searches and insertions of `bisect`.

As in Python, equal items keep their order, also in reverse.
"""
import bisect
import sys

from ...errors import TypingError
from ...extending import Effects, register_jitable
from ...intrinsics import scratch, scratch_get, scratch_items, scratch_like, scratch_set
from ...types import Complex, Float, Integer, unliteral
from .. import library
from .._predicates import check_uniform, is_absent, is_array, is_list, is_uniform, joins_unchanged, length
from .list import check_order, sorted_list
from ..stable_argsort import has_one_order

# So many items are moved one by one to where they belong; of more, the place is found by halves.
_FEW = 16
# So many items and more become a list first: only then are there several runs, which are merged.
_MANY = 64


_SORTS = Effects(returns="list of iterable", calls="key", exhausts=("iterable", "tuple"))


@library(sorted, effects=_SORTS)
def sorted_(iterable, /, *, key=None, reverse=False):
    check_order(key, reverse)
    if length(iterable) is None:
        return sorted_list
    if length(iterable) == 0:
        return _sort_nothing
    check_uniform(iterable, "sorted")
    if length(iterable) >= _MANY:
        return _sort_many
    few = length(iterable) <= _FEW
    if not is_absent(key):
        # Of what type keys are is not known here.
        return _sort_few_by_key if few else _sort_by_key
    if few and not has_one_order(iterable.dtype):
        return _sort_few_floats
    return _sort(_insert if few else _arrange)


@library(sorted, effects=_SORTS)
def sorted_of_owners(iterable, /, *, key=None, reverse=False):
    """Of tuples with items that no scratch array holds, as strings, lists and what may be None: they are sorted as a list is."""
    return sorted_list if is_uniform(iterable) or joins_unchanged(iterable) else None


def _sort_nothing(iterable, /, *, key=None, reverse=False):
    *items, = iterable
    return items


def _sort_many(iterable, /, *, key=None, reverse=False):
    result = scratch(iterable)
    items = [item for item in iterable]
    items.sort(key=key, reverse=reverse)
    for at in range(len(iterable)):
        scratch_set(result, at, items[at])
    return scratch_items(result)


def _sort(arrange):
    def sort(iterable, /, *, key=None, reverse=False):
        items, result = scratch(iterable), scratch(iterable)
        order = scratch_like(iterable, 0)
        arrange(items, order, len(iterable), bool(reverse))
        for at in range(len(iterable)):
            scratch_set(result, at, scratch_get(items, scratch_get(order, at)))
        return scratch_items(result)
    return sort


def _sort_few_floats(iterable, /, *, key=None, reverse=False):
    """Insertion makes the order that CPython's lists have, unless there is NaN."""
    items, result = scratch(iterable), scratch(iterable)
    for at in range(len(iterable)):
        if scratch_get(items, at) != scratch_get(items, at):
            return _sort_as_lists(iterable, bool(reverse))
    order = scratch_like(iterable, 0)
    _insert(items, order, len(iterable), bool(reverse))
    for at in range(len(iterable)):
        scratch_set(result, at, scratch_get(items, scratch_get(order, at)))
    return scratch_items(result)


@register_jitable
def _sort_as_lists(iterable, reverse):
    items, result = scratch(iterable), scratch(iterable)
    order = scratch_like(iterable, 0)
    _arrange(items, order, len(iterable), reverse)
    for at in range(len(iterable)):
        scratch_set(result, at, scratch_get(items, scratch_get(order, at)))
    return scratch_items(result)


def _sort_few_by_key(iterable, /, *, key=None, reverse=False):
    first = key(iterable[0])
    keys = scratch_like(iterable, first)
    scratch_set(keys, 0, first)
    for at in range(1, len(iterable)):
        scratch_set(keys, at, key(iterable[at]))
    if not isinstance(first, int):
        for at in range(len(iterable)):
            if scratch_get(keys, at) != scratch_get(keys, at):
                return _sort_as_lists_by(iterable, scratch_items(keys), bool(reverse))
    items, result = scratch(iterable), scratch(iterable)
    order = scratch_like(iterable, 0)
    _insert(keys, order, len(iterable), bool(reverse))
    for at in range(len(iterable)):
        scratch_set(result, at, scratch_get(items, scratch_get(order, at)))
    return scratch_items(result)


def _sort_by_key(iterable, /, *, key=None, reverse=False):
    first = key(iterable[0])
    keys = scratch_like(iterable, first)
    scratch_set(keys, 0, first)
    for at in range(1, len(iterable)):
        scratch_set(keys, at, key(iterable[at]))
    return _sort_as_lists_by(iterable, scratch_items(keys), bool(reverse))


@register_jitable
def _sort_as_lists_by(iterable, keys, reverse):
    items, result = scratch(iterable), scratch(iterable)
    order = scratch_like(iterable, 0)
    _arrange(scratch(keys), order, len(iterable), reverse)
    for at in range(len(iterable)):
        scratch_set(result, at, scratch_get(items, scratch_get(order, at)))
    return scratch_items(result)


# Each fills `order` with the indices of the keys, smallest key first.

@register_jitable
def _insert(keys, order, count, reverse):
    """Of keys that have one order."""
    for index in range(count):
        key, free = scratch_get(keys, index), index
        while free > 0:
            other = scratch_get(keys, scratch_get(order, free - 1))
            if not (other < key if reverse else key < other):
                break
            scratch_set(order, free, scratch_get(order, free - 1))
            free -= 1
        scratch_set(order, free, index)


@register_jitable
def _arrange(keys, order, count, reverse):
    """As CPython's lists are sorted, comparison for comparison."""
    for at in range(count):
        scratch_set(order, at, count - 1 - at if reverse else at)
    for at in range(_run(keys, order, count), count):
        index, low, high = scratch_get(order, at), 0, at
        key = scratch_get(keys, index)
        while low < high:
            middle = (low + high) >> 1
            if key < scratch_get(keys, scratch_get(order, middle)):
                high = middle
            else:
                low = middle + 1
        for free in range(at, low, -1):
            scratch_set(order, free, scratch_get(order, free - 1))
        scratch_set(order, low, index)
    if reverse:
        _turn(order, 0, count)


@register_jitable
def _less(keys, order, at, other):
    return scratch_get(keys, scratch_get(order, at)) < scratch_get(keys, scratch_get(order, other))


@register_jitable
def _turn(order, start, end):
    low, high = start, end - 1
    while low < high:
        index = scratch_get(order, low)
        scratch_set(order, low, scratch_get(order, high))
        scratch_set(order, high, index)
        low, high = low + 1, high - 1


# How many indices at the beginning are in order when they are turned if they go down. (`indices` tells more.)

@register_jitable
def _strict_run(keys, order, count):
    if count < 2:
        return count
    end, down = 2, _less(keys, order, 1, 0)
    while end < count and _less(keys, order, end, end - 1) == down:
        end += 1
    if down:
        _turn(order, 0, end)
    return end


@register_jitable
def _rise(keys, order, end, count):
    while end < count and not _less(keys, order, end, end - 1):
        end += 1
    return end


@register_jitable
def _equal_run(keys, order, count):
    end = _rise(keys, order, 1, count)
    if end >= count or end > 1 and _less(keys, order, 0, end - 1):
        return end
    _turn(order, 0, end)
    end, equal = end + 1, end
    while end < count:
        if _less(keys, order, end, end - 1):
            _turn(order, equal, end)
            equal = end
        elif _less(keys, order, end - 1, end):
            break
        end += 1
    _turn(order, equal, end)
    _turn(order, 0, end)
    return _rise(keys, order, end, count)


_run = _equal_run if sys.version_info >= (3, 13) else _strict_run


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
