"""Diagonals and triangles of matrices: `diagonal`, `diagflat`, `tri`, `tril`, `triu` and their indices."""
import numpy

from ...errors import TypingError
from ...extending import Effects, register_jitable
from ...intrinsics import array_view, raise_if
from ...types import Number, float16
from ...types.typeof import as_dtype
from .. import library
from ._axis import literal
from .copy_eye import item_of
from .._predicates import is_absent, is_array, is_dtype, is_integer, is_movable
from ._kernels import sum_type


def _are_integers(*types):
    return all(map(is_integer, types))


def _check_k(k, name="k"):
    if not _are_integers(k):
        raise TypingError(f"{name} must be an integer")


# Diagonals.

@library(numpy.diagflat, array_like="v", scalars="v")
def diagflat(v, k=0):
    if not is_movable(v):
        raise TypingError("The argument \"v\" must be array-like")
    _check_k(k, 'The argument "k"')
    return lambda v, k=0: numpy.diag(v.ravel(), k)


def _diagonal(a, offset):
    if not is_movable(a) or not _are_integers(offset) or a.ndim != 2:
        return None

    @register_jitable
    def view(a, offset):
        row, column = max(0, -offset), max(0, offset)
        length = max(0, min(a.shape[0] - row, a.shape[1] - column))
        start = row * a.strides[0] + column * a.strides[1] if length else 0
        return array_view(a, a.dtype, start, (length,), (a.strides[0] + a.strides[1],), "A")
    return view


@library(numpy.diagonal, array_like="a")
def diagonal(a, offset=0):
    view = _diagonal(a, offset)
    if view:
        return lambda a, offset=0: view(a, offset)


@library("numpy.ndarray.diagonal")
def array_diagonal(self, offset=0):
    view = _diagonal(self, offset)
    if view:
        return lambda self, offset=0: view(self, offset)


def _tracer(a, offset):
    if not (is_array(a) and a.ndim == 2 and isinstance(a.dtype, Number)):
        return None
    if not _are_integers(offset):
        raise TypingError(f"integer argument expected, got {offset}")
    if a.dtype == float16:
        return register_jitable(lambda a, offset: numpy.diagonal(a, offset).sum())
    made = sum_type(a.dtype)

    @register_jitable
    def total_of(a, offset):
        row, column, total = max(0, -offset), max(0, offset), made(0)
        for at in range(min(a.shape[0] - row, a.shape[1] - column)):
            total += made(a[at + row, at + column])
        return total
    return total_of


@library(numpy.trace, array_like="a")
def trace(a, offset=0):
    found = _tracer(a, offset)
    if found:
        return lambda a, offset=0: found(a, offset)


@library("numpy.ndarray.trace")
def array_trace(self, offset=0):
    found = _tracer(self, offset)
    if found:
        return lambda self, offset=0: found(self, offset)


# Triangles.

@library(numpy.tri)
def tri(N, M=None, k=0, dtype=float):
    _check_k(k)
    if not _are_integers(N) or not (is_absent(M) or _are_integers(M)) or not (dtype is float or is_dtype(dtype)):
        return None
    item = numpy.dtype(float) if dtype is float else as_dtype(item_of(dtype))

    def matrix(N, M=None, k=0, dtype=float):
        return _ones_below(N, M, k, item)

    def square(N, M=None, k=0, dtype=float):
        return _ones_below(N, N, k, item)
    return square if is_absent(M) else matrix


@register_jitable
def _ones_below(rows, columns, k, dtype):
    made = numpy.zeros((max(rows, 0), max(columns, 0)), dtype)
    for row in range(made.shape[0]):
        for column in range(min(max(row + k + 1, 0), made.shape[1])):
            made[row, column] = 1
    return made


def _triangle(function, keeps_below):
    @register_jitable
    def copy_part(m, made, k):
        rows, columns = m.shape
        for row in range(rows):
            border = min(max(row + k + 1, 0), columns) if keeps_below else min(max(row + k, 0), columns)
            start, end = (0, border) if keeps_below else (border, columns)
            for column in range(start, end):
                made[row, column] = m[row, column]

    def overload(m, k=0):
        if not is_movable(m) or not m.ndim:
            return None
        _check_k(k)

        def of_row(m, k=0):
            made = numpy.zeros((m.size, m.size), m.dtype)
            copy_part(numpy.broadcast_to(m, (m.size, m.size)), made, k)
            return made

        def of_matrix(m, k=0):
            made = numpy.zeros(m.shape, m.dtype)
            copy_part(m, made, k)
            return made

        def of_matrices(m, k=0):
            made = numpy.zeros(m.shape, m.dtype)
            for index in numpy.ndindex(m.shape[:-2]):
                copy_part(m[index], made[index], k)
            return made
        return {1: of_row, 2: of_matrix}.get(m.ndim, of_matrices)
    library(function, array_like="m")(overload)


_triangle(numpy.tril, True)
_triangle(numpy.triu, False)


# Where triangles are.

def _positions(is_below):
    @register_jitable
    def indices(rows, columns, k):
        rows, columns = max(rows, 0), max(columns, 0)
        count = 0
        for row in range(rows):
            border = min(max(row + k + (1 if is_below else 0), 0), columns)
            count += border if is_below else columns - border
        first, second, at = numpy.empty(count, numpy.int64), numpy.empty(count, numpy.int64), 0
        for row in range(rows):
            border = min(max(row + k + (1 if is_below else 0), 0), columns)
            for column in range(0 if is_below else border, border if is_below else columns):
                first[at], second[at] = row, column
                at += 1
        return first, second
    return indices


def _indices(function, is_below):
    indices = _positions(is_below)

    def overload(n, k=0, m=None):
        _check_k(n, "n")
        _check_k(k)
        if not is_absent(m):
            _check_k(m, "m")
            return lambda n, k=0, m=None: indices(n, m, k)
        return lambda n, k=0, m=None: indices(n, n, k)
    library(function)(overload)


def _indices_from(function, is_below):
    indices = _positions(is_below)

    def overload(arr, k=0):
        _check_k(k)
        if not is_array(arr):
            raise TypingError("input array must be an array")
        if arr.ndim != 2:
            raise TypingError("input array must be 2-d")
        return lambda arr, k=0: indices(arr.shape[0], arr.shape[1], k)
    library(function, array_like="arr")(overload)


_indices(numpy.tril_indices, True)
_indices(numpy.triu_indices, False)
_indices_from(numpy.tril_indices_from, True)
_indices_from(numpy.triu_indices_from, False)


@library(numpy.diag_indices)
def diag_indices(n, ndim=2):
    if _are_integers(n) and ndim == 2:
        def both(n, ndim=2):
            raise_if(n < 0, "ValueError", "n has to be positive")
            return numpy.arange(n), numpy.arange(n)
        return both
    if _are_integers(n) and isinstance(literal(ndim), int) and literal(ndim) > 0:
        repeat = _repeated(literal(ndim))

        return lambda n, ndim=2: repeat(numpy.arange(n))


def _repeated(count):
    """What gives a tuple of so many times the same array, as NumPy does."""
    if count == 1:
        return register_jitable(lambda row: (row,))
    before = _repeated(count - 1)
    return register_jitable(lambda row: before(row) + (row,))


@library(numpy.diag_indices_from)
def diag_indices_from(arr):
    if not is_array(arr):
        return None
    if arr.ndim < 2:
        raise TypingError("input array must be at least 2-d")
    ndim, repeat = arr.ndim, _repeated(arr.ndim)

    def along_diagonal(arr):
        for at in range(1, ndim):
            raise_if(arr.shape[at] != arr.shape[0], "ValueError", "All dimensions of input must be of equal length")
        return repeat(numpy.arange(arr.shape[0]))
    return along_diagonal


@library(numpy.mask_indices, strict=False, effects=Effects(calls="mask_func"))
def mask_indices(n, mask_func, k=0):
    if not _are_integers(n):
        return None

    def where(n, mask_func, k=0):
        kept = mask_func(numpy.ones((n, n), numpy.int64), k)
        rows, columns = numpy.nonzero(kept != 0)
        return rows, columns
    return where
