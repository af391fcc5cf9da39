"""Polynomials by their coefficients: those of `numpy` with the highest power first, those of `numpy.polynomial` with it last."""
import numpy
from numpy.polynomial import polynomial, polyutils

from ..errors import TypingError
from ..extending import register_jitable
from ..types import Boolean, Integer, Number, unliteral
from ..types.typeof import as_dtype
from . import library
from .kinds import is_array
from .likes import is_number


def _is_row(*types):
    return all(is_array(ty) and ty.ndim == 1 and isinstance(ty.dtype, (Number, Boolean)) for ty in types)


def _item(*types):
    return numpy.result_type(*(as_dtype(ty.dtype if is_array(ty) else unliteral(ty)) for ty in types)).type


def _float_item(*types):
    return numpy.result_type(_item(*types), numpy.float64).type


# Highest power first.

@library(numpy.polyval, likes="p x")
def polyval(p, x):
    if not _is_row(p) or not (is_array(x) or is_number(x)):
        return None
    item = _item(p, x)

    @register_jitable
    def value(p, x):
        made = item(0)
        for at in range(p.size):
            made = made * x + item(p[at])
        return item(made)
    return _each(value, x, item)


def _each(value, x, item):
    """A function of coefficients and a number, or each item of an array."""
    def number(p, x):
        return value(p, item(x))

    def each(p, x):
        made = numpy.empty(x.shape, item)
        row, out = x.ravel(), made.reshape(-1)
        for at in range(row.size):
            out[at] = value(p, item(row[at]))
        return made
    return each if is_array(x) else number


def _sum_of(function, sign):
    def overload(a1, a2):
        if not _is_row(a1, a2):
            return None
        item = _item(a1, a2)

        def added(a1, a2):
            size = max(a1.size, a2.size)
            made = numpy.zeros(size, item)
            for at in range(a1.size):
                made[size - a1.size + at] = a1[at]
            for at in range(a2.size):
                made[size - a2.size + at] += sign * item(a2[at])
            return made
        return added
    library(function, likes="a1 a2", numbers="a1 a2")(overload)


_sum_of(numpy.polyadd, 1)
_sum_of(numpy.polysub, -1)


@library(numpy.polymul, likes="a1 a2")
def polymul(a1, a2):
    if _is_row(a1, a2):
        return lambda a1, a2: numpy.convolve(_from_highest(a1), _from_highest(a2))


@register_jitable
def _from_highest(p):
    start = 0
    while start < p.size - 1 and p[start] == 0:
        start += 1
    return p[start:]


@library(numpy.polyder, likes="p")
def polyder(p, m=1):
    if _is_row(p) and m == 1:
        def slope(p, m=1):
            return p[:-1] * numpy.arange(p.size - 1, 0, -1)
        return slope


@library(numpy.polyint, likes="p")
def polyint(p, m=1):
    if not _is_row(p) or m != 1:
        return None
    item = _float_item(p)

    def integral(p, m=1):
        made = numpy.zeros(p.size + 1, item)
        for at in range(p.size):
            made[at] = p[at] / (p.size - at)
        return made
    return integral


# Highest power last.

@register_jitable
def _trimmed(c):
    end = c.size
    while end > 1 and c[end - 1] == 0:
        end -= 1
    return c[:end]


def _check(*types):
    if any(is_array(ty) and ty.ndim > 1 for ty in types):
        raise TypingError("Coefficient array is not 1-d")
    return _is_row(*types)


@library(polyutils.trimseq, likes="seq")
def trimseq(seq):
    if is_array(seq) and seq.ndim > 1:
        raise TypingError("Coefficient array is not 1-d")
    if _is_row(seq):
        return lambda seq: _trimmed(seq)


def _series_sum(function, sign):
    def overload(c1, c2):
        if not _check(c1, c2):
            return None
        item = _float_item(c1, c2)

        def added(c1, c2):
            made = numpy.zeros(max(c1.size, c2.size), item)
            made[:c1.size] = c1
            for at in range(c2.size):
                made[at] += sign * item(c2[at])
            return _trimmed(made)
        return added
    library(function, likes="c1 c2", numbers="c1 c2")(overload)


_series_sum(polynomial.polyadd, 1)
_series_sum(polynomial.polysub, -1)


@library(polynomial.polymul, likes="c1 c2", numbers="c1 c2")
def series_product(c1, c2):
    if _check(c1, c2):
        item = _float_item(c1, c2)
        return lambda c1, c2: _trimmed(numpy.convolve(_trimmed(c1.astype(item)), _trimmed(c2.astype(item))))


@library(polynomial.polydiv, likes="c1 c2", numbers="c1 c2")
def series_quotient(c1, c2):
    if not _check(c1, c2):
        return None
    item = _float_item(c1, c2)

    def divided(c1, c2):
        top, low = _trimmed(c1.astype(item)), _trimmed(c2.astype(item))
        highest = low[-1]
        if highest == 0:
            raise ZeroDivisionError
        if top.size < low.size:
            return top[:1] * item(0), top
        if low.size == 1:
            return top / highest, top[:1] * item(0)
        at, end, low = top.size - low.size, top.size - 1, low[:-1] / highest
        while at >= 0:
            for number in range(low.size):
                top[at + number] -= low[number] * top[end]
            at -= 1
            end -= 1
        return top[end + 1:] / highest, _trimmed(top[:end + 1])
    return divided


@library(polynomial.polyint, likes="c")
def series_integral(c, m=1):
    if not _check(c) or not isinstance(unliteral(m), (int, Integer)):
        return None
    item = _float_item(c)

    def integral(c, m=1):
        if m < 0:
            raise ValueError("The order of integration must be non-negative")
        made = c.astype(item)
        for _ in range(m):
            if not (made.size == 1 and made[0] == 0):
                longer = numpy.zeros(made.size + 1, item)
                for at in range(made.size):
                    longer[at + 1] = made[at] / (at + 1)
                made = longer
        return made
    return integral


@library(polynomial.polyval, likes="x c")
def series_value(x, c, tensor=True):
    if not _is_row(c) or not (is_array(x) or is_number(x)):
        return None
    item = _float_item(c, x)

    @register_jitable
    def value(c, x):
        made = item(c[c.size - 1])
        for at in range(c.size - 2, -1, -1):
            made = item(c[at]) + made * x
        return item(made)
    found = register_jitable(_each(value, x, item))
    return lambda x, c, tensor=True: found(c, x)
