"""Polynomials of `numpy` by their coefficients, highest power first. Those of `numpy.polynomial` are in `polynomial`.
"""
import numpy

from ...errors import TypingError
from ...extending import register_jitable
from ...intrinsics import raise_if
from ...types import Boolean, Complex, Float, Integer, Number, unliteral
from ...types.typeof import as_dtype
from .. import library
from .._predicates import is_array
from .._array_like import is_number


def _is_row(*types):
    return all(is_array(ty) and ty.ndim == 1 and isinstance(ty.dtype, (Number, Boolean)) for ty in types)


def _item(*types):
    return numpy.result_type(*(as_dtype(ty.dtype if is_array(ty) else unliteral(ty)) for ty in types)).type


def _float_item(*types):
    return numpy.result_type(_item(*types), numpy.float64).type


@library(numpy.polyval, array_like="p x")
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


def _joined_by(function, join):
    join = register_jitable(join)

    def overload(a1, a2):
        if not _is_row(a1, a2):
            return None
        first, second = _padder(a1), _padder(a2)

        def joined(a1, a2):
            size = max(a1.size, a2.size)
            return join(first(a1, size), second(a2, size))
        return joined
    library(function, array_like="a1 a2", scalars="a1 a2")(overload)


def _padder(ty):
    """What puts zeros in front of coefficients, so that there are so many."""
    item = as_dtype(ty.dtype)

    @register_jitable
    def padded(row, size):
        made = numpy.zeros(size, item)
        made[size - row.size:] = row
        return made
    return padded


_joined_by(numpy.polyadd, lambda a, b: a + b)
_joined_by(numpy.polysub, lambda a, b: a - b)


@library(numpy.polymul, array_like="a1 a2")
def polymul(a1, a2):
    if _is_row(a1, a2):
        return lambda a1, a2: numpy.convolve(_from_highest(a1), _from_highest(a2))


@register_jitable
def _from_highest(p):
    if p.size == 0:
        return numpy.zeros(1, p.dtype)
    start = 0
    while start < p.size - 1 and p[start] == 0:
        start += 1
    return p[start:].copy()


@library(numpy.polyder, array_like="p")
def polyder(p, m=1):
    if not _is_row(p) or not isinstance(unliteral(m), (int, Integer)):
        return None
    if m == 1:
        def slope(p, m=1):
            return p[:-1] * numpy.arange(p.size - 1, 0, -1)
        return slope
    item = numpy.result_type(as_dtype(p.dtype), numpy.int64)

    def slope_of_order(p, m=1):
        raise_if(m < 0, "ValueError", "Order of derivative must be positive (see polyint)")
        made = p.astype(item)
        for _ in range(m):
            made = made[:-1] * numpy.arange(made.size - 1, 0, -1)
        return made
    return slope_of_order


@library(numpy.polyint, array_like="p")
def polyint(p, m=1):
    if not _is_row(p) or not isinstance(unliteral(m), (int, Integer)):
        return None
    item = _float_item(p)

    @register_jitable
    def once(p):
        made = numpy.zeros(p.size + 1, item)
        for at in range(p.size):
            made[at] = p[at] / (p.size - at)
        return made

    def integral(p, m=1):
        raise_if(m < 0, "ValueError", "Order of integral must be positive (see polyder)")
        made = p.astype(item)
        for _ in range(m):
            made = once(made)
        return made
    return integral if m != 1 else lambda p, m=1: once(p)


@library(numpy.polydiv, array_like="u v")
def polydiv(u, v):
    if not _is_row(u, v):
        return None
    item = _float_item(u, v) if not any(isinstance(one.dtype, (Float, Complex)) for one in (u, v)) else _item(u, v)

    def divided(u, v):
        rest, low = u.astype(item), v.astype(item)
        steps, scale = rest.size - low.size + 1, item(1) / low[0]
        made = numpy.zeros(max(steps, 1), item)
        for at in range(steps):
            made[at] = scale * rest[at]
            for index in range(low.size):
                rest[at + index] -= made[at] * low[index]
        start = 0
        while start < rest.size - 1 and abs(rest[start]) <= 1e-8:
            start += 1
        return made, rest[start:].copy()
    return divided


@library(numpy.poly, array_like="seq_of_zeros")
def poly(seq_of_zeros):
    """Of real roots alone: whether coefficients are real depends on complex ones."""
    if not _is_row(seq_of_zeros) or isinstance(seq_of_zeros.dtype, Complex):
        return None
    item = as_dtype(seq_of_zeros.dtype).type if isinstance(seq_of_zeros.dtype, Float) else numpy.float64

    def coefficients(seq_of_zeros):
        made = numpy.ones(1, item)
        factor = numpy.ones(2, item)
        for root in seq_of_zeros:
            factor[1] = -item(root)
            made = numpy.convolve(made, factor)
        return made
    return coefficients


@library(numpy.roots, array_like="p")
def roots(p):
    if is_array(p) and p.ndim != 1:
        raise TypingError("Input must be a rank-1 array.")
    if not _is_row(p):
        return None
    item = _float_item(p) if not isinstance(p.dtype, (Float, Complex)) else as_dtype(p.dtype).type

    def found(p):
        start, end = 0, p.size
        while start < end and p[start] == 0:
            start += 1
        while end > start and p[end - 1] == 0:
            end -= 1
        size = max(end - start - 1, 0)
        # Roots at zero, one for each power that has none below it, come behind the others.
        made = numpy.zeros(size + (p.size - end if end > start else 0), item)
        if size:
            companion = numpy.zeros((size, size), item)
            for at in range(size):
                companion[0, at] = -item(p[start + 1 + at]) / item(p[start])
            for at in range(1, size):
                companion[at, at - 1] = 1
            made[:size] = numpy.linalg.eigvals(companion)
        return made
    return found
