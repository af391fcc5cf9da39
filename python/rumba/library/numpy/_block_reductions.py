"""Reductions of blocks: `blocks` times `count` parts of `columns` items each, without gaps. Items of a column are joined, the first one first.

Each function is one for all numbers of dimensions, so that few instances of it are compiled.
"""
import numpy

from ... import source_text
from ...extending import Effects, register_jitable
from .. import library
from .._predicates import is_array
from . import _kernels


@register_jitable
def _add(one, other):
    return one + other


@register_jitable
def _multiply(one, other):
    return one * other


@register_jitable
def _either(one, other):
    return one or other


@register_jitable
def _both(one, other):
    return one and other


@register_jitable
def _less(one, other):
    return one if one < other or one != one else other


@register_jitable
def _greater(one, other):
    return one if one > other or one != one else other


# Functions for so many columns, or parts, have a variable for each.
_FEW = range(2, 5)


def _compiled(head, body, made, start, join):
    space = {"made": made, "start": start, "join": join, "uintp": numpy.uintp}
    return register_jitable(boundscheck=False)(source_text.function(head, body, space))


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
    return _compiled("join_columns(items, result, blocks, count)", body, made, start, join)


def _few_joined(count, distance, start):
    """The text that joins so many items, a distance from each other, from `at` on."""
    text = "made(items[at])" if start is None else "join(made(start), made(items[at]))"
    for number in range(1, count):
        text = f"join({text}, made(items[at + uintp({number} * {distance})]))"
    return text


def _short_lines(count, made, start, join):
    """What joins the items of lines of so many: `(items, result, lines)`."""
    body = ["for line in range(lines):", f" at = uintp(line * {count})", f" result[uintp(line)] = {_few_joined(count, 1, start)}"]
    return _compiled("join_lines(items, result, lines)", body, made, start, join)


def _few_parts(count, made, start, join):
    """What joins so many parts of blocks of columns: `(items, result, blocks, columns)`."""
    body = ["for block in range(blocks):", " for column in range(columns):", f"  at = uintp(block * columns * {count} + column)",
            f"  result[uintp(block * columns + column)] = {_few_joined(count, 'columns', start)}"]
    return _compiled("join_parts(items, result, blocks, columns)", body, made, start, join)


def row_joiners(made, join):
    """What joins a row to another one, and what joins four, so that what comes of them is read and written once."""
    @register_jitable(boundscheck=False)
    def join_row(result, items):
        for number in range(result.size):
            at = numpy.uintp(number)
            result[at] = join(result[at], made(items[at]))

    @register_jitable(boundscheck=False)
    def join_four(result, a, b, c, d):
        for number in range(result.size):
            at = numpy.uintp(number)
            result[at] = join(join(join(join(result[at], made(a[at])), made(b[at])), made(c[at])), made(d[at]))
    return join_row, join_four


def _many_columns(made, start, join):
    """What joins the parts of blocks of columns: `(items, result, blocks, count, columns)`."""
    join_row, join_four = row_joiners(made, join)

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
                join_row(own, items[at:at + columns])
                at += columns
    return join_columns


def _of_contiguous(made, start, join):
    """What joins the parts along an axis of an array without gaps, in rows, to items of a result: `(items, result, blocks, count, columns)`. Only
    short lines are joined where there is one column."""
    two, three, four = (_few_columns(columns, made, start, join) for columns in _FEW)
    of_two, of_three, of_four = (_short_lines(count, made, start, join) for count in _FEW)
    one, many = _few_columns(1, made, start, join), _many_columns(made, start, join)
    two_parts, three_parts, four_parts = (_few_parts(count, made, start, join) for count in _FEW)

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


def add_blocks(items, result, blocks, count, columns):
    """Adds up the items of each column."""
    raise NotImplementedError


def either_of_blocks(items, result, blocks, count, columns):
    """Whether an item of each column is true."""
    raise NotImplementedError


def multiply_blocks(items, result, blocks, count, columns):
    """Multiplies the items of each column."""
    raise NotImplementedError


def both_of_blocks(items, result, blocks, count, columns):
    """Whether all items of each column are true."""
    raise NotImplementedError


def least_of_blocks(items, result, blocks, count, columns):
    """The least item of each column."""
    raise NotImplementedError


def greatest_of_blocks(items, result, blocks, count, columns):
    """The greatest item of each column."""
    raise NotImplementedError


# By name: the function, how two items become one, and what to begin with, if that is not the first item.
REDUCTIONS = {
    "add": (add_blocks, _add, 0),
    "either": (either_of_blocks, _either, 0),
    "multiply": (multiply_blocks, _multiply, 1),
    "both": (both_of_blocks, _both, 1),
    "less": (least_of_blocks, _less, None),
    "greater": (greatest_of_blocks, _greater, None),
}


def _register(function, join, start):
    @library(function, effects=Effects(mutates="result"))
    def reduce(items, result, blocks, count, columns):
        if is_array(items) and is_array(result):
            return _of_contiguous(_kernels.class_of(result.dtype), start, join)


for _reduction in REDUCTIONS.values():
    _register(*_reduction)
