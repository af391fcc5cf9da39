"""`numpy.linalg`: eigenvalues and singular values: `eig`, `eigvals`, `eigh`, `eigvalsh`, `svd`, and functions based
on them: `pinv`, `lstsq`, `matrix_rank`."""
import numpy

from ...errors import TypingError
from ...extending import register_jitable
from ...intrinsics import lapack, raise_if
from .. import library
from .._predicates import is_absent
from ._lapack import Kind, check_filled, check_finite, check_square, columns, constant, copier, room_for, takes
from ..numpy.matmul import _product

_ENDLESS = "Eigenvalues did not converge"


def _general(name, kind, vectors):
    """Eigenvalues, and vectors if they are wanted. Those of real matrices have to be real: types do not depend on values."""
    routine, item, copy, make = kind.letter + "geev", kind.item, copier(kind.item), columns(kind.item)
    asks, is_complex, real = "V" if vectors else "N", kind.is_complex, kind.real
    changed = f"{name}() argument must not cause a domain change. Eigenvalues are complex: pass a complex matrix."
    extra = 2 if is_complex else 1

    @register_jitable
    def call(size, work, values, others, left, right, room, length):
        if is_complex:
            return lapack(routine, "N", asks, size, work, size, values, left, 1, right, size, room, length, others)
        return lapack(routine, "N", asks, size, work, size, values, others, left, 1, right, size, room, length)

    @register_jitable
    def values_and_vectors(a):
        check_square(a)
        check_finite(a)
        size, work = a.shape[0], copy(a)
        values, others = numpy.empty(size, item), numpy.zeros(extra * size, real)
        right = make(size, size if vectors else 1)
        if size:
            left, asked = numpy.empty(1, item), numpy.empty(1, item)
            call(size, work, values, others, left, right, asked, -1)
            length = max(room_for(asked), 4 * size)
            status = call(size, work, values, others, left, right, numpy.empty(length, item), length)
            raise_if(status > 0, "LinAlgError", _ENDLESS)
            if not is_complex:
                for at in range(size):
                    raise_if(others[at] != 0, "ValueError", changed)
        return values, right
    return values_and_vectors


@library(numpy.linalg.eig)
def eig(a):
    if takes("eig", a):
        both = _general("eig", Kind(a), True)
        return lambda a: both(a)


@library(numpy.linalg.eigvals)
def eigvals(a):
    if takes("eigvals", a):
        both = _general("eigvals", Kind(a), False)
        return lambda a: both(a)[0]


def _symmetric(kind, vectors, uplo):
    routine = kind.letter + ("heevd" if kind.is_complex else "syevd")
    item, real, copy = kind.item, kind.real, copier(kind.item)
    asks, is_complex = "V" if vectors else "N", kind.is_complex

    @register_jitable
    def call(size, made, values, room, length, reals, real_length, indices, index_length):
        if is_complex:
            return lapack(routine, asks, uplo, size, made, size, values, room, length, reals, real_length, indices, index_length)
        return lapack(routine, asks, uplo, size, made, size, values, room, length, indices, index_length)

    @register_jitable
    def values_and_vectors(a):
        check_square(a)
        check_finite(a)
        size, made = a.shape[0], copy(a)
        values = numpy.empty(size, real)
        if size:
            asked, asked_reals, asked_indices = numpy.empty(1, item), numpy.empty(1, real), numpy.zeros(1, numpy.int64)
            call(size, made, values, asked, -1, asked_reals, -1, asked_indices, -1)
            length, index_length = room_for(asked), max(asked_indices[0], 1)
            real_length = room_for(asked_reals) if is_complex else 1
            status = call(size, made, values, numpy.empty(length, item), length, numpy.empty(real_length, real), real_length,
                          numpy.empty(index_length, numpy.int64), index_length)
            raise_if(status > 0, "LinAlgError", _ENDLESS)
        return values, made
    return values_and_vectors


def _half(UPLO):
    """Which half of a matrix counts."""
    uplo = constant(UPLO)
    if uplo not in ("L", "U", "l", "u"):
        raise TypingError("UPLO argument must be 'L' or 'U', and a constant")
    return uplo.upper()


@library(numpy.linalg.eigh)
def eigh(a, UPLO="L"):
    if takes("eigh", a):
        both = _symmetric(Kind(a), True, _half(UPLO))
        return lambda a, UPLO="L": both(a)


@library(numpy.linalg.eigvalsh)
def eigvalsh(a, UPLO="L"):
    if takes("eigvalsh", a):
        both = _symmetric(Kind(a), False, _half(UPLO))
        return lambda a, UPLO="L": both(a)[0]


def decomposer(kind, vectors):
    """The singular values of a matrix, and the vectors if they are wanted: all, or as many as there are values."""
    routine, item, real, copy, make = kind.letter + "gesdd", kind.item, kind.real, copier(kind.item), columns(kind.item)
    is_complex = kind.is_complex

    @register_jitable
    def call(job, rows, width, work, values, left, right, room, length, reals, indices):
        lead = max(right.shape[0], 1)
        if is_complex:
            return lapack(routine, job, rows, width, work, rows, values, left, rows, right, lead, room, length, reals, indices)
        return lapack(routine, job, rows, width, work, rows, values, left, rows, right, lead, room, length, indices)

    @register_jitable
    def decompose(a, whole):
        check_filled(a)
        check_finite(a)
        rows, width = a.shape
        few, many = min(rows, width), max(rows, width)
        # The letters A, S and N.
        job = (65 if whole else 83) if vectors else 78
        left = make(rows, (rows if whole else few) if vectors else 1)
        right = make((width if whole else few) if vectors else 1, width if vectors else 1)
        work, values, asked = copy(a), numpy.empty(few, real), numpy.empty(1, item)
        reals = numpy.empty(max(5 * few * few + 5 * few, 2 * many * few + 2 * few * few + few) if is_complex else 1, real)
        indices = numpy.empty(8 * few, numpy.int64)
        call(job, rows, width, work, values, left, right, asked, -1, reals, indices)
        length = room_for(asked)
        status = call(job, rows, width, work, values, left, right, numpy.empty(length, item), length, reals, indices)
        raise_if(status > 0, "LinAlgError", "SVD did not converge")
        return left, values, right
    return decompose


@library(numpy.linalg.svd)
def svd(a, full_matrices=True):
    if takes("svd", a):
        decompose = decomposer(Kind(a), True)
        return lambda a, full_matrices=True: decompose(a, bool(full_matrices))


@library(numpy.linalg.pinv)
def pinv(a, rcond=None):
    if not takes("pinv", a):
        return None
    kind = Kind(a)
    decompose, make, zero = decomposer(kind, True), columns(kind.item), kind.item(0)
    turned = a.copy(layout="F", readonly=False)
    product = _product(turned, turned)
    share = register_jitable((lambda rcond: 1e-15) if is_absent(rcond) else (lambda rcond: rcond))

    def inverse(a, rcond=None):
        if a.size == 0:
            return make(a.shape[1], a.shape[0])
        left, values, right = decompose(a, False)
        least = share(rcond) * values[0]
        # Its transpose is the product of the conjugates, so that the inverse lies in columns.
        for at in range(values.size):
            value = values[at]
            for column in range(a.shape[1]):
                right[at, column] = numpy.conjugate(right[at, column]) / value if value > least else zero
            for row in range(a.shape[0]):
                left[row, at] = numpy.conjugate(left[row, at])
        return product(left, right).T
    return inverse


@library(numpy.linalg.lstsq)
def lstsq(a, b, rcond=None):
    if not takes("lstsq", a) or not takes("lstsq", b, 1, 2):
        return None
    kind = Kind(a, b)
    solve = _least(kind)
    copy_a, copy_b, is_vector = copier(kind.item), copier(kind.item, b.ndim), b.ndim == 1
    epsilon = kind.real(numpy.finfo(kind.real).eps)
    real, make, item = kind.real, columns(kind.item), kind.item
    default = is_absent(rcond)
    width_of = register_jitable((lambda b: 1) if is_vector else (lambda b: b.shape[1]))

    @register_jitable
    def padded(b, rows):
        made = make(rows, width_of(b))
        for at in range(b.shape[0]):
            made[at] = b[at]
        return made

    @register_jitable
    def solution(made, size):
        return made[:size, 0].copy() if is_vector else made[:size].copy()

    def least_squares(a, b, rcond=None):
        check_filled(a)
        check_filled(b)
        rows, width = a.shape
        raise_if(b.shape[0] != rows, "LinAlgError",
                 "Incompatible dimensions. Incompatible array sizes, system is not dimensionally valid.")
        check_finite(a)
        check_finite(b)
        made = padded(b, max(rows, width))
        share = epsilon * max(rows, width) if default else real(rcond)
        values, rank = solve(copy_a(a), made, share)
        rest = numpy.empty(made.shape[1] if rank == width and rows > width else 0, real)
        for column in range(rest.size):
            total = real(0)
            for row in range(width, rows):
                total += abs(made[row, column]) ** 2
            rest[column] = total
        return solution(made, width), rest, rank, values
    return least_squares


def _least(kind):
    """Solves in place; gives the singular values and the rank."""
    routine, item, real, is_complex = kind.letter + "gelsd", kind.item, kind.real, kind.is_complex

    @register_jitable
    def call(work, made, values, share, rank, room, length, reals, indices):
        rows, width = work.shape
        if is_complex:
            return lapack(routine, rows, width, made.shape[1], work, rows, made, made.shape[0], values, share, rank,
                          room, length, reals, indices)
        return lapack(routine, rows, width, made.shape[1], work, rows, made, made.shape[0], values, share, rank,
                      room, length, indices)

    @register_jitable
    def solve(work, made, share):
        values, rank = numpy.empty(min(work.shape[0], work.shape[1]), real), numpy.zeros(1, numpy.int64)
        asked, asked_reals, asked_indices = numpy.empty(1, item), numpy.zeros(1, real), numpy.zeros(1, numpy.int64)
        call(work, made, values, share, rank, asked, -1, asked_reals, asked_indices)
        length = room_for(asked)
        status = call(work, made, values, share, rank, numpy.empty(length, item), length,
                      numpy.empty(room_for(asked_reals), real), numpy.empty(max(asked_indices[0], 1), numpy.int64))
        raise_if(status > 0, "LinAlgError", "SVD did not converge in Linear Least Squares")
        return values, rank[0]
    return solve


@library(numpy.linalg.matrix_rank)
def matrix_rank(A, tol=None):
    if not takes("matrix_rank", A, 1, 2):
        return None
    if A.ndim == 1:
        def of_vector(A, tol=None):
            for value in A:
                if value != 0:
                    return 1
            return 0
        return of_vector
    kind = Kind(A)
    decompose, epsilon = decomposer(kind, False), kind.real(numpy.finfo(kind.real).eps)
    default = is_absent(tol)

    def of_matrix(A, tol=None):
        values, rank = decompose(A, False)[1], 0
        least = values[0] * max(A.shape[0], A.shape[1]) * epsilon if default else tol
        for value in values:
            rank += value > least
        return rank
    return of_matrix
