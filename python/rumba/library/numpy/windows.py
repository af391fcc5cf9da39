"""Windows: `bartlett`, `blackman`, `hamming`, `hanning`, `kaiser`; the Bessel function `i0`.

`i0` is the sum of Chebyshev series that NumPy uses (Cephes, S. L. Moshier).
"""
import sys

import numpy

from ...errors import TypingError
from ...extending import register_jitable
from ...types import Boolean, Float, Integer, float32, unliteral
from .. import library
from .._predicates import is_array

# NumPy 2 made the module private.
_base = sys.modules.get("numpy.lib._function_base_impl") or sys.modules["numpy.lib.function_base"]
_NEAR, _FAR = tuple(map(float, _base._i0A)), tuple(map(float, _base._i0B))


def _window(function, weigh):
    name = function.__name__

    def overload(M):
        if not isinstance(unliteral(M), (Integer, Boolean)):
            raise TypingError("M must be an integer")

        def window(M):
            if M < 1:
                return numpy.empty(0, numpy.float64)
            if M == 1:
                return numpy.ones(1)
            made = numpy.empty(M, numpy.float64)
            for at in range(M):
                made[at] = weigh(numpy.float64(2 * at + 1 - M), M - 1)
            return made
        window.__name__ = name
        return window
    library(function)(overload)


@register_jitable
def _triangle(n, most):
    return 1 + n / most if n <= 0 else 1 - n / most


@register_jitable
def _blackman(n, most):
    return 0.42 + 0.5 * numpy.cos(numpy.pi * n / most) + 0.08 * numpy.cos(2.0 * numpy.pi * n / most)


@register_jitable
def _hamming(n, most):
    return 0.54 + 0.46 * numpy.cos(numpy.pi * n / most)


@register_jitable
def _hanning(n, most):
    return 0.5 + 0.5 * numpy.cos(numpy.pi * n / most)


_window(numpy.bartlett, _triangle)
_window(numpy.blackman, _blackman)
_window(numpy.hamming, _hamming)
_window(numpy.hanning, _hanning)


# Bessel functions.

@register_jitable
def _series(x, values):
    b0, b1, b2 = values[0], 0.0, 0.0
    for at in range(1, len(values)):
        b2, b1 = b1, b0
        b0 = x * b1 - b2 + values[at]
    return 0.5 * (b0 - b2)


@register_jitable
def _i0(x):
    x = abs(x)
    if x <= 8.0:
        return numpy.exp(x) * _series(x / 2.0 - 2.0, _NEAR)
    return numpy.exp(x) * _series(32.0 / x - 2.0, _FAR) / numpy.sqrt(x)


@library(numpy.i0, array_like="x", scalars="x")
def i0(x):
    if not is_array(x) or not isinstance(x.dtype, (Integer, Float, Boolean)):
        return None

    item = numpy.float32 if x.dtype == float32 else numpy.float64

    def each(x):
        made = numpy.empty(x.shape, item)
        row, at = made.reshape(-1), 0
        for value in x.flat:
            row[at] = _i0(float(value))
            at += 1
        return made
    return each


@library(numpy.kaiser)
def kaiser(M, beta):
    if not isinstance(unliteral(M), (Integer, Boolean)):
        raise TypingError("M must be an integer")
    if not isinstance(unliteral(beta), (Integer, Float, Boolean)):
        raise TypingError("beta must be an integer or float")

    def window(M, beta):
        if M < 1:
            return numpy.empty(0, numpy.float64)
        if M == 1:
            return numpy.ones(1)
        made, middle = numpy.empty(M, numpy.float64), (M - 1) / 2.0
        for at in range(M):
            part = (at - middle) / middle
            made[at] = _i0(beta * numpy.sqrt(1 - part * part)) / _i0(numpy.float64(beta))
        return made
    return window
