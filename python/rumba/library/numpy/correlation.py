"""Covariance and correlation: `cov`, `corrcoef`."""
import numpy

from ...errors import TypingError
from ...extending import register_jitable
from ...intrinsics import array_view
from ...types import Boolean, Complex, Float, Integer, Number, unliteral
from ...types.typeof import as_dtype
from .. import library
from ._axis import literal
from .._predicates import is_absent, is_array


def _check(m, name):
    if not is_array(m) or not isinstance(m.dtype, (Number, Boolean)):
        raise TypingError(f"{name} is expected to be an array of numbers")
    if m.ndim > 2:
        raise TypingError(f"{name} has more than 2 dimensions")


def _rower(m, rowvar):
    """What gives the samples as rows of a matrix."""
    if m.ndim == 0:
        return register_jitable(lambda m: m.reshape(1, 1))
    if m.ndim == 1:
        return register_jitable(lambda m: m.reshape(1, m.size))
    if rowvar:
        return register_jitable(lambda m: m)
    return register_jitable(lambda m: m if m.shape[0] == 1 else m.T)


def _covariances(m, y, rowvar):
    """What gives the matrix of covariances of the rows; None if that is not known."""
    rowvar = literal(rowvar)
    if not isinstance(rowvar, (bool, int)):
        raise TypingError("rowvar must be a constant truth value")
    given = [m] if is_absent(y) else [m, y]
    item = numpy.result_type(*(as_dtype(one.dtype) for one in given), numpy.float64)
    first = _rower(m, rowvar)
    second = None if is_absent(y) else _rower(y, rowvar)

    @register_jitable
    def joined(m, y):
        one, other = first(m), second(y)
        if one.shape[1] != other.shape[1]:
            raise ValueError("m and y have incompatible dimensions")
        rows = numpy.empty((one.shape[0] + other.shape[0], one.shape[1]), item)
        rows[:one.shape[0]] = one
        rows[one.shape[0]:] = other
        return rows

    @register_jitable
    def alone(m, y):
        one = first(m)
        rows = numpy.empty(one.shape, item)
        rows[...] = one
        return rows
    rows_of = alone if second is None else joined
    conjugate = register_jitable((lambda x: x.conjugate()) if item.kind == "c" else (lambda x: x))
    conjugates = register_jitable((lambda a: numpy.conjugate(a)) if item.kind == "c" else (lambda a: a))

    @register_jitable
    def covariances(m, y, ddof):
        rows = rows_of(m, y)
        count, size = rows.shape
        for at in range(count):
            rows[at] -= numpy.mean(rows[at])
        freedom = numpy.true_divide(1.0, max(size - ddof, 0))
        result = numpy.dot(rows, conjugates(rows.T))
        for one in range(count):
            for other in range(one + 1):
                # The product of blocks need not be symmetric to the last bit.
                total = result[one, other] * freedom
                result[one, other] = total
                result[other, one] = conjugate(total)
        return result
    return covariances


def _is_alone(m, y):
    return m.ndim < 2 and is_absent(y)


@library(numpy.cov, likes="m y", numbers="m y")
def cov(m, y=None, rowvar=True, bias=False, ddof=None):
    _check(m, "m")
    if not is_absent(y):
        _check(y, "y")
    if not is_absent(ddof) and not isinstance(unliteral(ddof), (Integer, Boolean)):
        raise TypingError("ddof must be a real numerical scalar type" if not isinstance(unliteral(ddof), Float)
                          else "ddof must be integral value")
    covariances = _covariances(m, y, rowvar)
    if is_absent(ddof):
        freedom = register_jitable(lambda bias, ddof: 0 if bias else 1)
    else:
        freedom = register_jitable(lambda bias, ddof: ddof)

    def matrix(m, y=None, rowvar=True, bias=False, ddof=None):
        return covariances(m, y, freedom(bias, ddof))

    def number(m, y=None, rowvar=True, bias=False, ddof=None):
        made = covariances(m, y, freedom(bias, ddof))
        return array_view(made, made.dtype, 0, (), (), "C")
    return number if _is_alone(m, y) else matrix


@library(numpy.corrcoef, likes="x y", numbers="x y")
def corrcoef(x, y=None, rowvar=True):
    _check(x, "x")
    if not is_absent(y):
        _check(y, "y")
    covariances = _covariances(x, y, rowvar)
    is_complex = any(is_array(one) and isinstance(one.dtype, Complex) for one in (x, y))
    clipped = register_jitable(_clip_complex if is_complex else _clip)

    def matrix(x, y=None, rowvar=True):
        made = covariances(x, y, 1)
        spread = numpy.sqrt(numpy.diag(made).real)
        for one in range(made.shape[0]):
            for other in range(made.shape[0]):
                made[one, other] = clipped(numpy.true_divide(numpy.true_divide(made[one, other], spread[one]), spread[other]))
        return made

    def number(x, y=None, rowvar=True):
        made = covariances(x, y, 1)
        return (made / made)[0, 0]
    return number if _is_alone(x, y) else matrix


def _clip(value):
    return max(min(value, 1.0), -1.0) if value == value else value


def _clip_complex(value):
    return complex(_clip_part(value.real), _clip_part(value.imag))


@register_jitable
def _clip_part(value):
    return max(min(value, 1.0), -1.0) if value == value else value
