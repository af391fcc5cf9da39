"""Partial sorting: `partition`, `argpartition`.

Places are divided by the middle of three items until few are left (C. A. R. Hoare, Algorithm 65: Find). Items are divided by
one of a sample that is likely to lie close to what is asked for (R. Floyd and R. Rivest, Algorithm 489: Select).
"""
import numpy

from ...errors import TypingError
from ...extending import Effects, register_jitable
from ...intrinsics import raise_if
from ...types import Boolean, Float, Integer, unliteral
from .. import library
from ._axis import literal
from .._predicates import is_array
from .._array_like import is_number
from .unique_searchsorted import _before

_FEW = 16


@register_jitable
def _value(row, order, at):
    return row[order[at]]


@register_jitable
def _swap(order, one, other):
    order[one], order[other] = order[other], order[one]


@register_jitable
def _insert(row, order, low, high):
    for at in range(low + 1, high):
        index, free = order[at], at
        while free > low and _before(row[index], row[order[free - 1]]):
            order[free] = order[free - 1]
            free -= 1
        order[free] = index


@register_jitable
def _select(row, order, low, kth):
    """Puts the place of that item to `kth` which stands there in order; what comes before it is not greater. All that is before
    `low` is in order with the rest."""
    high = row.size
    while high - low > _FEW:
        middle = (low + high) // 2
        if _before(_value(row, order, middle), _value(row, order, low)):
            _swap(order, middle, low)
        if _before(_value(row, order, high - 1), _value(row, order, middle)):
            _swap(order, high - 1, middle)
            if _before(_value(row, order, middle), _value(row, order, low)):
                _swap(order, middle, low)
        pivot = _value(row, order, middle)
        left, right = low, high - 1
        while left <= right:
            while _before(_value(row, order, left), pivot):
                left += 1
            while _before(pivot, _value(row, order, right)):
                right -= 1
            if left <= right:
                _swap(order, left, right)
                left += 1
                right -= 1
        if kth <= right:
            high = right + 1
        elif kth >= left:
            low = left
        else:
            return
    _insert(row, order, low, high)


# Items. They are copied from one row to another, in which the smaller ones come first and the others, NaN with them, last.

_ROUNDS = 16


@register_jitable(boundscheck=False)
def _split(items, first, made, low, high, pivot):
    """Copies items, of which the first one belongs at the index `first`, to the indices from `low` to `high`; gives the
    first index of those that are not less than `pivot`."""
    left, right, shift = numpy.uint64(low), numpy.uint64(high), numpy.uint64(first)
    for at in range(numpy.uint64(low), numpy.uint64(high)):
        item = items[at - shift]
        # It is written to both indices, one of which the next item takes.
        made[left] = item
        made[right - numpy.uint64(1)] = item
        less = numpy.uint64(item < pivot)
        left += less
        right -= numpy.uint64(1) - less
    return numpy.int64(left)


@register_jitable(boundscheck=False)
def _split_behind(items, first, made, low, high, pivot):
    """The same, where those that are equal come first, too."""
    left, right, shift = numpy.uint64(low), numpy.uint64(high), numpy.uint64(first)
    for at in range(numpy.uint64(low), numpy.uint64(high)):
        item = items[at - shift]
        made[left] = item
        made[right - numpy.uint64(1)] = item
        less = numpy.uint64(item <= pivot)
        left += less
        right -= numpy.uint64(1) - less
    return numpy.int64(left)


@register_jitable
def _pivot(items, kth):
    """An item of a sample: a little behind the one that is asked for if this is among the first half, a little before it else."""
    count = 32 if items.size < 10000 else 256
    sample = numpy.empty(count, items.dtype)
    for at in range(count):
        sample[at] = items[items.size * at // count]
    sample.sort()
    index, margin = kth * count // items.size, count // 16
    return sample[min(index + margin, count - 1) if 2 * index < count else max(index - margin, 0)]


@register_jitable
def _narrow(items, first, made, low, high, kth):
    """One round: the part in which the item that is asked for is now; an empty one if it is at its place."""
    part = items[low - first:high - first]
    pivot = _pivot(part, kth - low)
    if pivot != pivot:
        made[low:high] = part
        made[low:high].sort()
        return kth, kth
    middle = _split(items, first, made, low, high, pivot)
    if middle > low:
        return (low, middle) if kth < middle else (middle, high)
    middle = _split_behind(items, first, made, low, high, pivot)
    return (kth, kth) if kth < middle else (middle, high)


@register_jitable
def select_items(items, made, low, kth):
    """Puts the item to `kth` of `made` which stands there in order; what comes before it from `low` on is not greater."""
    high = made.size
    if high - low > _FEW:
        low, high = _narrow(items, 0, made, low, high, kth)
    else:
        made[low:high] = items[low:high]
    rounds = 1
    while high - low > _FEW and rounds < _ROUNDS:
        low, high = _narrow(made[low:high].copy(), low, made, low, high, kth)
        rounds += 1
    made[low:high].sort()


@register_jitable
def _check_kth(row, kth):
    at = kth + row.size if kth < 0 else kth
    raise_if(at < 0 or at >= row.size, "ValueError", "kth(={}) out of bounds ({})", at, row.size)
    return at


@register_jitable
def _wanted(row, kth):
    """The indices that are asked for, in order."""
    wanted = numpy.empty(kth.size, numpy.int64)
    for at in range(kth.size):
        wanted[at] = _check_kth(row, kth[at])
    return numpy.sort(wanted)


def _item_chooser(kth):
    """What copies items to a row in order as far as `kth` asks."""
    @register_jitable
    def one(row, made, kth):
        if row.size:
            select_items(row, made, 0, _check_kth(row, kth))

    @register_jitable
    def several(row, made, kth):
        made[:] = row
        low = 0
        for at in _wanted(row, kth) if row.size else numpy.empty(0, numpy.int64):
            select_items(made.copy(), made, low, at)
            low = at
    return several if is_array(kth) else one


def _chooser(kth):
    """What puts indices in order as far as `kth` asks."""
    @register_jitable
    def one(row, kth):
        order = numpy.arange(row.size)
        if row.size:
            _select(row, order, 0, _check_kth(row, kth))
        return order

    @register_jitable
    def several(row, kth):
        order = numpy.arange(row.size)
        if row.size:
            low = 0
            for at in _wanted(row, kth):
                _select(row, order, low, at)
                low = at
        return order
    return several if is_array(kth) else one


def _finder(a, kth, axis, gives_indices):
    if not is_array(a):
        raise TypingError("The first argument must be an array-like")
    if a.ndim == 0:
        raise TypingError("The first argument must be at least 1-D (found 0-D)")
    item = kth.dtype if is_array(kth) else unliteral(kth)
    if not isinstance(item, (Integer, Boolean)):
        raise TypingError("Partition index must be integer")
    if is_array(kth) and kth.ndim > 1:
        raise TypingError("object too deep for desired array")
    if not isinstance(a.dtype, (Integer, Float, Boolean)) or literal(axis) != -1:
        return None
    if is_array(kth) and kth.ndim == 0:
        return None
    choose, choose_items, dtype = _chooser(kth), _item_chooser(kth), numpy.int64

    @register_jitable
    def indices(a, kth):
        made = numpy.empty(a.shape, dtype)
        for index in numpy.ndindex(a.shape[:-1]):
            made[index] = choose(a[index], kth)
        return made

    @register_jitable
    def items(a, kth):
        made = numpy.empty(a.shape, a.dtype)
        for index in numpy.ndindex(a.shape[:-1]):
            choose_items(a[index], made[index], kth)
        return made

    @register_jitable
    def row_of_indices(a, kth):
        return choose(a, kth)

    @register_jitable
    def row_of_items(a, kth):
        made = numpy.empty(a.size, a.dtype)
        choose_items(a, made, kth)
        return made
    if a.ndim == 1:
        return row_of_indices if gives_indices else row_of_items
    return indices if gives_indices else items


@library(numpy.partition, array_like="a kth")
def partition(a, kth, axis=-1):
    found = _finder(a, kth, axis, False)
    if found:
        return lambda a, kth, axis=-1: found(a, kth)


@library(numpy.argpartition, array_like="a kth")
def argpartition(a, kth, axis=-1):
    found = _finder(a, kth, axis, True)
    if found:
        return lambda a, kth, axis=-1: found(a, kth)


@library("numpy.ndarray.argpartition")
def array_argpartition(self, kth, axis=-1):
    found = _finder(self, kth, axis, True) if not is_number(self) else None
    if found:
        return lambda self, kth, axis=-1: found(self, kth)


@library("numpy.ndarray.partition", effects=Effects(mutates="self"))
def array_partition(self, kth, axis=-1):
    found = _finder(self, kth, axis, False) if self.mutable else None
    if not found:
        return None

    def in_place(self, kth, axis=-1):
        self[...] = found(self, kth)
    return in_place
