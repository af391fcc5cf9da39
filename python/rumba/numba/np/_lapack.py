"""LAPACK under the names and with the arguments of Numba's helpers in C, over the LAPACK of NumPy.

Numba's helpers take 32-bit integers and pointers, and give 0, a number above 0 from LAPACK, or one below for a wrong argument.
"""
from functools import cache

import numpy

from ... import types
from ...c_interop.pointer_arrays import carray
from ...decorators import njit
from ...intrinsics import lapack
from ...library.linalg._lapack import check_lapack
from ...types.typeof import as_dtype

_LETTERS = {types.float32: "s", types.float64: "d", types.complex64: "c", types.complex128: "z"}


def _kind(dtype):
    """LAPACK's letter for a type, and the type as NumPy's class."""
    if dtype not in _LETTERS:
        raise TypeError(f"LAPACK has no functions for {dtype}")
    return _LETTERS[dtype], as_dtype(dtype).type


@cache
def xgesv(dtype):
    """Solves a linear system in place."""
    letter, item = _kind(dtype)
    name, matrix = letter + "gesv", types.CPointer(dtype)

    @njit(types.intc(types.char, types.intp, types.intp, matrix, types.intp, types.CPointer(types.int32), matrix, types.intp))
    def numba_xgesv(kind, n, nrhs, a, lda, ipiv, b, ldb):
        check_lapack()
        pivots = numpy.empty(n, numpy.int64)
        status = lapack(name, n, nrhs, carray(a, lda * n, item), lda, pivots, carray(b, ldb * nrhs, item), ldb)
        carray(ipiv, n, numpy.int32)[:] = pivots
        return status

    return numba_xgesv


@cache
def xxgetrf(dtype):
    """Factors a matrix in place."""
    letter, item = _kind(dtype)
    name, matrix = letter + "getrf", types.CPointer(dtype)

    @njit(types.intc(types.char, types.intp, types.intp, matrix, types.intp, types.CPointer(types.int32)))
    def numba_xxgetrf(kind, m, n, a, lda, ipiv):
        check_lapack()
        pivots = numpy.empty(min(m, n), numpy.int64)
        status = lapack(name, m, n, carray(a, lda * n, item), lda, pivots)
        carray(ipiv, min(m, n), numpy.int32)[:] = pivots
        return status

    return numba_xxgetrf


@cache
def ez_xxgetri(dtype):
    """Inverts a factored matrix in place."""
    letter, item = _kind(dtype)
    name, matrix = letter + "getri", types.CPointer(dtype)

    @njit(types.intc(types.char, types.intp, matrix, types.intp, types.CPointer(types.int32)))
    def numba_ez_xxgetri(kind, n, a, lda, ipiv):
        check_lapack()
        pivots = carray(ipiv, n, numpy.int32).astype(numpy.int64)
        room = max(64 * n, 1)
        return lapack(name, n, carray(a, lda * n, item), lda, pivots, numpy.empty(room, item), room)

    return numba_ez_xxgetri
