"""Reduction kernels over one-dimensional arrays: sum, minimum, maximum, argmin, argmax.

Sums of floats add in NumPy's order: blocks of 128 items with 8 sums each, halves above that. Rows are looked at
in blocks for the least and the greatest item and for truth, so that no loop over a block has an exit which depends on an item.
"""
import numpy

from ...extending import register_jitable
from ...intrinsics import array_view, count_true, raise_if
from ...types import Boolean, Complex, Float, Integer, from_dtype
from ...types.typeof import as_dtype
from ..in_parallel import is_asked, with_alone
from . import parallel_rows

_BLOCK = 1024
_FEW_FLAGS = 32
_CONVERTED = 8192


def type_of(made):
    """The type of NumPy's numbers of a class."""
    return from_dtype(numpy.dtype(made))


def class_of(item):
    """The class of NumPy's numbers of a type."""
    return as_dtype(item).type


def inexact_class(item):
    """The class in which NumPy computes means and the like of numbers of a type: their own, and doubles of integers."""
    return class_of(item) if isinstance(item, (Float, Complex)) else numpy.float64


def sum_type(item):
    """The type of sums and products: that of the machine's integers for smaller ones."""
    if isinstance(item, Boolean):
        return numpy.int64
    if isinstance(item, Integer):
        return numpy.int64 if item.signed else numpy.uint64
    return class_of(item)


# Sums and products.

@with_alone
def make_sum(item, made):
    """What adds the items of a row as numbers of the class `made`; of truth values, that is whether any is true."""
    if made is numpy.bool_:
        return parallel_rows.searching(is_any, True)
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
    return parallel_rows.of_row(add_all, made)


@register_jitable(boundscheck=False)
def _item(row, at, more):
    # An unsigned index is not counted from the end.
    return row[numpy.uintp(at)]


def _pairwise_summer(own, is_complex):
    add_all = pairwise_adder(own, is_complex, _item)
    return register_jitable(lambda row: add_all(row, ()))


def pairwise_adder(own, is_complex, get):
    """What adds the numbers of the class `own` that `get(row, at, more)` makes of a row's indices, given the row and `more`."""
    if own is numpy.float16:
        return _half_adder(get)
    few, many = (4, 64) if is_complex else (8, 128)
    add_block = _adder_of_complex_blocks(get) if is_complex else _adder_of_blocks(get)

    @register_jitable
    def add_part(row, more, start, count):
        if count <= many:
            return add_block(row, more, start, count)
        half = count // 2
        half -= half % few
        return add_part(row, more, start, half) + add_part(row, more, start + half, count - half)
    add_tree = parallel_rows.in_tree(add_part, few, own) if is_asked() else add_part

    @register_jitable
    def add_all(row, more):
        total = own(0)
        if row.size >= few:
            return total + add_tree(row, more, 0, row.size)
        for at in range(row.size):
            total += get(row, at, more)
        return total
    return add_all


def _half_adder(get):
    """In single precision, as NumPy adds up halves."""
    add_all, round_it = pairwise_adder(numpy.float32, False, register_jitable(lambda row, at, more: numpy.float32(get(row, at, more)))), to_half(False)
    return register_jitable(lambda row, more: round_it(add_all(row, more)))


def to_half(is_array):
    """What rounds a result in single precision to half: that of an array, or of a number."""
    return register_jitable((lambda made: made.astype(numpy.float16)) if is_array else (lambda made: numpy.float16(made)))


def _adder_of_blocks(get):
    @register_jitable
    def add_block(row, more, start, count):
        s0, s1, s2, s3 = get(row, start, more), get(row, start + 1, more), get(row, start + 2, more), get(row, start + 3, more)
        s4, s5, s6, s7 = (
            get(row, start + 4, more), get(row, start + 5, more), get(row, start + 6, more), get(row, start + 7, more))
        end = start + count - count % 8
        for at in range(start + 8, end, 8):
            s0 += get(row, at, more)
            s1 += get(row, at + 1, more)
            s2 += get(row, at + 2, more)
            s3 += get(row, at + 3, more)
            s4 += get(row, at + 4, more)
            s5 += get(row, at + 5, more)
            s6 += get(row, at + 6, more)
            s7 += get(row, at + 7, more)
        total = ((s0 + s1) + (s2 + s3)) + ((s4 + s5) + (s6 + s7))
        for at in range(end, start + count):
            total += get(row, at, more)
        return total
    return add_block


def _adder_of_complex_blocks(get):
    @register_jitable
    def add_block(row, more, start, count):
        s0, s1, s2, s3 = get(row, start, more), get(row, start + 1, more), get(row, start + 2, more), get(row, start + 3, more)
        end = start + count - count % 4
        for at in range(start + 4, end, 4):
            s0 += get(row, at, more)
            s1 += get(row, at + 1, more)
            s2 += get(row, at + 2, more)
            s3 += get(row, at + 3, more)
        total = (s0 + s1) + (s2 + s3)
        for at in range(end, start + count):
            total += get(row, at, more)
        return total
    return add_block


def _converting_summer(made):
    """What adds items as other numbers: as many at a time as NumPy converts."""
    add_all = _pairwise_summer(made, issubclass(made, numpy.complexfloating))

    @register_jitable
    def add_block(row, start):
        return add_all(row[start:start + _CONVERTED].astype(made))
    return parallel_rows.block_by_block(add_block, _CONVERTED, made)


@with_alone
def multiplier(item, made):
    """What multiplies the items of a row as numbers of the class `made`; of truth values, that is whether all are true."""
    if made is numpy.bool_:
        return parallel_rows.searching(are_all, False)
    if made is class_of(item) is numpy.float16:
        multiply, round_it = multiplier(item, numpy.float32), to_half(False)
        return register_jitable(lambda row: round_it(multiply(row)))

    @register_jitable
    def multiply_all(row):
        total = made(1)
        for at in range(row.size):
            total *= made(row[at])
        return total
    return parallel_rows.of_row(multiply_all, made)


def make_divide(made):
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

@register_jitable
def _less(one, other):
    return one < other


@register_jitable
def _greater(one, other):
    return one > other


@with_alone
def extreme_finder(item, greatest, refusal, wants_position):
    """What gives the least (greatest) item of a row, or its place, and refuses an empty row with a message. NaN is less and
    greater than all numbers."""
    if isinstance(item, Float):
        find, extreme = _float_extremes(item, greatest)
    else:
        find = _index_finder(item, greatest)
        extreme = register_jitable(lambda row: row[find(row)])
    own = class_of(item)
    position_of, item_of = parallel_rows.position_of(find, own), parallel_rows.of_row(extreme, own)

    @register_jitable
    def find_index(row):
        raise_if(row.size == 0, "ValueError", refusal)
        return position_of(row)

    @register_jitable
    def find_item(row):
        raise_if(row.size == 0, "ValueError", refusal)
        return item_of(row)
    return find_index if wants_position else find_item


def _index_finder(item, greatest):
    if isinstance(item, Complex):
        return _complex_index(greatest)
    return _boolean_index(greatest) if isinstance(item, Boolean) else _plain_index(_greater if greatest else _less)


@register_jitable
def _first(row, start, item):
    """Where an item is first, from an index on behind which it is."""
    for at in range(start, row.size):
        if row[at] == item:
            return at
    return start


@register_jitable
def _first_nan(row, start):
    for at in range(start, row.size):
        if row[at] != row[at]:
            return at
    return start


def _plain_index(better):
    @register_jitable
    def index(row):
        start, best = 0, row[0]
        for block in range(0, row.size, _BLOCK):
            own = row[block]
            for at in range(block, min(row.size, block + _BLOCK)):
                item = row[at]
                own = item if better(item, own) else own
            if better(own, best):
                start, best = block, own
        return _first(row, start, best)
    return index


def _boolean_index(wanted):
    """The place of the first item that is True (False): few items are read if it is one of the first."""
    @register_jitable(boundscheck=False)
    def is_in(row, start, end):
        found = False
        for at in range(start, end):
            found |= row[numpy.uintp(at)] == wanted
        return found

    @register_jitable
    def index(row):
        few = min(row.size, _FEW_FLAGS)
        if is_in(row, 0, few):
            return _first(row, 0, wanted)
        for start in range(few, row.size, _BLOCK):
            if is_in(row, start, min(row.size, start + _BLOCK)):
                return _first(row, start, wanted)
        return 0
    return index


def _float_extremes(item, greatest):
    """What gives the place of the least (greatest) item, and what gives the item.

    By the bits: as integers they are in the order of the numbers, if all but the sign's are turned around in negative ones, and
    NaN is beyond the infinities. The least and the greatest of integers need not be found one after the other."""
    own, whole = class_of(item), numpy.dtype(f"i{item.bitwidth // 8}").type
    sign, others = item.bitwidth - 1, int(numpy.iinfo(whole).max)
    infinity = int(numpy.array(numpy.inf, own).view(whole))

    @register_jitable
    def turned(bits):
        return whole(bits ^ (bits >> sign & others))

    @register_jitable
    def find(row):
        """The block where it is first, and its bits as a key; of NaN a key beyond the infinities."""
        bits = array_view(row, whole, 0, row.shape, row.strides, "A")
        start, best = 0, turned(bits[0])
        for block in range(0, row.size, _BLOCK):
            low = high = turned(bits[block])
            for at in range(block, min(row.size, block + _BLOCK)):
                key = turned(bits[at])
                low = key if key < low else low
                high = key if key > high else high
            if high > infinity or low < -1 - infinity:
                return block, whole(others)
            key = high if greatest else low
            if key > best if greatest else key < best:
                start, best = block, key
        return start, best

    @register_jitable
    def index(row):
        start, key = find(row)
        if key > infinity:
            return _first_nan(row, start)
        value = turned(key).view(own)
        # Zeros are equal and differ in their bits.
        return _first(row, 0 if value == 0 else start, value)

    @register_jitable
    def extreme(row):
        start, key = find(row)
        return row[_first_nan(row, start)] if key > infinity else turned(key).view(own)
    return index, extreme


def _complex_better(greatest):
    order = _greater if greatest else _less

    @register_jitable
    def better(one, other):
        if one != one or other != other:
            return one != one and other == other
        return order(one.real, other.real) or one.real == other.real and order(one.imag, other.imag)
    return better


def _complex_index(greatest):
    better = _complex_better(greatest)

    @register_jitable
    def index(row):
        found = 0
        for at in range(1, row.size):
            if better(row[at], row[found]):
                found = at
        return found
    return index


# Truth.

@with_alone
def counter(item):
    """What counts the items of a row that are not zero, or empty."""
    return parallel_rows.counting(_counter(item))


def _counter(item):
    if isinstance(item, Boolean):
        return _count_bools
    if not isinstance(item, (Integer, Float, Complex)):
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
def _count_bools(row):
    if row.strides[0] == 1:
        return count_true(array_view(row, row.dtype, 0, row.shape, row.shape, "C"))
    total = 0
    for at in range(row.size):
        total += row[at]
    return total


@register_jitable
def is_any(row):
    for start in range(0, row.size, _BLOCK):
        if _is_any_in(row, start, min(row.size, start + _BLOCK)):
            return True
    return False


@register_jitable(boundscheck=False)
def _is_any_in(row, start, end):
    found = False
    for at in range(start, end):
        found |= bool(row[numpy.uintp(at)])
    return found


@register_jitable
def are_all(row):
    for start in range(0, row.size, _BLOCK):
        if not _are_all_in(row, start, min(row.size, start + _BLOCK)):
            return False
    return True


@register_jitable(boundscheck=False)
def _are_all_in(row, start, end):
    found = True
    for at in range(start, end):
        found &= bool(row[numpy.uintp(at)])
    return found
