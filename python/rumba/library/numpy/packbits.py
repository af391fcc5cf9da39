"""Booleans as the bits of bytes: `packbits` and `unpackbits`."""
import numpy

from ...errors import TypingError
from ...extending import register_jitable
from ...intrinsics import array_view, raise_if
from ...types import Boolean, Integer, uint8
from .. import library
from .._predicates import is_absent, is_array, is_integer
from ._axis import check_axis, literal


def _first_is_high(bitorder):
    order = literal(bitorder)
    if order not in ("big", "little"):
        raise TypingError("'order' must be either 'little' or 'big'")
    return order == "big"


# Bytes of bits.

@library(numpy.packbits, array_like="a")
def packbits(a, axis=None, bitorder="big"):
    if not is_array(a) or not isinstance(a.dtype, (Boolean, Integer)):
        raise TypingError("Expected an input array of integer or boolean data type")
    is_high = _first_is_high(bitorder)
    pack = _packer(is_high)
    if is_absent(axis) or not a.ndim:
        pack_row = _packer_of_words(is_high) if isinstance(a.dtype, Boolean) else pack

        def of_all(a, axis=None, bitorder="big"):
            bits = a.ravel()
            made = numpy.empty((bits.size + 7) // 8, numpy.uint8)
            pack_row(bits, made)
            return made
        return of_all
    if is_integer(axis):
        each = _along(a.ndim, pack, _bytes_for)
        return lambda a, axis=None, bitorder="big": each(a, axis, None)


def _packer(high):
    first, step = (7, -1) if high else (0, 1)

    @register_jitable(boundscheck=False)
    def pack(bits, made):
        whole = bits.size // 8
        for at in range(whole):
            byte = 0
            for number in range(8):
                byte |= (1 if bits[at * 8 + number] else 0) << (first + step * number)
            made[at] = byte
        if whole < made.size:
            byte = 0
            for number in range(bits.size - whole * 8):
                byte |= (1 if bits[whole * 8 + number] else 0) << (first + step * number)
            made[whole] = byte
    return pack


def _packer_of_words(high):
    """The same of contiguous booleans: a product has the lowest bits of eight bytes in its highest one."""
    factor = numpy.uint64(0x8040201008040201 if high else 0x0102040810204080)
    pack_rest = _packer(high)

    @register_jitable(boundscheck=False)
    def pack(bits, made):
        whole = bits.size // 8
        words = array_view(bits, numpy.dtype(numpy.uint64), 0, (whole,), (8,), "C")
        for at in range(whole):
            made[at] = numpy.uint8((words[at] * factor) >> numpy.uint64(56))
        pack_rest(bits[whole * 8:], made[whole:])
    return pack


def _along(ndim, change, length_of):
    """The same of each line along an axis; the length of a line follows from its length before, and from a count."""
    @register_jitable
    def along(a, axis, count):
        check_axis(a, axis)
        lines = numpy.moveaxis(a, axis, -1)
        made = numpy.empty(lines.shape[:-1] + (length_of(lines.shape[-1], count),), numpy.uint8)
        for index in numpy.ndindex(lines.shape[:-1]):
            change(lines[index], made[index])
        return numpy.ascontiguousarray(numpy.moveaxis(made, -1, axis))

    @register_jitable
    def along_row(a, axis, count):
        check_axis(a, axis)
        made = numpy.empty(length_of(a.size, count), numpy.uint8)
        change(a, made)
        return made
    return along_row if ndim == 1 else along


@register_jitable
def _bytes_for(bits, count):
    return (bits + 7) // 8


# Bits of bytes.

@library(numpy.unpackbits, array_like="a")
def unpackbits(a, axis=None, count=None, bitorder="big"):
    if not is_array(a) or a.dtype != uint8:
        raise TypingError("Expected an input array of unsigned byte data type")
    unpack = _unpacker(_first_is_high(bitorder))
    if is_absent(count):
        size_of = register_jitable(lambda size, count: size * 8)
    elif is_integer(count):
        size_of = _wanted
    else:
        return None
    if is_absent(axis) or not a.ndim:
        def of_all(a, axis=None, count=None, bitorder="big"):
            row = a.ravel()
            made = numpy.empty(size_of(row.size, count), numpy.uint8)
            unpack(row, made)
            return made
        return of_all
    if is_integer(axis):
        each = _along(a.ndim, unpack, size_of)
        return lambda a, axis=None, count=None, bitorder="big": each(a, axis, count)


@register_jitable
def _wanted(size, count):
    raise_if(count < -size * 8, "ValueError", "-count larger than number of elements")
    return count if count >= 0 else size * 8 + count


def _unpacker(high):
    first, step = (7, -1) if high else (0, 1)

    @register_jitable(boundscheck=False)
    def unpack(row, made):
        whole = min(made.size // 8, row.size)
        for at in range(whole):
            byte = row[at]
            for number in range(8):
                made[at * 8 + number] = byte >> (first + step * number) & 1
        for at in range(whole * 8, made.size):
            made[at] = row[whole] >> (first + step * (at - whole * 8)) & 1 if whole < row.size and at < whole * 8 + 8 else 0
    return unpack
