"""Indexing of `a.flat` with slices, index arrays and masks; the compiler handles single elements."""
import numpy

from ...extending import Effects, register_jitable
from ...intrinsics import raise_if
from ...types import Boolean, Integer, SliceLiteral, SliceType
from .. import library
from .._predicates import is_array
from .._array_like import is_sequence

_OUTSIDE = "index {} is out of bounds for size {}"
_UNEQUAL = "boolean index did not match indexed flat iterator along axis 0; size of axis is {} but size of " \
    "corresponding boolean axis is {}"


def _indices_of(index):
    """What makes an array of positions of an index: some of `size`, in order."""
    if isinstance(index, (SliceType, SliceLiteral)):
        return _of_slice
    if is_sequence(index):
        return _of_list
    if is_array(index) and isinstance(index.dtype, Integer):
        return _of_indices
    if is_array(index) and isinstance(index.dtype, Boolean) and index.ndim == 1:
        return _of_truth
    return None


@register_jitable
def _of_slice(index, size):
    start, stop, step = index.indices(size)
    return numpy.arange(start, stop, step)


@register_jitable
def _of_list(index, size):
    return _checked(numpy.asarray(index), size)


@register_jitable
def _of_indices(index, size):
    return _checked(index, size)


@register_jitable
def _of_truth(index, size):
    raise_if(index.size != size, "IndexError", _UNEQUAL, size, index.size)
    return numpy.flatnonzero(index)


@register_jitable
def _checked(positions, size):
    for at in positions.flat:
        raise_if(at < -size or at >= size, "IndexError", _OUTSIDE, at, size)
    return positions


@library("numpy.flatiter.__getitem__")
def getitem(self, index, /):
    find = _indices_of(index)
    if not find:
        return None

    def get(self, index, /):
        positions = find(index, self.size)
        made = numpy.empty(positions.shape, self.base.dtype)
        out = made.reshape(-1)
        number = 0
        for at in positions.flat:
            out[number] = self[at]
            number += 1
        return made
    return get


@library("numpy.flatiter.__setitem__", effects=Effects(mutates="self"))
def setitem(self, index, value, /):
    find = _indices_of(index)
    if not find:
        return None

    is_of_indices = find in (_of_indices, _of_list)

    def put_one(self, index, value, /):
        for at in find(index, self.size).flat:
            self[at] = value

    def put(self, index, value, /):
        items, number = value.flatten(), 0
        # As NumPy has it, positions are not looked at where there is nothing to put.
        if items.size or not is_of_indices:
            for at in find(index, self.size).flat:
                if items.size:
                    self[at] = items[number]
                    number = number + 1 if number + 1 < items.size else 0

    def put_items(self, index, value, /):
        self[index] = numpy.asarray(value)
    if is_array(value):
        return put
    return put_items if is_sequence(value) else put_one


@library("numpy.flatiter.copy")
def copy(self):
    return lambda self: self.base.flatten()
