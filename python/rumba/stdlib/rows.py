"""What a row of items, an array of one dimension, comes to: its sum, its least item and where that is.

Sums of floats add in NumPy's order: blocks of 128 items with 8 sums each, halves above that. Longer rows are looked at
in blocks for the least and the greatest item, so that no loop has an exit which depends on an item.
"""
import numpy

from ..extending import register_jitable
from ..special import raise_if
from ..types import Boolean, Complex, Float, Integer, from_dtype
from ..types.typeof import as_dtype

_BLOCK = 1024
_CONVERTED = 8192


def type_of(made):
    """The type of NumPy's numbers of a class."""
    return from_dtype(numpy.dtype(made))


def class_of(item):
    """The class of NumPy's numbers of a type."""
    return as_dtype(item).type


def sum_type(item):
    """The type of sums and products: that of the machine's integers for smaller ones."""
    if isinstance(item, Boolean):
        return numpy.int64
    if isinstance(item, Integer):
        return numpy.int64 if item.signed else numpy.uint64
    return class_of(item)


# Sums and products.

def summer(item, made):
    """What adds the items of a row as numbers of the class `made`; of truth values, that is whether any is true."""
    if made is numpy.bool_:
        return is_any
    if made is class_of(item) and isinstance(item, (Float, Complex)):
        return _pairwise_summer(made, isinstance(item, Complex))
    if issubclass(made, numpy.inexact):
        return _converting_summer(made)

    @register_jitable
    def add_all(row):
        total = made(0)
        for at in range(row.size):
            total += made(row[at])
        return total
    return add_all


def _pairwise_summer(own, is_complex):
    few, many = (4, 64) if is_complex else (8, 128)
    block = _add_complex_block if is_complex else _add_block

    @register_jitable
    def add_part(row, start, count):
        if count < few:
            total = own(0)
            for at in range(start, start + count):
                total += row[at]
            return total
        if count <= many:
            return block(row, start, count)
        half = count // 2
        half -= half % few
        return add_part(row, start, half) + add_part(row, start + half, count - half)

    @register_jitable
    def add_all(row):
        return own(0) + add_part(row, 0, row.size)
    return add_all


@register_jitable
def _add_block(row, start, count):
    s0, s1, s2, s3 = row[start], row[start + 1], row[start + 2], row[start + 3]
    s4, s5, s6, s7 = row[start + 4], row[start + 5], row[start + 6], row[start + 7]
    end = start + count - count % 8
    for at in range(start + 8, end, 8):
        s0 += row[at]
        s1 += row[at + 1]
        s2 += row[at + 2]
        s3 += row[at + 3]
        s4 += row[at + 4]
        s5 += row[at + 5]
        s6 += row[at + 6]
        s7 += row[at + 7]
    total = ((s0 + s1) + (s2 + s3)) + ((s4 + s5) + (s6 + s7))
    for at in range(end, start + count):
        total += row[at]
    return total


@register_jitable
def _add_complex_block(row, start, count):
    s0, s1, s2, s3 = row[start], row[start + 1], row[start + 2], row[start + 3]
    end = start + count - count % 4
    for at in range(start + 4, end, 4):
        s0 += row[at]
        s1 += row[at + 1]
        s2 += row[at + 2]
        s3 += row[at + 3]
    total = (s0 + s1) + (s2 + s3)
    for at in range(end, start + count):
        total += row[at]
    return total


def _converting_summer(made):
    """What adds items as other numbers: as many at a time as NumPy converts."""
    add_all = _pairwise_summer(made, issubclass(made, numpy.complexfloating))

    @register_jitable
    def add_converted(row):
        total = made(0)
        for start in range(0, row.size, _CONVERTED):
            total += add_all(row[start:start + _CONVERTED].astype(made))
        return total
    return add_converted


def multiplier(item, made):
    """What multiplies the items of a row as numbers of the class `made`; of truth values, that is whether all are true."""
    if made is numpy.bool_:
        return are_all

    @register_jitable
    def multiply_all(row):
        total = made(1)
        for at in range(row.size):
            total *= made(row[at])
        return total
    return multiply_all


def divider(made):
    """What divides a sum of the class `made` by a count: in doubles, as NumPy does it."""
    @register_jitable
    def divide(total, count):
        return made(numpy.true_divide(float(total), float(count)))

    @register_jitable
    def divide_complex(total, count):
        share = numpy.true_divide(1.0, float(count))
        real, imag = float(total.real), float(total.imag)
        return made(complex((real + imag * 0.0) * share, (imag - real * 0.0) * share))
    return divide_complex if issubclass(made, numpy.complexfloating) else divide


# The least and the greatest item.

def extremes(item, greatest):
    """Two functions, of a row and the first and last place of a part: its least (greatest) item, and where that
    is first. NaN is less and greater than all numbers."""
    if isinstance(item, Complex):
        return _complex_extreme(greatest), _complex_place(greatest)
    better = _greater if greatest else _less
    if isinstance(item, Float):
        return _float_extreme(better), _float_place
    return _plain_extreme(better), _plain_place


@register_jitable
def _less(one, other):
    return one < other


@register_jitable
def _greater(one, other):
    return one > other


def _plain_extreme(better):
    @register_jitable
    def extreme(row, start, end):
        best = row[start]
        for at in range(start, end):
            item = row[at]
            best = item if better(item, best) else best
        return best
    return extreme


@register_jitable
def _plain_place(row, start, end, best):
    for at in range(start, end):
        if row[at] == best:
            return at
    return start


def _float_extreme(better):
    @register_jitable
    def pick(one, other):
        return one if better(one, other) else other

    @register_jitable
    def extreme(row, start, end):
        strange = 0
        for at in range(start, end):
            strange += row[at] != row[at]
        if strange:
            return row[_float_place(row, start, end, row[start] * numpy.nan)]
        # Eight at a time do not wait for each other.
        b0 = b1 = b2 = b3 = b4 = b5 = b6 = b7 = row[start]
        for at in range(start, end - 7, 8):
            b0, b1 = pick(row[at], b0), pick(row[at + 1], b1)
            b2, b3 = pick(row[at + 2], b2), pick(row[at + 3], b3)
            b4, b5 = pick(row[at + 4], b4), pick(row[at + 5], b5)
            b6, b7 = pick(row[at + 6], b6), pick(row[at + 7], b7)
        for at in range(end - (end - start) % 8, end):
            b0 = pick(row[at], b0)
        return pick(pick(pick(b0, b1), pick(b2, b3)), pick(pick(b4, b5), pick(b6, b7)))
    return extreme


@register_jitable
def _float_place(row, start, end, best):
    for at in range(start, end):
        if row[at] == best or (best != best and row[at] != row[at]):
            return at
    return start


def _complex_better(greatest):
    order = _greater if greatest else _less

    @register_jitable
    def better(one, other):
        if one != one or other != other:
            return one != one and other == other
        return order(one.real, other.real) or one.real == other.real and order(one.imag, other.imag)
    return better


def _complex_extreme(greatest):
    place = _complex_place(greatest)

    @register_jitable
    def extreme(row, start, end):
        return row[place(row, start, end, row[start])]
    return extreme


def _complex_place(greatest):
    better = _complex_better(greatest)

    @register_jitable
    def place(row, start, end, best):
        found = start
        for at in range(start, end):
            if better(row[at], row[found]):
                found = at
        return found
    return place


def extreme_finder(item, greatest, refusal, wants_place):
    """What gives the least (greatest) item of a row, or its place, and refuses an empty row with a message."""
    extreme, place = extremes(item, greatest)
    better = _complex_better(greatest) if isinstance(item, Complex) else _greater if greatest else _less

    @register_jitable
    def find(row):
        size = row.size
        raise_if(size == 0, "ValueError", refusal)
        start, best, at = 0, row[0], 0
        while at < size and best == best:
            other = extreme(row, at, min(size, at + _BLOCK))
            if better(other, best) or other != other:
                start, best = at, other
            at += _BLOCK
        return start, best

    @register_jitable
    def find_item(row):
        return find(row)[1]

    @register_jitable
    def find_place(row):
        start, best = find(row)
        return place(row, start, min(row.size, start + _BLOCK), best)
    return find_place if wants_place else find_item


# Truth.

def counter(item):
    """What counts the items of a row that are not zero, or empty."""
    if not isinstance(item, (Integer, Float, Complex, Boolean)):
        return _count_true
    zero = class_of(item)(0)

    @register_jitable
    def count(row):
        total = 0
        for at in range(row.size):
            total += row[at] != zero
        return total
    return count


@register_jitable
def _count_true(row):
    total = 0
    for at in range(row.size):
        if row[at]:
            total += 1
    return total


@register_jitable
def is_any(row):
    for at in range(row.size):
        if row[at]:
            return True
    return False


@register_jitable
def are_all(row):
    for at in range(row.size):
        if not row[at]:
            return False
    return True
