"""Polynomials of `numpy.polynomial` by their coefficients, highest power last."""
import numpy
from numpy.polynomial import polynomial, polyutils

from ...errors import TypingError
from ...extending import Effects, register_jitable
from ...types import BaseTuple, Boolean, Integer, Number, unliteral
from ...types.typeof import as_dtype
from .. import library
from ._axis import literal
from .._predicates import is_array, is_list, length
from .._array_like import is_number, is_sequence


def _item(ty):
    """The type of the numbers in an array or a list, or of a number."""
    if is_list(ty):
        return _item(ty.dtype)
    return as_dtype(ty.dtype if is_array(ty) else unliteral(ty))


def _common(*types):
    """The type of floats or complex numbers that coefficients of several types have together."""
    items = map(_item, types)
    return numpy.result_type(*(item if item.kind in "fc" else numpy.dtype(numpy.float64) for item in items))


def _series_item(*types):
    """The same for functions that take several series: NumPy's of truth values have no common type."""
    if any(_item(ty).kind == "b" for ty in types):
        raise TypingError("Coefficient arrays have no common type: truth values are no coefficients")
    return _common(*types)


def _check(name, ty, most=1):
    """Whether an argument may be coefficients."""
    if not is_array(ty):
        raise TypingError(f'The argument "{name}" must be array-like')
    if not isinstance(ty.dtype, (Number, Boolean)):
        raise TypingError("Input dtype must be scalar.")
    if most and ty.ndim > most:
        raise TypingError("Coefficient array is not 1-d")


@register_jitable
def _trimmed(c):
    end = len(c)
    while end > 1 and c[end - 1] == 0:
        end -= 1
    return c[:end]


@library(polyutils.trimseq, effects=Effects(returns="seq"))
def trimseq(seq):
    if is_array(seq) and seq.ndim > 1:
        raise TypingError("Coefficient array is not 1-d")
    if isinstance(seq, BaseTuple):
        raise TypingError(f'Unsupported type {seq!r} for argument "seq": its length would depend on its values')
    if not is_list(seq) and length(seq):
        return lambda seq: _trimmed(list(seq))
    if not is_list(seq) and not (is_array(seq) and seq.ndim == 1):
        raise TypingError('The argument "seq" must be array-like')
    return lambda seq: _trimmed(seq)


# Series.

@register_jitable
def _as_array(values):
    return numpy.asarray(values)


def _with_arrays(alist, trim=True):
    """Asks again with a tuple of arrays in the place of a list or a tuple with lists."""
    return polyutils.as_series(tuple(map(_as_array, alist)), trim)


def _rows(ty):
    """The types of the series in an argument of `as_series`: of each, or of all."""
    if isinstance(ty, BaseTuple):
        return tuple(ty)
    if is_list(ty) or is_array(ty) and ty.ndim == 1:
        return (ty.dtype,)
    if is_array(ty) and ty.ndim == 2:
        return (ty.copy(ndim=1),)
    if is_array(ty):
        raise TypingError("Coefficient array is not 1-d")
    raise TypingError('The argument "alist" must be array-like')


@library(polyutils.as_series)
def as_series(alist, trim=True):
    if not isinstance(literal(trim), bool) and not isinstance(unliteral(trim), Boolean):
        raise TypingError('The argument "trim" must be boolean')
    items = alist if isinstance(alist, BaseTuple) else ()
    if any(map(is_sequence, items)) or length(alist) and not items:
        return _with_arrays
    for ty in _rows(alist):
        if is_array(ty) and ty.ndim > 1:
            raise TypingError("Coefficient array is not 1-d")
        if not (is_array(ty) or is_sequence(ty) or is_number(ty)):
            raise TypingError('The argument "alist" must be array-like')
    item = _series_item(*_rows(alist))

    @register_jitable
    def one(values, trim):
        row = numpy.atleast_1d(numpy.asarray(values)).astype(item)
        if row.size == 0:
            raise ValueError("Coefficient array is empty")
        return _trimmed(row) if trim else row

    def each(alist, trim=True):
        made = []
        for values in alist:
            made.append(one(values, trim))
        return made
    return each


def _of_two(function, make):
    """Registers a function of two series; `make` gives what is called with two rows of a type."""
    def overload(c1, c2):
        _check("c1", c1)
        _check("c2", c2)
        item = _series_item(c1, c2)
        found = register_jitable(make(item.type))

        def of_rows(c1, c2):
            one, other = numpy.atleast_1d(c1).astype(item), numpy.atleast_1d(c2).astype(item)
            if one.size == 0 or other.size == 0:
                raise ValueError("Coefficient array is empty")
            return found(_trimmed(one), _trimmed(other))
        return of_rows
    library(function, array_like="c1 c2", scalars="c1 c2")(overload)


def _sum(sign):
    def make(item):
        def added(c1, c2):
            made = numpy.zeros(max(c1.size, c2.size), item)
            made[:c1.size] = c1
            for at in range(c2.size):
                made[at] += sign * c2[at]
            return _trimmed(made)
        return added
    return make


def _product(item):
    return lambda c1, c2: _trimmed(numpy.convolve(c1, c2))


def _quotient(item):
    def divided(top, low):
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


_of_two(polynomial.polyadd, _sum(1))
_of_two(polynomial.polysub, _sum(-1))
_of_two(polynomial.polymul, _product)
_of_two(polynomial.polydiv, _quotient)


@library(polynomial.polyint, array_like="c", scalars="c")
def polyint(c, m=1):
    _check("c", c, most=0)
    if not isinstance(unliteral(m), (int, Integer)):
        raise TypingError('The argument "m" must be an integer')
    item, rest = _common(c), (slice(None),) * (c.ndim - 1)

    def integral(c, m=1):
        if m < 0:
            raise ValueError("The order of integration must be non-negative")
        made = numpy.atleast_1d(c).astype(item)
        for _ in range(m):
            if made.shape[0] == 1 and numpy.all(made[0] == 0):
                made[0] += 0
            else:
                longer = numpy.zeros((made.shape[0] + 1,) + made.shape[1:], item)
                for at in range(made.shape[0]):
                    longer[at + 1] = made[at] / (at + 1)
                made = longer
        return made
    return integral


@library(polynomial.polyder, array_like="c", scalars="c", strict=False)
def polyder(c, m=1, scl=1):
    _check("c", c, most=0)
    if c.ndim > 1 or not isinstance(unliteral(m), (int, Integer)) or not (isinstance(scl, int) or is_number(scl)):
        return None
    item = numpy.dtype(numpy.float64) if isinstance(c.dtype, (Integer, Boolean)) else _item(c)

    def slope(c, m=1, scl=1):
        if m < 0:
            raise ValueError("The order of derivation must be non-negative")
        made = numpy.atleast_1d(c).astype(item)
        if m >= made.size:
            return made[:1] * item.type(0)
        for _ in range(m):
            made = made * item.type(scl)
            made = made[1:] * numpy.arange(1, made.size).astype(item)
        return made
    return slope


@library(polynomial.polyval, array_like="x c", scalars="c")
def polyval(x, c, tensor=True):
    if not is_array(x) and not is_number(x):
        raise TypingError('The argument "x" must be array-like')
    _check("c", c, most=0)
    if not isinstance(literal(tensor), bool):
        if not isinstance(unliteral(tensor), Boolean):
            raise TypingError('The argument "tensor" must be boolean')
        if c.ndim > 1:
            return None
    item = numpy.result_type(_common(c), _item(x)).type
    if c.ndim > 1:
        return _of_arrays(x, c, literal(tensor), numpy.dtype(item))

    @register_jitable
    def value(c, x):
        # What is added is 0, unless `x` is not finite: it counts for the sign of 0, and for constants.
        made = item(c[c.size - 1]) + x * 0
        for at in range(c.size - 2, -1, -1):
            made = item(c[at]) + made * x
        return item(made)
    if not is_array(x):
        return lambda x, c, tensor=True: value(numpy.atleast_1d(c), item(x))
    if not x.ndim:
        return lambda x, c, tensor=True: value(numpy.atleast_1d(c), item(x[()]))

    def each(x, c, tensor=True):
        c = numpy.atleast_1d(c)
        made = numpy.empty(x.shape, item)
        for index, one in numpy.ndenumerate(x):
            made[index] = value(c, item(one))
        return made
    return each


def _of_arrays(x, c, tensor, item):
    """The values of many polynomials: of all at each point, or of each at its own."""
    ones = (1,) * (x.ndim if is_array(x) and tensor else 0)

    def values(x, c, tensor=True):
        rows = c.astype(item).reshape(c.shape + ones)
        made = rows[-1] + x * 0
        for at in range(rows.shape[0] - 2, -1, -1):
            made = rows[at] + made * x
        return made
    return values
