"""Functions of arrays item by item, written as expressions of others: `clip`, `round`, `divmod`, `isclose`, `diff`.

What is one expression here is one loop in compiled code.
"""
import numpy

from ..extending import register_jitable
from ..types import Boolean, Complex, Float, Integer, Number, unliteral
from . import library
from .kinds import is_absent, is_array


def _is_numbers(ty, *kinds):
    """Whether an argument is an array of numbers, or a number, of one of these kinds if there are any."""
    item = ty.dtype if is_array(ty) else unliteral(ty)
    return isinstance(item, kinds or (Number, Boolean))


def _item(ty):
    return ty.dtype if is_array(ty) else unliteral(ty)


# Within bounds.

def _clipped(a, a_min, a_max, out):
    real = (Integer, Float)
    absent = is_absent(a_min), is_absent(a_max)
    if not _is_numbers(a, *real) or not (is_absent(out) or is_array(out)) or all(absent):
        return None
    if any(not missing and not _is_numbers(bound, *real) for missing, bound in zip(absent, (a_min, a_max))):
        return None
    if not is_absent(out):
        return {(False, False): lambda a, a_min, a_max, out: numpy.minimum(numpy.maximum(a, a_min), a_max, out),
                (True, False): lambda a, a_min, a_max, out: numpy.minimum(a, a_max, out),
                (False, True): lambda a, a_min, a_max, out: numpy.maximum(a, a_min, out)}[absent]
    return {(False, False): lambda a, a_min, a_max, out: numpy.minimum(numpy.maximum(a, a_min), a_max),
            (True, False): lambda a, a_min, a_max, out: numpy.minimum(a, a_max),
            (False, True): lambda a, a_min, a_max, out: numpy.maximum(a, a_min)}[absent]


@library(numpy.clip)
def clip(a, a_min, a_max, out=None):
    found = _clipped(a, a_min, a_max, out)
    if found:
        inner = register_jitable(found)
        return lambda a, a_min, a_max, out=None: inner(a, a_min, a_max, out)


@library("numpy.ndarray.clip")
def array_clip(self, min=None, max=None, out=None):
    found = _clipped(self, min, max, out)
    if found:
        inner = register_jitable(found)
        return lambda self, min=None, max=None, out=None: inner(self, min, max, out)


# Rounded, as NumPy does it: by way of a power of ten.

def _rounded(a, decimals, out):
    if not is_array(a) or not isinstance(unliteral(decimals), (int, Integer)) or not isinstance(a.dtype, (Integer, Float)):
        return None
    if not (is_absent(out) or is_array(out)):
        return None
    if isinstance(a.dtype, Integer):
        return None if decimals != 0 or not is_absent(out) else lambda a, decimals, out: a.copy()
    item = numpy.float32 if a.dtype.bitwidth == 32 else numpy.float64
    if is_absent(out):
        def digits(a, decimals, out):
            power = item(10.0 ** abs(decimals))
            if decimals > 0:
                return numpy.rint(a * power) / power
            if decimals < 0:
                return numpy.rint(a / power) * power
            return numpy.rint(a)
        return digits

    def digits_into(a, decimals, out):
        power = item(10.0 ** abs(decimals))
        if decimals > 0:
            return numpy.divide(numpy.rint(a * power), power, out)
        if decimals < 0:
            return numpy.multiply(numpy.rint(a / power), power, out)
        return numpy.rint(a, out)
    return digits_into


@library(numpy.around)
def around(a, decimals=0, out=None):
    found = _rounded(a, decimals, out)
    if found:
        inner = register_jitable(found)
        return lambda a, decimals=0, out=None: inner(a, decimals, out)


@library(numpy.round)
def round_(a, decimals=0, out=None):
    found = _rounded(a, decimals, out)
    if found:
        inner = register_jitable(found)
        return lambda a, decimals=0, out=None: inner(a, decimals, out)


@library("numpy.ndarray.round")
def array_round(self, decimals=0, out=None):
    found = _rounded(self, decimals, out)
    if found:
        inner = register_jitable(found)
        return lambda self, decimals=0, out=None: inner(self, decimals, out)


# Quotients and remainders.

@library(numpy.divmod)
def divmod_(x1, x2, out1=None, out2=None):
    if not (is_array(x1) or is_array(x2)) or not (_is_numbers(x1) and _is_numbers(x2)):
        return None
    if is_array(out1) and is_array(out2):
        def into(x1, x2, out1=None, out2=None):
            quotients, rests = numpy.floor_divide(x1, x2), numpy.remainder(x1, x2)
            out1[...] = quotients
            out2[...] = rests
            return out1, out2
        return into
    if is_absent(out1) and is_absent(out2):
        return lambda x1, x2, out1=None, out2=None: (numpy.floor_divide(x1, x2), numpy.remainder(x1, x2))


@library(divmod, strict=False)
def builtin_divmod(x, y):
    if (is_array(x) or is_array(y)) and _is_numbers(x) and _is_numbers(y):
        return lambda x, y: (numpy.floor_divide(x, y), numpy.remainder(x, y))


# Equal, or nearly.

@library(numpy.isclose)
def isclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    if not (is_array(a) or is_array(b)) or not (_is_numbers(a) and _is_numbers(b)):
        return None

    def close(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
        near = (abs(a - b) <= atol + rtol * abs(b)) & numpy.isfinite(b) | (a == b)
        if equal_nan:
            return near | (numpy.isnan(a) & numpy.isnan(b))
        return near

    exact = all(isinstance(_item(one), (Integer, Boolean)) for one in (a, b))
    if exact:
        return lambda a, b, rtol=1e-05, atol=1e-08, equal_nan=False: abs(a - b) <= atol + rtol * abs(b)
    return close


@library(numpy.allclose)
def allclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    if not (is_array(a) or is_array(b)) or not (_is_numbers(a) and _is_numbers(b)):
        return None
    return lambda a, b, rtol=1e-05, atol=1e-08, equal_nan=False: bool(
        numpy.all(numpy.isclose(a, b, rtol, atol, equal_nan)))


@library(numpy.array_equal)
def array_equal(a1, a2, equal_nan=False):
    if not (is_array(a1) and is_array(a2) and _is_numbers(a1) and _is_numbers(a2)) or equal_nan is not False:
        return None
    if a1.ndim != a2.ndim:
        return lambda a1, a2, equal_nan=False: False

    def equal(a1, a2, equal_nan=False):
        return a1.shape == a2.shape and bool(numpy.all(a1 == a2))
    return equal


# Differences of neighbors.

@library(numpy.diff)
def diff(a, n=1):
    if not is_array(a) or not a.ndim or not isinstance(a.dtype, (Integer, Float, Complex)):
        return None
    if n == 1:
        return lambda a, n=1: a[..., 1:] - a[..., :-1]
    if not isinstance(unliteral(n), Integer):
        return None

    def several(a, n=1):
        if n < 0:
            raise ValueError("order must be non-negative but got " + repr(n))
        made = a.copy()
        for _ in range(n):
            made = made[..., 1:] - made[..., :-1]
        return made
    return several
