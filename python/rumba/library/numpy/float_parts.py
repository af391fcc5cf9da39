"""Elementwise parts of numbers: `modf` and `frexp` of arrays, `bitwise_count`."""
import numpy

from ...extending import register_jitable
from ...types import Boolean, Integer, Number, unliteral
from ...types.typeof import as_dtype
from .. import library
from .._predicates import is_array


def _parts(function):
    """Registers a function of two results for arrays; numbers the compiler has itself."""
    def choose(x, /):
        if not is_array(x) or not isinstance(x.dtype, (Number, Boolean)) or as_dtype(x.dtype).kind == "c":
            return None
        first, second = (made.dtype for made in function(numpy.zeros(1, as_dtype(x.dtype))))
        of = first.type

        def parts(x, /):
            one, other = numpy.empty_like(x, dtype=first), numpy.empty_like(x, dtype=second)
            row, rest, at = one.flat, other.flat, 0
            for item in x.flat:
                row[at], rest[at] = function(of(item))
                at += 1
            return one, other

        def parts_of_row(x, /):
            one, other = numpy.empty(x.size, first), numpy.empty(x.size, second)
            for at in range(x.size):
                one[at], other[at] = function(of(x[at]))
            return one, other
        if x.ndim == 1 and function is numpy.frexp and of is numpy.float64:
            return _frexp_of_row
        return parts_of_row if x.ndim == 1 else parts if x.ndim else (lambda x, /: function(of(x[()])))
    library(function, strict=False)(choose)


_EXPONENT = 2047 << 52


def _frexp_of_row(x, /):
    """Of normal numbers, the exponent is taken out of the bits, in a loop that is vectorized."""
    one, other = numpy.empty(x.size, numpy.float64), numpy.empty(x.size, numpy.int32)
    has_others = False
    for at in range(x.size):
        bits = numpy.float64(x[at]).view(numpy.int64)
        exponent = (bits & _EXPONENT) >> 52
        one[at] = numpy.int64((bits & ~_EXPONENT) | (1022 << 52)).view(numpy.float64)
        other[at] = exponent - 1022
        has_others |= (exponent == 0) | (exponent == 2047)
    if has_others:
        for at in range(x.size):
            exponent = numpy.float64(x[at]).view(numpy.int64) & _EXPONENT
            if exponent == 0 or exponent == _EXPONENT:
                one[at], other[at] = numpy.frexp(numpy.float64(x[at]))
    return one, other


_parts(numpy.modf)
_parts(numpy.frexp)


@register_jitable
def _ones(word):
    """How many bits are set (Warren, Hacker's Delight, 5-1)."""
    word = word - ((word >> numpy.uint64(1)) & numpy.uint64(0x5555555555555555))
    word = (word & numpy.uint64(0x3333333333333333)) + ((word >> numpy.uint64(2)) & numpy.uint64(0x3333333333333333))
    word = (word + (word >> numpy.uint64(4))) & numpy.uint64(0x0F0F0F0F0F0F0F0F)
    return numpy.uint8((word * numpy.uint64(0x0101010101010101)) >> numpy.uint64(56))


@register_jitable
def _count_signed(number):
    wide = numpy.int64(number)
    return _ones(numpy.uint64(-wide if wide < 0 else wide))


@register_jitable
def _count_unsigned(number):
    return _ones(numpy.uint64(number))


@library(getattr(numpy, "bitwise_count", None), strict=False)
def bitwise_count(x, /):
    item = x.dtype if is_array(x) else unliteral(x)
    if not isinstance(item, Integer):
        return None
    count = _count_signed if item.signed else _count_unsigned
    if not is_array(x):
        return lambda x, /: count(x)

    def counts(x, /):
        made, at = numpy.empty_like(x, dtype=numpy.uint8), 0
        row = made.flat
        for one in x.flat:
            row[at] = count(one)
            at += 1
        return made

    def counts_of_row(x, /):
        made = numpy.empty(x.size, numpy.uint8)
        for at in range(x.size):
            made[at] = count(x[at])
        return made
    return counts_of_row if x.ndim == 1 else counts if x.ndim else (lambda x, /: count(x[()]))
