"""Reductions along one axis: of the lines along it or, where there is a function that joins two items, part by part.

A part is what an index along the axis gives. The items of an array without gaps, in rows, lie in blocks of `count` parts of `columns` items each.
"""
import numpy

from ...extending import register_jitable
from ...intrinsics import scratch, scratch_items, scratch_set
from ..in_parallel import is_asked
from . import parallel_rows
from ._axis import check_axis, is_packed, map_lines, packed
from ._block_reductions import REDUCTIONS, row_joiners


def _joined(ndim, made, name):
    """What joins the parts along an axis."""
    _, join, start = REDUCTIONS[name]
    dtype, (join_one, join_four) = numpy.dtype(made), _row_joiners(ndim - 1, made, join)

    @register_jitable
    def join_rest(result, parts, first):
        fours = first + (parts.shape[0] - first) // 4 * 4
        for at in range(first, fours, 4):
            join_four(result, parts[at], parts[at + 1], parts[at + 2], parts[at + 3])
        for at in range(fours, parts.shape[0]):
            join_one(result, parts[at])

    @register_jitable
    def from_start(parts):
        result = numpy.full(parts.shape[1:], made(start), dtype)
        join_rest(result, parts, 0)
        return result

    @register_jitable
    def from_first(parts):
        result = numpy.empty(parts.shape[1:], dtype)
        result[...] = parts[0]
        join_rest(result, parts, 1)
        return result
    return parallel_rows.by_columns(from_first if start is None else from_start, dtype)


def _row_joiners(ndim, made, join):
    """What joins an array to another one, row by row, and what joins four, so that what comes of them is read and written once."""
    join_row, join_row_of_four = row_joiners(made, join)

    @register_jitable
    def join_any(result, items):
        if is_packed(items):
            join_row(result, packed(items))
        else:
            join_row(result, items)

    @register_jitable
    def join_any_four(result, a, b, c, d):
        if is_packed(a):
            join_row_of_four(result, packed(a), packed(b), packed(c), packed(d))
        else:
            join_row_of_four(result, a, b, c, d)
    if ndim == 1:
        return join_any, join_any_four

    @register_jitable
    def join_all(result, items):
        for index in numpy.ndindex(result.shape[:-1]):
            join_any(result[index], items[index])

    @register_jitable
    def join_all_four(result, a, b, c, d):
        for index in numpy.ndindex(result.shape[:-1]):
            join_any_four(result[index], a[index], b[index], c[index], d[index])
    return join_all, join_all_four


@register_jitable
def _is_closest(a, axis):
    """Whether items lie closest along this axis, of those that are longer than one item."""
    own = abs(a.strides[axis])
    for at in range(a.ndim):
        if a.shape[at] > 1 and (abs(a.strides[at]) < own or a.shape[axis] < 2):
            return False
    return True


# Lines of fewer items than this are added up from the first one on; NumPy adds up longer ones in eight parts, four of complex numbers.
_SHORT_LINE, _SHORT_LINE_OF_COMPLEX = 8, 4


def one_axis(array, of_row, made, join):
    """What reduces an array along an axis, given both."""
    if array.ndim == 1:
        return map_lines(array, 0, of_row, made)
    if array.layout == "C" and not is_asked():
        return _in_rows(array.ndim, of_row, made, join)
    lines, joined, start = map_lines(array, 0, of_row, made), _joined(array.ndim, made, join), REDUCTIONS[join][-1]

    @register_jitable
    def reduce(a, axis):
        check_axis(a, axis)
        if _is_closest(a, axis) or (start is None and a.shape[axis] == 0):
            return lines(a, axis)
        return joined(numpy.moveaxis(a, axis, 0))
    if array.layout != "C":
        return reduce
    few = _in_rows(array.ndim, of_row, made, join)
    return register_jitable(lambda a, axis: few(a, axis) if a.size < parallel_rows.FEW else reduce(a, axis))


def _in_rows(ndim, of_row, made, join):
    """The same of an array without gaps, in rows: items that lie next to each other along other axes are joined in one loop."""
    join_all, _, start = REDUCTIONS[join]
    dtype, begin = numpy.dtype(made), made(start or 0)
    short, remaining = _SHORT_LINE_OF_COMPLEX if issubclass(made, numpy.complexfloating) else _SHORT_LINE, (0,) * (ndim - 1)
    if made is numpy.float16:
        # The lines are added up in single precision, whatever their length.
        short = 0

    @register_jitable
    def reduce_lines(items, result, lines, count):
        for line in range(lines):
            result[line] = of_row(items[line * count:(line + 1) * count])

    @register_jitable
    def reduce(a, axis):
        check_axis(a, axis)
        at, columns = axis + ndim if axis < 0 else axis, 1
        shape = scratch(remaining)
        for other in range(ndim):
            if other != at:
                scratch_set(shape, other - (other > at), a.shape[other])
            columns *= a.shape[other] if other > at else 1
        result = numpy.empty(tuple(scratch_items(shape)), dtype)
        items, count = a.reshape(-1), a.shape[at]
        if a.size == 0:
            result[...] = begin
        elif columns == 1 and count >= short:
            reduce_lines(items, result.reshape(-1), a.size // count, count)
        else:
            join_all(items, result.reshape(-1), a.size // count // columns, count, columns)
        return result
    return reduce
