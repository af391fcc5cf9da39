"""What follows from sums and extremes: `var`, `std`, `ptp`, running sums, and the functions that pass over NaN."""
import numpy

from ..errors import TypingError
from ..extending import register_jitable
from ..special import raise_if
from ..types import Boolean, Complex, Float, Integer, Number, float32, float64, unliteral
from . import library, rows
from .kinds import is_array


def _is_numbers(ty):
    return is_array(ty) and isinstance(ty.dtype, (Number, Boolean))


def _inexact(item):
    """The class of means."""
    return rows.class_of(item) if isinstance(item, (Float, Complex)) else numpy.float64


@register_jitable
def _is_number(item):
    return item == item


@register_jitable
def _is_kept(item):
    return True


def _without(item, value):
    """What copies an array to a row with a value in the place of NaN; what counts the other items."""
    kept = _is_number if isinstance(item, (Float, Complex)) else _is_kept

    @register_jitable
    def clean(a):
        row = a.flatten()
        for at in range(row.size):
            if not kept(row[at]):
                row[at] = value
        return row

    @register_jitable
    def count(a):
        total = 0
        for item in a.flat:
            total += kept(item)
        return total
    return clean, count


# Variances.

def _variance(array, skips):
    """The mean of the squared distances from the mean; with `skips`, of those that are not NaN."""
    item, made = array.dtype, _inexact(array.dtype)
    part = {numpy.complex64: numpy.float32, numpy.complex128: numpy.float64}.get(made, made)
    add, divide = rows.summer(item, made), rows.divider(made)
    add_squares = rows.summer(float32 if part is numpy.float32 else float64, part)
    divide_squares = rows.divider(part)
    square = _square_complex if isinstance(item, Complex) else _square
    clean, count = _without(item, 0)
    kept = _is_number if skips and isinstance(item, (Float, Complex)) else _is_kept

    @register_jitable
    def variance(a, ddof):
        items = a.ravel()
        number = count(items) if skips else items.size
        mean = divide(add(clean(items) if skips else items), number)
        squares = numpy.empty(items.size, part)
        for at in range(items.size):
            squares[at] = square(made(items[at]) - mean) if kept(items[at]) else part(0)
        freedom = max(number - ddof, 0)
        if skips and freedom == 0:
            return part(numpy.nan)
        return divide_squares(add_squares(squares), freedom)
    return variance


@register_jitable
def _square(item):
    return item * item


@register_jitable
def _square_complex(item):
    return item.real * item.real + item.imag * item.imag


def _spread(names, root, skips):
    def find(array, ddof):
        if not _is_numbers(array) or not (isinstance(ddof, int) or isinstance(unliteral(ddof), Integer)):
            return None
        variance = _variance(array, skips)

        @register_jitable
        def deviation(a, ddof):
            return numpy.sqrt(variance(a, ddof))
        return deviation if root else variance

    def function(a, *, ddof=0):
        found = find(a, ddof)
        if found:
            return lambda a, *, ddof=0: found(a, ddof)

    def method(self, *, ddof=0):
        found = find(self, ddof)
        if found:
            return lambda self, *, ddof=0: found(self, ddof)
    for name in names:
        library(name)(method if isinstance(name, str) else function)


_spread([numpy.var, "numpy.ndarray.var"], False, False)
_spread([numpy.std, "numpy.ndarray.std"], True, False)
_spread([numpy.nanvar], False, True)
_spread([numpy.nanstd], True, True)


@library(numpy.ptp)
def ptp(a):
    if not _is_numbers(a):
        return None
    if isinstance(a.dtype, Boolean):
        raise TypingError("Boolean dtype is unsupported (as per NumPy)")
    made = rows.class_of(a.dtype)

    def distance(a):
        return made(numpy.max(a) - numpy.min(a))
    return distance


# Running sums and products.

def _running(names, start, skips):
    def find(array):
        if not _is_numbers(array):
            return None
        made = rows.sum_type(array.dtype)
        clean, _ = _without(array.dtype, start)

        @register_jitable
        def sums(a):
            items = clean(a) if skips else a.ravel()
            result, total = numpy.empty(items.size, numpy.dtype(made)), made(0)
            for at in range(items.size):
                total += made(items[at])
                result[at] = total
            return result

        @register_jitable
        def products(a):
            items = clean(a) if skips else a.ravel()
            result, total = numpy.empty(items.size, numpy.dtype(made)), made(1)
            for at in range(items.size):
                total *= made(items[at])
                result[at] = total
            return result
        return products if start else sums

    def function(a):
        found = find(a)
        if found:
            return lambda a: found(a)

    def method(self):
        found = find(self)
        if found:
            return lambda self: found(self)
    for name in names:
        library(name)(method if isinstance(name, str) else function)


_running([numpy.cumsum, "numpy.ndarray.cumsum"], 0, False)
_running([numpy.cumprod, "numpy.ndarray.cumprod"], 1, False)
_running([numpy.nancumsum], 0, True)
_running([numpy.nancumprod], 1, True)


# What passes over NaN.

@library(numpy.nansum)
def nansum(a):
    if _is_numbers(a):
        clean, _ = _without(a.dtype, 0)
        return lambda a: numpy.sum(clean(a))


@library(numpy.nanprod)
def nanprod(a):
    if _is_numbers(a):
        clean, _ = _without(a.dtype, 1)
        return lambda a: numpy.prod(clean(a))


@library(numpy.nanmean)
def nanmean(a):
    if _is_numbers(a):
        made = _inexact(a.dtype)
        add, divide = rows.summer(a.dtype, made), rows.divider(made)
        clean, count = _without(a.dtype, 0)
        return lambda a: divide(add(clean(a)), count(a))


def _nan_extreme(function, plain, greatest):
    refusal = f"zero-size array to reduction operation {'fmax' if greatest else 'fmin'} which has no identity"

    def extreme(a):
        if not _is_numbers(a) or isinstance(a.dtype, Complex):
            return None
        if not isinstance(a.dtype, Float):
            return lambda a: plain(a)

        def least(a):
            raise_if(a.size == 0, "ValueError", refusal)
            best = a.flat[0]
            for item in a.flat:
                best = item if (item > best if greatest else item < best) or best != best else best
            return best
        return least
    library(function)(extreme)


_nan_extreme(numpy.nanmin, numpy.min, False)
_nan_extreme(numpy.nanmax, numpy.max, True)
