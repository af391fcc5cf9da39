"""A user-defined function along an axis: `apply_along_axis`; assignment by index along an axis: `put_along_axis`."""
import numpy

from ...errors import TypingError
from ...extending import Effects, register_jitable
from ...intrinsics import array_view, literal_unroll, raise_if, scratch, scratch_items, scratch_set
from ...types import BaseTuple, Integer
from .. import library
from .._array_like import is_number
from .._predicates import is_absent, is_array, is_integer, is_movable
from ._axis import check_axis, literal


@library(numpy.apply_over_axes, array_like="a", effects=Effects(calls="func"))
def apply_over_axes(func, a, axes):
    if not is_array(a) or not (is_integer(axes) or isinstance(axes, BaseTuple) and all(is_integer(one) for one in axes)):
        return None
    if is_integer(axes):
        return lambda func, a, axes: numpy.expand_dims(func(a, axes), axes)

    def over_all(func, a, axes):
        made = a
        for axis in literal_unroll(axes):
            made = numpy.expand_dims(func(made, axis), axis)
        return made
    return over_all


@library(numpy.apply_along_axis, array_like="arr", effects=Effects(calls="func1d"))
def apply_along_axis(func1d, axis, arr, *args):
    if not is_array(arr) or not is_integer(axis) or not arr.ndim:
        return None
    if arr.ndim == 1:
        def of_row(func1d, axis, arr, *args):
            check_axis(arr, axis)
            return numpy.array(func1d(arr, *args))
        return of_row

    first_index, count = (0,) * (arr.ndim - 1), arr.ndim - 1

    def of_lines(func1d, axis, arr, *args):
        check_axis(arr, axis)
        lines = numpy.moveaxis(arr, axis, -1)
        outer = lines.shape[:-1]
        for at in range(count):
            raise_if(outer[at] == 0, "ValueError", "Cannot apply_along_axis when any iteration dimensions are 0")
        first, begun = numpy.asarray(func1d(lines[first_index], *args)), False
        made = numpy.empty(outer + first.shape, first.dtype)
        made[first_index] = first
        for index in numpy.ndindex(outer):
            if begun:
                made[index] = numpy.asarray(func1d(lines[index], *args))
            begun = True
        return _turned(made, axis % arr.ndim, count)
    return of_lines


@register_jitable
def _turned(made, axis, count):
    """What the function gave, in the place of the axis."""
    if made.ndim == count:
        return made
    turned = numpy.moveaxis(made, count, axis)
    for more in range(1, made.ndim - count):
        turned = numpy.moveaxis(turned, count + more, axis + more)
    return turned


_OUTSIDE = "index {} is out of bounds for axis {} with size {}"


@library(numpy.put_along_axis, array_like="indices values", effects=Effects(mutates="arr"))
def put_along_axis(arr, indices, values, axis):
    if not is_movable(arr) or not arr.mutable or not is_array(indices) or not (is_array(values) or is_number(values)):
        return None
    if not isinstance(indices.dtype, Integer):
        raise TypingError("`indices` must be an integer array")
    if is_absent(axis):
        return _put_flat if indices.ndim == 1 else None
    if arr.ndim != indices.ndim:
        raise TypingError("`indices` and `arr` must have the same number of dimensions")
    known = literal(axis)
    if not isinstance(known, int):
        raise TypingError("axis must be a literal value: write the number, or pass it as rumba.literally(axis)")
    if not -arr.ndim <= known < arr.ndim:
        raise TypingError(f"axis {known} is out of bounds for array of dimension {arr.ndim}")
    return _putter(arr.ndim, known % arr.ndim)


def _put_flat(arr, indices, values, axis):
    row, wide, size = arr.flat, numpy.broadcast_to(values, indices.shape), arr.size
    for at in range(indices.size):
        index = indices[at]
        raise_if(index < -size or index >= size, "IndexError", _OUTSIDE, index, 0, size)
        row[index + size if index < 0 else index] = wide[at]


@register_jitable
def _spread(lines, shape):
    """A view of this shape that can be written to; what has one item has it everywhere."""
    strides = scratch(lines.strides)
    for at in range(lines.ndim):
        if lines.shape[at] != shape[at]:
            scratch_set(strides, at, 0)
    return array_view(lines, lines.dtype, 0, shape, tuple(scratch_items(strides)), "A")


def _putter(ndim, known):
    def put_row(arr, indices, values, axis):
        wide, size = numpy.broadcast_to(values, indices.shape), arr.size
        for at in range(indices.size):
            index = indices[at]
            raise_if(index < -size or index >= size, "IndexError", _OUTSIDE, index, 0, size)
            arr[index] = wide[at]

    def put_lines(arr, indices, values, axis):
        lines, positions = numpy.moveaxis(arr, known, -1), numpy.moveaxis(indices, known, -1)
        shape = numpy.broadcast_shapes(lines.shape[:-1], positions.shape[:-1])
        wide_lines = _spread(lines, shape + lines.shape[-1:])
        wide_indices = numpy.broadcast_to(positions, shape + positions.shape[-1:])
        wide_values = numpy.broadcast_to(numpy.moveaxis(numpy.broadcast_to(values, indices.shape), known, -1), wide_indices.shape)
        for outer in numpy.ndindex(shape):
            line, wanted, given = wide_lines[outer], wide_indices[outer], wide_values[outer]
            for at in range(wanted.size):
                index = wanted[at]
                raise_if(index < -line.size or index >= line.size, "IndexError", _OUTSIDE, index, known, line.size)
                line[index] = given[at]
    return put_row if ndim == 1 else put_lines
