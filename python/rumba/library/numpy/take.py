"""`take`, also along an axis, and `take_along_axis`."""
import numpy

from ...errors import TypingError
from ...extending import register_jitable
from ...intrinsics import raise_if
from ...types import Integer
from ...types.typeof import as_dtype
from .. import library
from ._axis import check_axis, literal
from .._predicates import is_absent, is_array, is_integer, is_movable
from .._array_like import is_sequence

_EMPTY = "cannot do a non-empty take from an empty axes."
_OUTSIDE = "index {} is out of bounds for axis {} with size {}"


def _is_indices(ty):
    return is_integer(ty) or is_array(ty) and isinstance(ty.dtype, Integer)


@register_jitable
def _position(at, size, axis):
    raise_if(at < -size or at >= size, "IndexError", _OUTSIDE, at, axis, size)
    return at + size if at < 0 else at


@register_jitable
def _wrapped(at, size, axis):
    raise_if(size == 0, "IndexError", _EMPTY)
    index = numpy.int64(at)
    return index if 0 <= index < size else index % size


@register_jitable
def _clipped(at, size, axis):
    raise_if(size == 0, "IndexError", _EMPTY)
    return 0 if at < 0 else min(numpy.int64(at), size - 1)


def index_by_mode(mode):
    """What gives the place that an index means, or refuses it."""
    positions = {"raise": _position, "wrap": _wrapped, "clip": _clipped}
    if literal(mode) not in positions:
        raise TypingError("clipmode must be one of 'clip', 'raise', or 'wrap', known when the function compiles")
    return positions[literal(mode)]


def _taker(a, indices, axis, mode):
    if not is_movable(a) or not _is_indices(indices):
        return None
    index = index_by_mode(mode)
    if is_absent(axis):
        row = register_jitable(lambda a: a.ravel())
        if is_array(indices) and a.ndim == 1:
            return _from_row(index)
        if is_array(indices):
            of_row = _from_row(index)
            return register_jitable(lambda a, indices, axis: of_row(row(a), indices, 0))
        return register_jitable(lambda a, indices, axis: row(a)[index(indices, a.size, 0)])
    if not is_integer(axis) or not a.ndim:
        return None
    if is_array(indices):
        return _from_row(index) if a.ndim == 1 else _from_lines(index, a, indices)

    @register_jitable
    def one(a, indices, axis):
        check_axis(a, axis)
        lines = numpy.moveaxis(a, axis, 0)
        return lines[index(indices, lines.shape[0], axis % a.ndim)].copy()

    @register_jitable
    def one_item(a, indices, axis):
        check_axis(a, axis)
        return a[index(indices, a.size, 0)]
    return one if a.ndim > 1 else one_item


def _from_row(index):
    def several_items(a, indices, axis):
        if axis is not None:
            check_axis(a, axis)
        row, size = indices.ravel(), a.size
        made = numpy.empty(row.size, a.dtype)
        for at in range(row.size):
            # An unsigned index is not counted from the end.
            made[numpy.uintp(at)] = a[numpy.uintp(index(row[numpy.uintp(at)], size, 0))]
        return made.reshape(indices.shape)
    return register_jitable(boundscheck=False)(several_items)


def _from_lines(index, a, indices):
    """Of the lines along an axis those that an array names: its axes stand in the place of the one."""
    ndim, more = a.ndim, indices.ndim

    @register_jitable
    def several(a, indices, axis):
        check_axis(a, axis)
        lines, along = numpy.moveaxis(a, axis, 0), axis % ndim
        row, count = indices.ravel(), indices.size
        made = numpy.empty((count,) + lines.shape[1:], a.dtype)
        for at in range(count):
            made[at] = lines[index(row[at], lines.shape[0], along)]
        shaped = made.reshape(indices.shape + lines.shape[1:])
        if more == 0:
            return shaped
        turned = numpy.moveaxis(shaped, more - 1, along + more - 1)
        for number in range(1, more):
            turned = numpy.moveaxis(turned, more - 1 - number, along + more - 1 - number)
        return numpy.ascontiguousarray(turned)
    return several


def _into(taker, a, out):
    """The same, with the result written to an array if there is one; None if it cannot be."""
    if is_absent(out) or taker is None:
        return taker and register_jitable(lambda a, indices, axis, out: taker(a, indices, axis))
    if not is_array(out) or not out.mutable:
        return None
    given, item = as_dtype(out.dtype), as_dtype(a.dtype)
    if not numpy.can_cast(given, item, "safe"):
        raise TypingError(f"Cannot cast array data from {given!r} to {item!r} according to the rule 'safe'")

    @register_jitable
    def put(a, indices, axis, out):
        made = numpy.asarray(taker(a, indices, axis))
        raise_if(made.shape != out.shape, "ValueError", "output array does not match result of ndarray.take")
        out[...] = made
        return out
    return put


@library(numpy.take, array_like="a indices")
def take(a, indices, axis=None, out=None, mode="raise"):
    found = _into(_taker(a, indices, axis, mode), a, out)
    if found:
        return lambda a, indices, axis=None, out=None, mode="raise": found(a, indices, axis, out)


@library("numpy.ndarray.take")
def array_take(self, indices, axis=None, out=None, mode="raise"):
    if is_sequence(indices):
        known = literal(mode)
        return lambda self, indices, axis=None, out=None, mode="raise": numpy.take(
            self, numpy.asarray(indices), axis, out, known)
    found = _into(_taker(self, indices, axis, mode), self, out)
    if found:
        return lambda self, indices, axis=None, out=None, mode="raise": found(self, indices, axis, out)


@library(numpy.take_along_axis, array_like="arr")
def take_along_axis(arr, indices, axis=-1):
    if not is_array(arr):
        raise TypingError('The first argument "arr" must be an array')
    if not is_array(indices):
        raise TypingError('The second argument "indices" must be an array')
    if not isinstance(indices.dtype, Integer):
        raise TypingError("The indices array must contain integers")
    if is_absent(axis):
        return _flat_along if indices.ndim == 1 else None
    if not is_integer(axis):
        raise TypingError("axis must be an integer")
    if arr.ndim != indices.ndim:
        raise TypingError("`indices` and `arr` must have the same number of dimensions")
    known = literal(axis)
    if not isinstance(known, int):
        raise TypingError("axis must be a literal value: write the number, or pass it as rumba.literally(axis)")
    if not -arr.ndim <= known < arr.ndim:
        raise TypingError(f"axis {known} is out of bounds for array of dimension {arr.ndim}")
    return _along(arr, known % arr.ndim)


def _flat_along(arr, indices, axis=-1):
    return numpy.take_along_axis(arr.ravel(), indices, 0)


def _along(arr, known):
    ndim = arr.ndim

    def along(arr, indices, axis=-1):
        for at in range(ndim):
            if at != known and arr.shape[at] != indices.shape[at] and arr.shape[at] != 1 and indices.shape[at] != 1:
                raise ValueError("dimensions don't match")
        lines, positions = numpy.moveaxis(arr, known, -1), numpy.moveaxis(indices, known, -1)
        shape = numpy.broadcast_shapes(lines.shape[:-1], positions.shape[:-1])
        wide_lines = numpy.broadcast_to(lines, shape + lines.shape[-1:])
        wide_indices = numpy.broadcast_to(positions, shape + positions.shape[-1:])
        made = numpy.empty(wide_indices.shape, arr.dtype)
        for index in numpy.ndindex(shape):
            line, wanted, out = wide_lines[index], wide_indices[index], made[index]
            for at in range(wanted.size):
                out[at] = line[_position(numpy.int64(wanted[at]), line.size, known)]
        return numpy.ascontiguousarray(numpy.moveaxis(made, -1, known))

    def along_row(arr, indices, axis=-1):
        made = numpy.empty(indices.size, arr.dtype)
        for at in range(indices.size):
            made[at] = arr[_position(numpy.int64(indices[at]), arr.size, 0)]
        return made
    return along_row if ndim == 1 else along
