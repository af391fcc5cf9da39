"""`numpy.linalg`: `norm` and `cond`."""
import math

import numpy

from ...errors import TypingError
from ...extending import register_jitable
from ...intrinsics import array_view, blas, has_lapack, raise_if
from ...types import Float, Number, UnicodeType, float16, unliteral
from .. import library
from .eig_svd import decomposer
from .._predicates import is_absent, is_array
from ..numpy._axis import literal
from ._lapack import EMPTY, Kind, constant, takes
from .norm_along import along
from .solve import inverter

_NO_CONDITION = "cond is not defined on empty arrays. " + EMPTY
_INVALID = "Invalid norm order for matrices."


@register_jitable
def _scaled(x):
    """The root of the sum of squares of items that are measured by the largest one."""
    most = 0.0
    for value in x.flat:
        most = max(most, float(abs(value)))
    if most == 0 or most == math.inf:
        return most
    total = 0.0
    for value in x.flat:
        size = float(abs(value)) / most
        total += size * size
    return most * math.sqrt(total)


@register_jitable
def _squares(x):
    """The sum of the squares of sizes."""
    total = 0.0
    for value in x.flat:
        size = float(abs(value))
        total += size * size
    return total


def _euclidean(ty, kind):
    """What gives the root of the sum of squares, also where that sum overflows or vanishes."""
    squares, real, parts = _squares, kind.real, 2 if kind.is_complex else 1
    low, high = (1e-30, 1e37) if real is numpy.float32 else (1e-280, 1e300)
    if ty.layout in "CF" and ty.aligned:
        name = "sdot" if real is numpy.float32 else "ddot"

        @register_jitable
        def squares(x):
            if x.size < 8 or not has_lapack():
                return _squares(x)
            row = array_view(x, real, 0, (parts * x.size,), (0,), "C")
            return float(blas(name, row.size, row, 1, row, 1))

    @register_jitable
    def root(x):
        total = squares(x)
        return math.sqrt(total) if low < total < high or total != total else _scaled(x)
    return root


def _least_and_most(nothing):
    @register_jitable
    def extreme(x, most):
        if x.size == 0:
            return nothing(most)
        found = float(abs(x[0]))
        for value in x:
            size = float(abs(value))
            if size != size or (size > found if most else size < found):
                found = size
            if found != found:
                break
        return found
    return extreme


@register_jitable
def _of_nothing(most):
    """The largest of no sizes is 0, a smallest there is none."""
    raise_if(not most, "ValueError", "zero-size array to reduction operation minimum which has no identity")
    return 0.0


_extreme = _least_and_most(_of_nothing)


@register_jitable
def _by_number(x, ord):
    if ord == math.inf or ord == -math.inf:
        return _extreme(x, ord > 0)
    total = 0.0
    for value in x:
        size = float(abs(value))
        if ord == 0:
            total += size != 0
        elif ord == 1:
            total += size
        else:
            total += numpy.power(size, ord)
    return total if ord == 0 or ord == 1 else numpy.power(total, 1.0 / ord)


def _of_vector(ty, kind):
    root = _euclidean(ty, kind)
    return register_jitable(lambda x, ord: root(x) if ord == 2 else _by_number(x, ord))


@register_jitable
def _sums(x, by_columns):
    """The sum of sizes of each column or row."""
    sums = numpy.zeros(x.shape[1] if by_columns else x.shape[0])
    for row in range(x.shape[0]):
        for column in range(x.shape[1]):
            sums[column if by_columns else row] += abs(x[row, column])
    return sums


def _of_matrix(kind):
    decompose = decomposer(kind, False)

    @register_jitable
    def of_matrix(x, ord):
        if abs(ord) == 2:
            if x.size == 0:
                return _of_nothing(ord > 0)
            values = decompose(x, False)[1]
            return float(values[0] if ord > 0 else values[-1])
        raise_if(abs(ord) != 1 and abs(ord) != math.inf, "ValueError", _INVALID)
        return _extreme(_sums(x, abs(ord) == 1), ord > 0)
    return of_matrix


def _by_text(ty, kind, order):
    """The norm of a matrix that a string names."""
    if order == "fro":
        return _euclidean(ty, kind)
    if order == "nuc":
        decompose, real = decomposer(kind, False), kind.real
        return register_jitable(lambda x: decompose(x, False)[1].sum() if x.size else real(0))
    raise TypingError(_INVALID)


@library(numpy.linalg.norm)
def norm(x, ord=None, axis=None, keepdims=False):
    if is_array(x) and x.dtype == float16 and is_absent(ord) and is_absent(axis) and literal(keepdims) is False:
        return lambda x, ord=None, axis=None, keepdims=False: numpy.sqrt(numpy.dot(x.ravel(), x.ravel()))
    if not is_absent(axis):
        found = along(x, ord, axis, keepdims) if takes("norm", x, 1, 2, 3, 4, 5) else None
        return found and (lambda x, ord=None, axis=None, keepdims=False: found(x, ord, axis))
    if literal(keepdims) is not False:
        return _kept(x, ord) if literal(keepdims) is True and is_array(x) else None
    if is_absent(ord) and is_array(x) and x.ndim > 2:
        return lambda x, ord=None, axis=None, keepdims=False: numpy.linalg.norm(x.ravel())
    if not takes("norm", x, 1, 2):
        return None
    kind = Kind(x)
    real = kind.real
    if is_absent(ord):
        root = _euclidean(x, kind)
        return lambda x, ord=None, axis=None, keepdims=False: real(root(x))
    order = constant(ord)
    if isinstance(order, str):
        if x.ndim == 1:
            raise TypingError(f"Invalid norm order '{order}' for vectors")
        named = _by_text(x, kind, order)
        return lambda x, ord=None, axis=None, keepdims=False: real(named(x))
    if isinstance(unliteral(ord) if not isinstance(ord, (int, float)) else Float, UnicodeType):
        raise TypingError("np.linalg.norm() takes a string as ord only where it is a constant")
    plain = _of_vector(x, kind) if x.ndim == 1 else _of_matrix(kind)
    return lambda x, ord=None, axis=None, keepdims=False: real(plain(x, float(ord)))


def _kept(x, ord):
    """The norm of all items in an array of as many dimensions."""
    ones, order = (1,) * x.ndim, None if is_absent(ord) else constant(ord)
    if is_absent(ord):
        return lambda x, ord=None, axis=None, keepdims=False: numpy.full(ones, numpy.linalg.norm(x))
    if isinstance(order, str):
        return lambda x, ord=None, axis=None, keepdims=False: numpy.full(ones, numpy.linalg.norm(x, order))
    return lambda x, ord=None, axis=None, keepdims=False: numpy.full(ones, numpy.linalg.norm(x, ord))


@library(numpy.linalg.cond)
def cond(x, p=None):
    if not takes("cond", x):
        return None
    kind = Kind(x)
    real, decompose = kind.real, decomposer(kind, False)

    @register_jitable
    def by_values(x, inverted):
        raise_if(x.size == 0, "LinAlgError", _NO_CONDITION)
        values = decompose(x, False)[1]
        most, least = float(values[0]), float(values[-1])
        if inverted:
            return least / most if most != 0 else math.inf
        return most / least if least != 0 else math.inf

    if is_absent(p):
        return lambda x, p=None: real(by_values(x, False))
    inverse, order = inverter(kind), constant(p)
    if isinstance(order, str):
        named = _by_text(x, kind, order)
        plain = register_jitable(lambda x, p: named(x))
    elif isinstance(unliteral(p) if not isinstance(p, (int, float)) else None, Number) or isinstance(p, (int, float)):
        plain = _of_matrix(kind)
    else:
        return None
    by_number = not isinstance(order, str)

    def condition(x, p=None):
        if by_number:
            if p == 2 or p == -2:
                return real(by_values(x, p == -2))
        raise_if(x.size == 0, "LinAlgError", _NO_CONDITION)
        inverted, exists = inverse(x)
        return real(plain(x, p) * plain(inverted, p) if exists else math.inf)
    return condition
