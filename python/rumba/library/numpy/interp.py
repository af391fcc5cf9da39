"""Linear interpolation: `interp`."""
import numpy

from ...errors import TypingError
from ...extending import register_jitable
from ...intrinsics import raise_if
from ...types import Boolean, Complex, Float, Integer, unliteral
from .. import library
from .._predicates import is_absent, is_array, is_numeric_array
from .._array_like import is_number


def _is_real(ty):
    return isinstance(ty.dtype if is_array(ty) else unliteral(ty), (Integer, Float, Boolean))


def _interpolator(is_complex):
    item = numpy.complex128 if is_complex else numpy.float64

    @register_jitable
    def real(left_x, right_x, left_y, right_y, x):
        slope = (right_y - left_y) / (right_x - left_x)
        made = slope * (x - left_x) + left_y
        if made != made:
            made = slope * (x - right_x) + right_y
            if made != made and left_y == right_y:
                made = left_y
        return made

    @register_jitable
    def part(left_x, right_x, left_y, right_y, inverse, x):
        slope = (right_y - left_y) * inverse
        made = slope * (x - left_x) + left_y
        if made != made:
            made = slope * (x - right_x) + right_y
            if made != made and left_y == right_y:
                made = left_y
        return made

    @register_jitable
    def both(left_x, right_x, left_y, right_y, x):
        inverse = 1.0 / (right_x - left_x)
        return complex(part(left_x, right_x, left_y.real, right_y.real, inverse, x),
                       part(left_x, right_x, left_y.imag, right_y.imag, inverse, x))
    between = both if is_complex else real

    @register_jitable
    def value(x, xp, fp, at):
        if at == xp.size - 1 or xp[at] == x:
            return fp[at]
        return between(xp[at], xp[at + 1], fp[at], fp[at + 1], x)

    @register_jitable
    def only(x, xp, fp, left, right):
        return left if x < xp[0] else right if x > xp[0] else fp[0]

    @register_jitable
    def interpolate(x, xp, fp, left, right, guess):
        """The value at an index, and between which samples it lies."""
        if xp.size == 1:
            return only(x, xp, fp, left, right), 0
        if x != x:
            return item(x), guess
        if x > xp[xp.size - 1]:
            return right, xp.size
        if x < xp[0]:
            return left, -1
        at = _index_of(x, xp, guess)
        return value(x, xp, fp, at), at
    return interpolate


# So many indices from the last one are looked at before all are.
_NEAR = 8


@register_jitable
def _index_of(x, xp, guess):
    """The last sample that is not beyond x, which lies between the first and the last. Those around the one that was
    found before are looked at first, in NumPy's order, which decides what is found if the samples are not in order."""
    size = xp.size
    if size <= 4:
        at = 1
        while at < size and x >= xp[at]:
            at += 1
        return at - 1
    guess = min(max(guess, 1), size - 3)
    low, high = 0, size
    if x < xp[guess]:
        if not x < xp[guess - 1]:
            return guess - 1
        high = guess - 1
        if guess > _NEAR and x >= xp[guess - _NEAR]:
            low = guess - _NEAR
    elif x < xp[guess + 1]:
        return guess
    elif x < xp[guess + 2]:
        return guess + 1
    else:
        low = guess + 2
        if guess + _NEAR < size - 1 and x < xp[guess + _NEAR]:
            high = guess + _NEAR
    while low < high:
        middle = (low + high) // 2
        # Which half it is cannot be predicted: both ends are chosen, not branched to.
        beyond = x >= xp[middle]
        low, high = middle + 1 if beyond else low, high if beyond else middle
    return low - 1


def _is_given(ty):
    return is_absent(ty) or is_number(ty)


@library(numpy.interp, array_like="x xp fp")
def interp(x, xp, fp, left=None, right=None):
    if not (is_array(x) or is_number(x)) or not _is_real(x):
        if is_array(x) and isinstance(x.dtype, Complex) or isinstance(unliteral(x), Complex):
            raise TypingError("Cannot cast array data from complex dtype to float64 dtype")
        return None
    if not is_numeric_array(xp) or not is_numeric_array(fp) or not _is_given(left) or not _is_given(right):
        return None
    if xp.ndim != 1 or fp.ndim != 1:
        raise TypingError("xp must be 1D" if xp.ndim != 1 else "fp must be 1D")
    if isinstance(xp.dtype, Complex):
        raise TypingError("Cannot cast array data from complex dtype to float64 dtype")
    is_complex = isinstance(fp.dtype, Complex)
    item, value = numpy.complex128 if is_complex else numpy.float64, _interpolator(is_complex)
    first = register_jitable((lambda given, y: y) if is_absent(left) else lambda given, y: item(given))
    last = register_jitable((lambda given, y: y) if is_absent(right) else lambda given, y: item(given))

    def one(x, xp, fp, left=None, right=None):
        raise_if(xp.size == 0, "ValueError", "array of sample points is empty")
        raise_if(xp.size != fp.size, "ValueError", "fp and xp are not of the same length.")
        indices, values = xp.astype(numpy.float64), fp.astype(item)
        return value(float(x), indices, values, first(left, values[0]), last(right, values[-1]), 0)[0]

    def each(x, xp, fp, left=None, right=None):
        raise_if(xp.size == 0, "ValueError", "array of sample points is empty")
        raise_if(xp.size != fp.size, "ValueError", "fp and xp are not of the same length.")
        indices, values = numpy.asarray(xp, numpy.float64), numpy.asarray(fp, item)
        low, high = first(left, values[0]), last(right, values[-1])
        made = numpy.empty(x.shape, item)
        row, out, near = x.ravel(), made.reshape(-1), 0
        for at in range(row.size):
            out[at], near = value(float(row[at]), indices, values, low, high, near)
        return made
    return each if is_array(x) else one
