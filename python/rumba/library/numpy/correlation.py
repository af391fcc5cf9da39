"""Covariance and correlation: `cov`, `corrcoef`."""
import numpy

from ...errors import TypingError
from ...extending import register_jitable
from ...intrinsics import array_view, raise_if
from ...types import BaseTuple, Boolean, Complex, Float, Integer, Number, unliteral
from ...types.typeof import as_dtype, numpy_version
from .. import library
from ._axis import literal
from .._predicates import is_absent, is_array

# The number of dimensions is part of a type.
_ONE_ROW = "2D array containing a single row is unsupported: NumPy's result has no dimensions then. Pass the row itself, m[0]"


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
    if numpy_version() >= (2, 2):
        return register_jitable(lambda m: m.T)
    # NumPy took a single row for a row before.
    return register_jitable(lambda m: m if m.shape[0] == 1 else m.T)


def _check_weights(name, ty, kinds):
    if is_absent(ty):
        return
    if not is_array(ty) or not isinstance(ty.dtype, kinds):
        raise TypingError(f"{name} must be an array of {'integers' if name == 'fweights' else 'numbers'}")
    if ty.ndim != 1:
        raise TypingError(f"cannot handle multidimensional {name}")


def _weights_checker(name):
    misfit, negative = "incompatible numbers of samples and " + name, name + " cannot be negative"

    @register_jitable
    def check(weights, size):
        raise_if(weights.size != size, "RuntimeError", misfit)
        for one in weights:
            raise_if(one < 0, "ValueError", negative)
    return check


_check_counts, _check_importance = _weights_checker("fweights"), _weights_checker("aweights")


def _weigher(fweights, aweights):
    """What gives the weights of the samples, and the sum of their products with `aweights`."""
    @register_jitable
    def of_counts(fweights, aweights, size):
        _check_counts(fweights, size)
        weights = fweights.astype(numpy.float64)
        return weights, weights.sum()

    @register_jitable
    def of_importance(fweights, aweights, size):
        _check_importance(aweights, size)
        weights = aweights.astype(numpy.float64)
        return weights, numpy.sum(weights * weights)

    @register_jitable
    def of_both(fweights, aweights, size):
        _check_counts(fweights, size)
        _check_importance(aweights, size)
        weights = fweights * aweights.astype(numpy.float64)
        return weights, numpy.sum(weights * aweights)
    if is_absent(aweights):
        return of_counts
    return of_importance if is_absent(fweights) else of_both


def _weighted(m, y, rowvar, fweights, aweights):
    """What gives the matrix of covariances of the rows of weighted samples."""
    rows_of, item = _samples(m, y, rowvar)
    weights_of, has_importance = _weigher(fweights, aweights), not is_absent(aweights)
    conjugates = register_jitable((lambda a: numpy.conjugate(a)) if item.kind == "c" else (lambda a: a))

    @register_jitable
    def covariances(m, y, ddof, fweights, aweights):
        rows = rows_of(m, y)
        weights, squares = weights_of(fweights, aweights, rows.shape[1])
        total = weights.sum()
        raise_if(total == 0, "ZeroDivisionError", "Weights sum to zero, can't be normalized")
        for at in range(rows.shape[0]):
            rows[at] -= numpy.sum(rows[at] * weights) / total
        if ddof == 0:
            freedom = total
        elif has_importance:
            freedom = total - ddof * squares / total
        else:
            freedom = total - ddof
        return numpy.dot(rows, conjugates((rows * weights).T)) * numpy.true_divide(1.0, max(freedom, 0.0))
    return covariances


def _samples(m, y, rowvar):
    """What gives the samples as rows of a new matrix, and the type of its items."""
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
    return alone if second is None else joined, item


def _covariances(m, y, rowvar):
    """What gives the matrix of covariances of the rows."""
    rows_of, item = _samples(m, y, rowvar)
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


def _is_told_later(rowvar):
    """Whether it is known at run time alone if the rows are the variables."""
    return isinstance(literal(rowvar), (Boolean, Integer))


def _is_alone(m, y):
    return m.ndim < 2 and is_absent(y)


def _whole(bias, ddof):
    # This is so of no NaN and of no infinite number.
    if not ddof - ddof == 0.0 or ddof != numpy.floor(ddof):
        raise ValueError("ddof must be integer")
    return numpy.int64(ddof)


def _is_one_row(ty):
    """Whether a type is a tuple of one tuple of numbers: the length is known, so NumPy's result without dimensions is, too."""
    return (isinstance(ty, BaseTuple) and len(ty) == 1 and isinstance(ty[0], BaseTuple)
            and all(isinstance(unliteral(item), (Number, Boolean)) for item in ty[0]))


@library(numpy.cov, strict=False)
def cov_of_one_row(m, y=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None):
    if _is_one_row(m) and is_absent(y) and literal(rowvar) is True:
        return lambda m, y=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None: (
            numpy.cov(m[0], None, True, bias, ddof, fweights, aweights))


@library(numpy.cov, array_like="m y fweights aweights", scalars="m y", strict=False)
def cov(m, y=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None):
    _check(m, "m")
    if not is_absent(y):
        _check(y, "y")
    if _is_told_later(rowvar):
        of_rows, of_columns = (register_jitable(cov(m, y, known, bias, ddof, fweights, aweights)) for known in (True, False))
        return lambda m, y=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None: (
            of_rows(m, y, True, bias, ddof, fweights, aweights) if rowvar
            else of_columns(m, y, False, bias, ddof, fweights, aweights))
    if not is_absent(ddof) and not isinstance(unliteral(ddof), (Integer, Boolean, Float)):
        raise TypingError("ddof must be a real numerical scalar type")
    _check_weights("fweights", fweights, Integer)
    _check_weights("aweights", aweights, (Integer, Float))
    is_weighted = not is_absent(fweights) or not is_absent(aweights)
    if is_weighted:
        covariances = _weighted(m, y, rowvar, fweights, aweights)
    else:
        plain = _covariances(m, y, rowvar)
        covariances = register_jitable(lambda m, y, ddof, fweights, aweights: plain(m, y, ddof))
    if is_absent(ddof):
        freedom = register_jitable(lambda bias, ddof: 0 if bias else 1)
    elif isinstance(unliteral(ddof), Float):
        freedom = register_jitable(_whole)
    else:
        freedom = register_jitable(lambda bias, ddof: ddof)

    def matrix(m, y=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None):
        made = covariances(m, y, freedom(bias, ddof), fweights, aweights)
        raise_if(made.shape[0] == 1, "RuntimeError", _ONE_ROW)
        return made

    def number(m, y=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None):
        made = covariances(m, y, freedom(bias, ddof), fweights, aweights)
        return array_view(made, made.dtype, 0, (), (), "C")
    return number if _is_alone(m, y) else matrix


@library(numpy.corrcoef)
def corrcoef_of_one_row(x, y=None, rowvar=True):
    if _is_one_row(x) and is_absent(y) and literal(rowvar) is True:
        return lambda x, y=None, rowvar=True: numpy.corrcoef(x[0])


@library(numpy.corrcoef, array_like="x y", scalars="x y")
def corrcoef(x, y=None, rowvar=True):
    _check(x, "x")
    if not is_absent(y):
        _check(y, "y")
    if _is_told_later(rowvar):
        of_rows, of_columns = register_jitable(corrcoef(x, y, True)), register_jitable(corrcoef(x, y, False))
        return lambda x, y=None, rowvar=True: of_rows(x, y, True) if rowvar else of_columns(x, y, False)
    covariances = _covariances(x, y, rowvar)
    is_complex = any(is_array(one) and isinstance(one.dtype, Complex) for one in (x, y))
    clipped = register_jitable(_clip_complex if is_complex else _clip)

    def matrix(x, y=None, rowvar=True):
        made = covariances(x, y, 1)
        raise_if(made.shape[0] == 1, "RuntimeError", _ONE_ROW)
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
