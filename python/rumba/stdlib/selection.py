"""Arrays in order as far as some places ask: `partition`, `argpartition`.

A part of a row is divided by the middle of three items until it is short (C. A. R. Hoare, Algorithm 65: Find).
"""
import numpy

from ..errors import TypingError
from ..extending import register_jitable
from ..special import raise_if
from ..types import Boolean, Float, Integer, unliteral
from . import library
from .axes import literal
from .kinds import is_array
from .likes import is_number
from .sorting import _before

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
        place, free = order[at], at
        while free > low and _before(row[place], row[order[free - 1]]):
            order[free] = order[free - 1]
            free -= 1
        order[free] = place


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


def _chooser(kth):
    """What puts places in order as far as `kth` asks."""
    @register_jitable
    def check(row, kth):
        at = kth + row.size if kth < 0 else kth
        raise_if(at < 0 or at >= row.size, "ValueError", "kth(={}) out of bounds ({})", at, row.size)
        return at

    @register_jitable
    def one(row, kth):
        order = numpy.arange(row.size)
        if row.size:
            _select(row, order, 0, check(row, kth))
        return order

    @register_jitable
    def several(row, kth):
        order = numpy.arange(row.size)
        if row.size:
            wanted = numpy.empty(kth.size, numpy.int64)
            for at in range(kth.size):
                wanted[at] = check(row, kth[at])
            low = 0
            for at in numpy.sort(wanted):
                _select(row, order, low, at)
                low = at
        return order
    return several if is_array(kth) else one


def _finder(a, kth, axis, gives_places):
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
    choose, dtype = _chooser(kth), numpy.int64

    @register_jitable
    def places(a, kth):
        made = numpy.empty(a.shape, dtype)
        for place in numpy.ndindex(a.shape[:-1]):
            made[place] = choose(a[place], kth)
        return made

    @register_jitable
    def items(a, kth):
        made = numpy.empty(a.shape, a.dtype)
        for place in numpy.ndindex(a.shape[:-1]):
            row, out = a[place], made[place]
            order = choose(row, kth)
            for at in range(row.size):
                out[at] = row[order[at]]
        return made

    @register_jitable
    def row_of_places(a, kth):
        return choose(a, kth)

    @register_jitable
    def row_of_items(a, kth):
        order = choose(a, kth)
        made = numpy.empty(a.size, a.dtype)
        for at in range(a.size):
            made[at] = a[order[at]]
        return made
    if a.ndim == 1:
        return row_of_places if gives_places else row_of_items
    return places if gives_places else items


@library(numpy.partition, likes="a kth")
def partition(a, kth, axis=-1):
    found = _finder(a, kth, axis, False)
    if found:
        return lambda a, kth, axis=-1: found(a, kth)


@library(numpy.argpartition, likes="a kth")
def argpartition(a, kth, axis=-1):
    found = _finder(a, kth, axis, True)
    if found:
        return lambda a, kth, axis=-1: found(a, kth)


@library("numpy.ndarray.argpartition")
def array_argpartition(self, kth, axis=-1):
    found = _finder(self, kth, axis, True) if not is_number(self) else None
    if found:
        return lambda self, kth, axis=-1: found(self, kth)


@library("numpy.ndarray.partition")
def array_partition(self, kth, axis=-1):
    found = _finder(self, kth, axis, False) if self.mutable else None
    if not found:
        return None

    def in_place(self, kth, axis=-1):
        self[...] = found(self, kth)
    return in_place
