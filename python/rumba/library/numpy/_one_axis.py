"""Reductions along one axis: of the lines along it or, where there is a function that joins two items, part by part.

A part is what an index along the axis gives. The items of an array without gaps, in rows, lie in blocks of `count` parts of `columns` items each.
"""
import numpy

from ... import source_text
from ...extending import register_jitable
from ..in_parallel import is_asked
from . import parallel_rows
from ._axis import check_axis, is_packed, map_lines, packed

def _joined(ndim, made, start, join):
    """What joins the parts along an axis; `start` is None where the first part is what to begin with."""
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
    @register_jitable
    def join_row(result, items):
        for at in range(result.size):
            result[at] = join(result[at], made(items[at]))

    @register_jitable
    def join_row_of_four(result, a, b, c, d):
        for at in range(result.size):
            result[at] = join(join(join(join(result[at], made(a[at])), made(b[at])), made(c[at])), made(d[at]))

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


# Up to how many items lie next to each other along the other axes for each to have a variable of its own.
_FEW_COLUMNS = 4
# Lines of fewer items than this are added up from the first one on; NumPy adds up longer ones in eight parts, four of complex numbers.
_SHORT_LINE, _SHORT_LINE_OF_COMPLEX = 8, 4


def _few_columns(columns, made, start, join):
    """What joins the parts of blocks of so many columns: `(items, result, blocks, count)`."""
    names = [f"x{at}" for at in range(columns)]
    begin = ", ".join("made(start)" if start is not None else f"made(items[at + {number}])" for number in range(columns))
    body = ["at = uintp(0)", "for block in range(blocks):", f" {', '.join(names)} = {begin}"]
    if start is None:
        body.append(f" at += uintp({columns})")
    body.append(f" for part in range({0 if start is not None else 1}, count):")
    body += [f"  {name} = join({name}, made(items[at + uintp({number})]))" for number, name in enumerate(names)]
    body.append(f"  at += uintp({columns})")
    body += [f" result[uintp(block * {columns} + {number})] = {name}" for number, name in enumerate(names)]
    space = {"made": made, "start": start, "join": join, "uintp": numpy.uintp}
    return register_jitable(boundscheck=False)(source_text.function("join_columns(items, result, blocks, count)", body, space))


def _short_lines(count, made, start, join):
    """What joins the items of lines of so many: `(items, result, lines)`."""
    text = "made(items[at])" if start is None else "join(made(start), made(items[at]))"
    for number in range(1, count):
        text = f"join({text}, made(items[at + uintp({number})]))"
    body = ["for line in range(lines):", f" at = uintp(line * {count})", f" result[uintp(line)] = {text}"]
    space = {"made": made, "start": start, "join": join, "uintp": numpy.uintp}
    return register_jitable(boundscheck=False)(source_text.function("join_lines(items, result, lines)", body, space))


def _few_parts(count, made, start, join):
    """What joins so many parts of blocks of columns: `(items, result, blocks, columns)`."""
    text = "made(items[at])" if start is None else "join(made(start), made(items[at]))"
    for number in range(1, count):
        text = f"join({text}, made(items[at + uintp({number} * columns)]))"
    body = ["for block in range(blocks):", " for column in range(columns):", f"  at = uintp(block * columns * {count} + column)",
            f"  result[uintp(block * columns + column)] = {text}"]
    space = {"made": made, "start": start, "join": join, "uintp": numpy.uintp}
    return register_jitable(boundscheck=False)(source_text.function("join_parts(items, result, blocks, columns)", body, space))


def _many_columns(made, start, join):
    """What joins the parts of blocks of columns: `(items, result, blocks, count, columns)`."""
    @register_jitable(boundscheck=False)
    def join_part(result, items):
        for at in range(result.size):
            result[numpy.uintp(at)] = join(result[numpy.uintp(at)], made(items[numpy.uintp(at)]))

    @register_jitable(boundscheck=False)
    def join_four(result, a, b, c, d):
        for number in range(result.size):
            at = numpy.uintp(number)
            result[at] = join(join(join(join(result[at], made(a[at])), made(b[at])), made(c[at])), made(d[at]))

    @register_jitable
    def begin(result, items):
        if start is None:
            for at in range(result.size):
                result[at] = made(items[at])
            return 1
        result[:] = made(start)
        return 0

    @register_jitable
    def join_columns(items, result, blocks, count, columns):
        for block in range(blocks):
            own, at = result[block * columns:(block + 1) * columns], block * count * columns
            first = begin(own, items[at:at + columns])
            at += first * columns
            for _ in range((count - first) // 4):
                ends = at + columns, at + 2 * columns, at + 3 * columns, at + 4 * columns
                join_four(own, items[at:ends[0]], items[ends[0]:ends[1]], items[ends[1]:ends[2]], items[ends[2]:ends[3]])
                at = ends[3]
            for _ in range((count - first) % 4):
                join_part(own, items[at:at + columns])
                at += columns
    return join_columns


def _of_contiguous(made, start, join):
    """What joins the parts along an axis of an array without gaps, in rows, to items of a result: `(items, result, blocks, count, columns)`. Only
    short lines are joined where there is one column."""
    two, three, four = (_few_columns(columns, made, start, join) for columns in range(2, _FEW_COLUMNS + 1))
    of_two, of_three, of_four = (_short_lines(count, made, start, join) for count in range(2, 5))
    one, many = _few_columns(1, made, start, join), _many_columns(made, start, join)
    two_parts, three_parts, four_parts = (_few_parts(count, made, start, join) for count in range(2, 5))

    @register_jitable
    def join_lines(items, result, lines, count):
        if count == 2:
            of_two(items, result, lines)
        elif count == 3:
            of_three(items, result, lines)
        elif count == 4:
            of_four(items, result, lines)
        else:
            one(items, result, lines, count)

    @register_jitable
    def join_all(items, result, blocks, count, columns):
        if columns == 1:
            join_lines(items, result, blocks, count)
        elif columns == 2:
            two(items, result, blocks, count)
        elif columns == 3:
            three(items, result, blocks, count)
        elif columns == 4:
            four(items, result, blocks, count)
        elif count == 2:
            two_parts(items, result, blocks, columns)
        elif count == 3:
            three_parts(items, result, blocks, columns)
        elif count == 4:
            four_parts(items, result, blocks, columns)
        else:
            many(items, result, blocks, count, columns)
    return join_all


def one_axis(array, of_row, made, start, join):
    lines = map_lines(array, 0, of_row, made)
    if array.ndim == 1:
        return lines
    joined = _joined(array.ndim, made, start, join)

    @register_jitable
    def reduce(a, axis):
        check_axis(a, axis)
        if _is_closest(a, axis) or (start is None and a.shape[axis] == 0):
            return lines(a, axis)
        return joined(numpy.moveaxis(a, axis, 0))
    return _of_rows(made, start, join, of_row, reduce) if array.layout == "C" else reduce


def _of_rows(made, start, join, of_row, reduce):
    """The same reduction of an array without gaps, in rows: items that lie next to each other along other axes are joined in one loop."""
    dtype, join_all, in_parallel = numpy.dtype(made), _of_contiguous(made, start, join), is_asked()
    short = _SHORT_LINE_OF_COMPLEX if issubclass(made, numpy.complexfloating) else _SHORT_LINE

    @register_jitable
    def reduce_lines(items, result, lines, count):
        for line in range(lines):
            result[line] = of_row(items[line * count:(line + 1) * count])

    @register_jitable
    def reduce_in_order(a, axis):
        check_axis(a, axis)
        at = axis + a.ndim if axis < 0 else axis
        count, columns = a.shape[at], 1
        for other in range(at + 1, a.ndim):
            columns *= a.shape[other]
        if a.size == 0 or (in_parallel and a.size >= parallel_rows.FEW):
            return reduce(a, axis)
        result = numpy.empty(numpy.moveaxis(a, axis, 0).shape[1:], dtype)
        if columns == 1 and count >= short:
            reduce_lines(a.reshape(-1), result.reshape(-1), a.size // count, count)
        else:
            join_all(a.reshape(-1), result.reshape(-1), a.size // count // columns, count, columns)
        return result
    return reduce_in_order
