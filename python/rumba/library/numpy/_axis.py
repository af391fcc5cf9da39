"""Axis arguments: all axes (None), one axis, or a tuple of axes.

What reduces an array is known by what it makes of a row (module `rows`). Here are the rows: all items, the lines along an axis,
or what lies along several axes, and what becomes of the shape.
"""
import numpy

from ...extending import register_jitable
from ...intrinsics import array_view, prange, raise_if, scratch, scratch_get, scratch_items, scratch_like, scratch_set
from ...types import Integer, unliteral
from ...types.typeof import as_dtype
from .._predicates import is_absent, is_array, is_shape
from ..in_parallel import LOOPS, alone, is_asked, note
from .parallel_rows import FEW

OUTSIDE = "axis {} is out of bounds for array of dimension {}"


def axis_kind(array, axis):
    """How many axes an argument names: "all", "one", "several"; None if that is not known."""
    if is_absent(axis):
        return "all"
    if not array.ndim:
        return None
    if isinstance(axis, int) or isinstance(unliteral(axis), Integer):
        return "one"
    several = isinstance(axis, tuple) or is_shape(axis)
    return "several" if several and 0 < len(axis) <= array.ndim else None


def is_unusual(array, axis):
    """Whether an argument names no axis at all, or more than there are."""
    return bool(array.ndim) and is_shape(axis) and not 0 < len(axis) <= array.ndim


def literal(ty):
    """The value that a literal type, or a default, knows."""
    return getattr(ty, "literal_value", getattr(ty, "value", ty))


@register_jitable
def check_axis(a, axis):
    raise_if(axis < -a.ndim or axis >= a.ndim, "AxisError", OUTSIDE, axis, a.ndim)


# Rows.

@register_jitable
def _as_row(a):
    return array_view(a, a.dtype, 0, (a.size,), (a.size,), "C")


@register_jitable
def _in_order(a):
    return _as_row(a.copy())


@register_jitable
def _itself(a):
    return a


def flatten_for(array, any_order=False):
    """What makes one row of an array, a copy only where it has gaps."""
    if array.ndim == 1:
        return _itself
    as_it_lies = array.layout == "C" or array.layout == "F" and any_order
    return _as_row if as_it_lies or array.ndim == 0 else _in_order


def sorted_axes(ndim):
    """What counts axes from the front, in order; refuses one that is not there or comes twice."""
    @register_jitable
    def in_order(axes):
        found = scratch_like(axes, 0)
        for at in range(len(axes)):
            axis = numpy.int64(axes[at])
            raise_if(axis < -ndim or axis >= ndim, "AxisError", OUTSIDE, axis, ndim)
            axis = axis + ndim if axis < 0 else axis
            free = at
            while free > 0 and scratch_get(found, free - 1) > axis:
                scratch_set(found, free, scratch_get(found, free - 1))
                free -= 1
            scratch_set(found, free, axis)
        # NumPy, too, looks for axes that are not there first.
        for at in range(1, len(axes)):
            raise_if(scratch_get(found, at - 1) == scratch_get(found, at), "ValueError", "duplicate value in 'axis'")
        return tuple(scratch_items(found))
    return in_order


def _mover(ndim, count):
    """What makes one axis, the last, of several."""
    in_order, indices, fewer = sorted_axes(ndim), (0,) * ndim, (0,) * (ndim - count + 1)

    @register_jitable
    def move(a, axes):
        ordered = in_order(axes)
        lengths, strides, last = scratch(indices), scratch(indices), scratch(fewer)
        at, merged, taken = 0, 1, 0
        for axis in range(ndim):
            if taken < count and ordered[taken] == axis:
                taken += 1
                continue
            scratch_set(lengths, at, a.shape[axis])
            scratch_set(last, at, a.shape[axis])
            scratch_set(strides, at, a.strides[axis])
            at += 1
        scratch_set(last, at, 1)
        for taken in range(count):
            scratch_set(lengths, at, a.shape[ordered[taken]])
            scratch_set(strides, at, a.strides[ordered[taken]])
            merged *= a.shape[ordered[taken]]
            at += 1
        scratch_set(last, ndim - count, merged)
        moved = array_view(a, a.dtype, 0, tuple(scratch_items(lengths)), tuple(scratch_items(strides)), "A")
        return moved.reshape(tuple(scratch_items(last)))
    return move


@register_jitable
def _only_line(a, axis):
    check_axis(a, axis)
    return a


@register_jitable
def _lines_along(a, axis):
    check_axis(a, axis)
    return numpy.moveaxis(a, axis, -1)


def lines_along(array, axis, any_order=False):
    """What gives an array of the lines to reduce, along its last axis; of one dimension if there is one line."""
    kind = axis_kind(array, axis)
    if kind == "all":
        row = flatten_for(array, any_order)
        return register_jitable(lambda a, axis: row(a))
    if kind == "one":
        return _only_line if array.ndim == 1 else _lines_along
    return _mover(array.ndim, len(axis))


def remaining_ndim(array, axis):
    """How many dimensions are left."""
    kind = axis_kind(array, axis)
    return 0 if kind == "all" else array.ndim - (1 if kind == "one" else len(axis))


def counter(array, axis):
    """What gives the number of items that come together."""
    kind = axis_kind(array, axis)

    @register_jitable
    def several(a, axis):
        count = 1
        for at in range(len(axis)):
            count *= a.shape[axis[at]]
        return count
    if kind == "several":
        return several
    return register_jitable((lambda a, axis: a.size) if kind == "all" else (lambda a, axis: a.shape[axis]))


# Results.

def keepdims_of(array, axis, made):
    """What gives a result dimensions of length 1 in the place of those that it has lost."""
    kind, dtype, ones = axis_kind(array, axis), numpy.dtype(made), (1,) * array.ndim

    @register_jitable
    def fill(result, a, axis):
        return numpy.full(ones, result, dtype)

    @register_jitable
    def expand(result, a, axis):
        return numpy.expand_dims(result, axis)

    @register_jitable
    def stretch(result, a, axis):
        lengths = scratch(a.shape)
        for at in range(len(axis)):
            scratch_set(lengths, axis[at] % a.ndim, 1)
        return result.reshape(tuple(scratch_items(lengths)))
    if not remaining_ndim(array, axis):
        return fill
    return expand if kind == "one" else stretch


@register_jitable
def is_packed(lines):
    """Whether the items of a line follow each other."""
    return lines.strides[lines.ndim - 1] == lines.itemsize


@register_jitable
def packed(line):
    """The same line, known to have no gaps."""
    return array_view(line, line.dtype, 0, line.shape, line.shape, "C")


def map_lines(array, axis, of_row, made, any_order=False):
    """What makes one item of the class `made` of each line."""
    lines_of, dtype = lines_along(array, axis, any_order), numpy.dtype(made)

    @register_jitable
    def only(a, axis):
        return of_row(lines_of(a, axis))

    @register_jitable
    def each(a, axis):
        lines = lines_of(a, axis)
        result = numpy.empty(lines.shape[:-1], dtype)
        if is_packed(lines):
            for index in numpy.ndindex(result.shape):
                result[index] = of_row(packed(lines[index]))
        else:
            for index in numpy.ndindex(result.shape):
                result[index] = of_row(lines[index])
        return result
    if not remaining_ndim(array, axis):
        return only
    if is_asked():
        return _each_of_several(lines_of, alone(of_row), dtype, remaining_ndim(array, axis) == 1)
    return each


def refusing_empty_lines(array, of_row, reduce):
    """The same reduction along an axis, which raises what `of_row` does for an empty line, also where there is none."""
    item = as_dtype(array.dtype)

    @register_jitable
    def reduce_items(a, axis):
        found = reduce(a, axis)
        if a.shape[axis] == 0:
            of_row(numpy.empty(0, item))
        return found
    return reduce_items


def _each_of_several(lines_of, of_row, dtype, are_rows):
    """What makes one item of each line, on several threads: a line by one of them."""
    @register_jitable
    def fill(result, lines, at):
        if is_packed(lines):
            for rest in numpy.ndindex(result.shape[1:]):
                result[(at, *rest)] = of_row(packed(lines[(at, *rest)]))
        else:
            for rest in numpy.ndindex(result.shape[1:]):
                result[(at, *rest)] = of_row(lines[(at, *rest)])

    @register_jitable
    def fill_one(result, lines, at):
        result[at] = of_row(packed(lines[at])) if is_packed(lines) else of_row(lines[at])
    fill_part = fill_one if are_rows else fill

    @register_jitable(parallel=LOOPS)
    def each(a, axis):
        lines = lines_of(a, axis)
        result = numpy.empty(lines.shape[:-1], dtype)
        if a.size < FEW:
            for at in range(lines.shape[0]):
                fill_part(result, lines, at)
        else:
            for at in prange(lines.shape[0]):
                fill_part(result, lines, at)
        return result
    note()
    return each


def with_keepdims(array, axis, keepdims, reduce, made):
    """The same reduction, with all dimensions if `keepdims` says so; None if that is not known."""
    keeps = literal(keepdims)
    if not isinstance(keeps, bool):
        return None
    if not keeps or not array.ndim:
        return reduce
    keep = keepdims_of(array, axis, made)
    return register_jitable(lambda a, axis: keep(reduce(a, axis), a, axis))


def with_out(reduce, out, made):
    """The same, with the result written to an array if there is one; None if it does not fit."""
    if is_absent(out) or reduce is None:
        return reduce and register_jitable(lambda a, axis, out: reduce(a, axis))
    if not is_array(out) or not out.mutable:
        return None

    @register_jitable
    def put(a, axis, out):
        out[...] = reduce(a, axis)
        return out
    return put
