"""`numpy.linalg`: linear systems and functions based on factorizations: `solve`, `inv`, `det`, `slogdet`, `cholesky`,
`matrix_power`, `qr`."""
import math

import numpy

from ...errors import TypingError
from ...extending import register_jitable
from ...intrinsics import array_copy, lapack, raise_if
from ...types import Complex, Float, Integer, unliteral
from .. import library
from .._predicates import is_array
from ._lapack import (
    NOT_SQUARE, SINGULAR, Kind, check_filled, check_finite, check_square, columns, constant, copier, room_for,
    takes)
from ..numpy.matmul import _product

_NO_POWER = NOT_SQUARE + " input must be a square array"
_MISFIT = ("{}: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature "
           "({}) (size {{}} is different from {{}})")


# Stacks of matrices: one after the other.

def _is_stack(ty):
    return is_array(ty) and ty.ndim > 2 and isinstance(ty.dtype, (Float, Complex))


def _inv_each(a):
    made = numpy.empty(a.shape, a.dtype)
    for at in numpy.ndindex(a.shape[:-2]):
        made[at] = numpy.linalg.inv(a[at])
    return made


def _det_each(a):
    made = numpy.empty(a.shape[:-2], a.dtype)
    for at in numpy.ndindex(made.shape):
        made[at] = numpy.linalg.det(a[at])
    return made


def _solver_of_each(a, b):
    item = Kind(a, b).item

    def of_vector(a, b):
        made = numpy.empty(a.shape[:-2] + b.shape, item)
        for at in numpy.ndindex(a.shape[:-2]):
            made[at] = numpy.linalg.solve(a[at], b)
        return made

    def of_matrices(a, b):
        stack = numpy.broadcast_shapes(a.shape[:-2], b.shape[:-2])
        first, second = numpy.broadcast_to(a, stack + a.shape[-2:]), numpy.broadcast_to(b, stack + b.shape[-2:])
        made = numpy.empty(second.shape, item)
        for at in numpy.ndindex(stack):
            made[at] = numpy.linalg.solve(first[at], second[at])
        return made
    return of_vector if b.ndim == 1 else of_matrices


@library(numpy.linalg.solve)
def solve(a, b):
    if is_array(a) and is_array(b) and (_is_stack(a) or _is_stack(b)) and a.ndim >= 2 and b.ndim and all(
            isinstance(one.dtype, (Float, Complex)) for one in (a, b)):
        return _solver_of_each(a, b)
    if not takes("solve", a) or not takes("solve", b, 1, 2):
        return None
    kind = Kind(a, b)
    name = kind.letter + "gesv"
    copy_a, copy_b = copier(kind.item), copier(kind.item, b.ndim)
    misfit = _MISFIT.format(*(("solve1", "m,m),(m)->(m") if b.ndim == 1 else ("solve", "m,m),(m,n)->(m,n")))
    width = register_jitable((lambda b: 1) if b.ndim == 1 else (lambda b: b.shape[1]))

    def solve_copies(a, b):
        check_square(a)
        size = a.shape[0]
        raise_if(b.shape[0] != size, "ValueError", misfit, b.shape[0], size)
        factors, made = copy_a(a), copy_b(b)
        if made.size:
            status = lapack(name, size, width(b), factors, size, numpy.empty(size, numpy.int64), made, size)
            raise_if(status > 0, "LinAlgError", SINGULAR)
        return made
    return solve_copies


def inverter(kind):
    """The inverse of a matrix, and whether there is one."""
    letter, item, copy = kind.letter, kind.item, copier(kind.item)
    factor_name, invert_name = letter + "getrf", letter + "getri"

    @register_jitable
    def inverse(a):
        check_square(a)
        size, made, status = a.shape[0], copy(a), 0
        if size:
            pivots = numpy.empty(size, numpy.int64)
            status = lapack(factor_name, size, size, made, size, pivots)
            if status == 0:
                room = size if size <= 64 else 64 * size
                status = lapack(invert_name, size, made, size, pivots, numpy.empty(room, item), room)
        return made, status == 0
    return inverse


def _certain_inverter(kind):
    inverse = inverter(kind)

    @register_jitable
    def certain(a):
        made, exists = inverse(a)
        raise_if(not exists, "LinAlgError", SINGULAR)
        return made
    return certain


@library(numpy.linalg.inv)
def inv(a):
    if _is_stack(a):
        return _inv_each
    if takes("inv", a):
        inverse = _certain_inverter(Kind(a))
        return lambda a: inverse(a)


def _factorizer(kind):
    """The factors of a matrix and whether rows were exchanged an odd number of times."""
    name, copy = kind.letter + "getrf", copier(kind.item)

    @register_jitable
    def factors(a):
        check_square(a)
        size, made = a.shape[0], copy(a)
        pivots = numpy.empty(size, numpy.int64)
        if size:
            lapack(name, size, size, made, size, pivots)
        odd = False
        for at in range(size):
            odd = odd != (pivots[at] != at + 1)
        return made, odd
    return factors


@library(numpy.linalg.det)
def det(a):
    if _is_stack(a):
        return _det_each
    if not takes("det", a):
        return None
    kind = Kind(a)
    factors, one = _factorizer(kind), kind.item(1)

    def determinant(a):
        made, odd = factors(a)
        product = -one if odd else one
        for at in range(a.shape[0]):
            product *= made[at, at]
        return product
    return determinant


@library(numpy.linalg.slogdet)
def slogdet(a):
    if not takes("slogdet", a):
        return None
    kind = Kind(a)
    factors, one, nothing = _factorizer(kind), kind.item(1), kind.item(0)
    real, zero, least = kind.real, kind.real(0), kind.real(-math.inf)

    def sign_and_logarithm(a):
        made, odd = factors(a)
        sign, logarithm = -one if odd else one, zero
        for at in range(a.shape[0]):
            value = made[at, at]
            size = abs(value)
            if size == 0:
                return nothing, least
            sign *= value / size
            logarithm += real(numpy.log(size))
        return sign, logarithm
    return sign_and_logarithm


@library(numpy.linalg.cholesky)
def cholesky(a):
    if not takes("cholesky", a):
        return None
    kind = Kind(a)
    name, item, zero = kind.letter + "potrf", kind.item, kind.item(0)

    def lower(a):
        check_square(a)
        # The lower half in rows is the upper one in columns.
        size, made = a.shape[0], array_copy(a, item, "C")
        if size:
            status = lapack(name, "U", size, made, size)
            raise_if(status > 0, "LinAlgError", "Matrix is not positive definite.")
        for column in range(1, size):
            for row in range(column):
                made[row, column] = zero
        return made
    return lower


@library(numpy.linalg.matrix_power)
def matrix_power(a, n):
    if not takes("matrix_power", a):
        return None
    if not isinstance(unliteral(n), Integer):
        raise TypingError("np.linalg.matrix_power() exponent must be an integer")
    kind = Kind(a)
    rows = a.copy(layout="C", readonly=False)
    inverse, product, item = _certain_inverter(kind), _product(rows, rows), kind.item

    def power(a, n):
        raise_if(a.shape[0] != a.shape[1], "LinAlgError", _NO_POWER)
        base = numpy.ascontiguousarray(inverse(a)) if n < 0 else a.copy()
        rest = abs(n)
        if rest == 0:
            return numpy.eye(a.shape[0], a.shape[0], 0, item)
        while rest % 2 == 0:
            base, rest = product(base, base), rest // 2
        made, rest = base, rest // 2
        while rest > 0:
            base = product(base, base)
            if rest % 2 == 1:
                made = product(made, base)
            rest //= 2
        return made
    return power


def _triangle(kind):
    """The factors of a matrix, and what else tells the orthogonal one."""
    name, item, copy = kind.letter + "geqrf", kind.item, copier(kind.item)

    @register_jitable
    def factors(a):
        check_filled(a)
        check_finite(a)
        made, (rows, width) = copy(a), a.shape
        scales, asked = numpy.empty(min(rows, width), item), numpy.empty(1, item)
        lapack(name, rows, width, made, rows, scales, asked, -1)
        room = max(room_for(asked), width)
        lapack(name, rows, width, made, rows, scales, numpy.empty(room, item), room)
        return made, scales
    return factors


def _upper(item):
    make, zero = columns(item), item(0)

    @register_jitable
    def upper(made, rows):
        triangle = make(rows, made.shape[1])
        for column in range(made.shape[1]):
            for row in range(rows):
                triangle[row, column] = made[row, column] if row <= column else zero
        return triangle
    return upper


@library(numpy.linalg.qr)
def qr(a, mode="reduced"):
    if not takes("qr", a):
        return None
    mode, kind = constant(mode), Kind(a)
    factors, upper, item, make = _triangle(kind), _upper(kind.item), kind.item, columns(kind.item)
    name = kind.letter + ("ungqr" if kind.is_complex else "orgqr")
    complete = mode == "complete"
    if mode == "r":
        return lambda a, mode="reduced": upper(factors(a)[0], min(a.shape[0], a.shape[1]))
    if mode not in ("reduced", "complete"):
        raise TypingError("np.linalg.qr() takes the modes 'reduced', 'complete' and 'r', as constants")

    def orthogonal(a, mode="reduced"):
        made, scales = factors(a)
        rows, width = a.shape
        inner = min(rows, width)
        kept = rows if complete else inner
        triangle = upper(made, kept)
        base = make(rows, kept)
        for column in range(inner):
            for row in range(rows):
                base[row, column] = made[row, column]
        asked = numpy.empty(1, item)
        lapack(name, rows, kept, inner, base, rows, scales, asked, -1)
        room = max(room_for(asked), kept)
        lapack(name, rows, kept, inner, base, rows, scales, numpy.empty(room, item), room)
        return base, triangle
    return orthogonal
