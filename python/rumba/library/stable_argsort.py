"""Stable argsort of keys.

Numbers the runtime arranges, comparison for comparison as CPython does; so NaN stands where it stands there. Keys that hold
floats are arranged in the same way here, by runs that are there, insertion and merges, but that a merge of runs of 64 and
more keys never searches: where comparisons of these contradict each other, their order may be another one. Of others there
is one order.
"""
import sys

from ..extending import register_jitable
from ..intrinsics import list_arrange, list_item, list_write
from ..types import BaseTuple, Boolean, Bytes, Integer, UnicodeType, unliteral
from . import library

# Keys of one order are sorted by insertion in runs of this length.
_RUN = 16


@register_jitable
def order_of(keys, reverse):
    """The indices of keys, smallest key first; indices of equal keys in their order."""
    order = [at for at in range(len(keys))]
    if reverse:
        _turn(order, 0, len(order))
    list_arrange(keys, order)
    if reverse:
        _turn(order, 0, len(order))
    return order


@library("rumba.list_arrange")
def list_arrange_(keys, order):
    """Of keys that the runtime does not know."""
    return _arrange if has_one_order(keys.dtype) else _arrange_as_python


def has_one_order(ty):
    """Whether comparisons of values never contradict each other."""
    if isinstance(ty, BaseTuple):
        return all(map(has_one_order, ty.types))
    return isinstance(unliteral(ty), (Boolean, Integer, UnicodeType, Bytes))


def _arrange(keys, order):
    count = len(keys)
    for start in range(0, count, _RUN):
        _insert(keys, order, start, start, min(start + _RUN, count))
    spare = [0] * (count if count > _RUN else 0)
    width = _RUN
    while width < count:
        for start in range(0, count - width, 2 * width):
            _merge(keys, order, spare, start, start + width, min(start + 2 * width, count))
        width *= 2


def _arrange_as_python(keys, order):
    count = len(keys)
    least = _least_run(count)
    spare = [0] * (count if count > least else 0)
    # Where runs begin that wait, and how deep the merge of each with the next one stands in the tree of merges.
    starts, powers = [0] * 0, [0] * 0
    start = 0
    while start < count:
        end = _run(keys, order, start, count)
        if end < count and end - start < least:
            sorted_end, end = end, min(start + least, count)
            _insert(keys, order, start, sorted_end, end)
        if starts:
            power = _power(starts[-1], start, end, count)
            while powers and powers[-1] > power:
                _merge(keys, order, spare, starts[-2], starts[-1], start)
                starts.pop()
                powers.pop()
            powers.append(power)
        starts.append(start)
        start = end
    while len(starts) > 1:
        _merge(keys, order, spare, starts[-2], starts[-1], count)
        starts.pop()


@register_jitable
def _least_run(count):
    """The length that runs are brought to: so that there is about a power of two of them."""
    odd = 0
    while count >= 64:
        odd |= count & 1
        count >>= 1
    return count + odd


@register_jitable
def _power(start, middle, end, count):
    """How many bits the middles of two runs that stand side by side have in common, as parts of the whole, and one."""
    # Twice the middles.
    first, second, power = start + middle, middle + end, 1
    while first >= count or second < count:
        if first >= count:
            first, second = first - count, second - count
        first, second, power = 2 * first, 2 * second, power + 1
    return power


@register_jitable
def _less(keys, order, at, other):
    return list_item(keys, list_item(order, at)) < list_item(keys, list_item(order, other))


@register_jitable
def _turn(order, start, end):
    low, high = start, end - 1
    while low < high:
        index = list_item(order, low)
        list_write(order, low, list_item(order, high))
        list_write(order, high, index)
        low, high = low + 1, high - 1


@register_jitable
def _strict_run(keys, order, start, count):
    """Where the run ends that begins here; one that goes down has no equal keys, and is turned."""
    end = min(start + 2, count)
    if end < start + 2:
        return end
    down = _less(keys, order, start + 1, start)
    while end < count and _less(keys, order, end, end - 1) == down:
        end += 1
    if down:
        _turn(order, start, end)
    return end


@register_jitable
def _rise(keys, order, end, count):
    while end < count and not _less(keys, order, end, end - 1):
        end += 1
    return end


@register_jitable
def _equal_run(keys, order, start, count):
    """The same since Python 3.13: one that goes down may have equal keys, which are turned twice."""
    end = _rise(keys, order, start + 1, count)
    if end == count or end > start + 1 and _less(keys, order, start, end - 1):
        return end
    _turn(order, start, end)
    end, equal = end + 1, end
    while end < count:
        if _less(keys, order, end, end - 1):
            _turn(order, equal, end)
            equal = end
        elif _less(keys, order, end - 1, end):
            break
        end += 1
    _turn(order, equal, end)
    _turn(order, start, end)
    return _rise(keys, order, end, count)


_run = _equal_run if sys.version_info >= (3, 13) else _strict_run


@register_jitable
def _insert(keys, order, start, sorted_end, end):
    """Puts indices from `sorted_end` to `end` where they belong among those in front of them."""
    for at in range(sorted_end, end):
        index, low, high = list_item(order, at), start, at
        key = list_item(keys, index)
        while low < high:
            middle = (low + high) >> 1
            if key < list_item(keys, list_item(order, middle)):
                high = middle
            else:
                low = middle + 1
        for free in range(at, low, -1):
            list_write(order, free, list_item(order, free - 1))
        list_write(order, low, index)


@register_jitable
def _merge(keys, order, spare, start, middle, end):
    """Makes one run of two that stand side by side."""
    for at in range(start, middle):
        list_write(spare, at - start, list_item(order, at))
    left, count, right, at = 0, middle - start, middle, start
    while left < count and right < end:
        ours, theirs = list_item(spare, left), list_item(order, right)
        if list_item(keys, theirs) < list_item(keys, ours):
            list_write(order, at, theirs)
            right += 1
        else:
            list_write(order, at, ours)
            left += 1
        at += 1
    while left < count:
        list_write(order, at, list_item(spare, left))
        left, at = left + 1, at + 1
