"""Products of vectors and matrices: `dot`, `@`, `vdot`, `outer`; `trace`. Loops over items, without BLAS."""
import operator

import numpy

from ..extending import register_jitable
from ..special import raise_if
from ..types import Complex, Float, Integer, Number
from ..types.typeof import as_dtype
from . import library
from .kinds import is_array


def _fits(a, b):
    """Whether two arrays are vectors or matrices of numbers."""
    return all(is_array(one) and one.ndim in (1, 2) and isinstance(one.dtype, (Integer, Float, Complex)) for one in (a, b))


def _item(a, b):
    return numpy.promote_types(as_dtype(a.dtype), as_dtype(b.dtype)).type


def _vectors(item, conjugates):
    zero = item(0)
    left = register_jitable((lambda x: numpy.conjugate(x)) if conjugates else (lambda x: x))

    @register_jitable
    def product(a, b):
        raise_if(a.size != b.size, "ValueError", "shapes {} and {} not aligned: {} (dim 0) != {} (dim 0)",
                 a.shape, b.shape, a.size, b.size)
        s0, s1, s2, s3 = zero, zero, zero, zero
        whole = a.size - a.size % 4
        for at in range(0, whole, 4):
            s0 += left(a[at]) * b[at]
            s1 += left(a[at + 1]) * b[at + 1]
            s2 += left(a[at + 2]) * b[at + 2]
            s3 += left(a[at + 3]) * b[at + 3]
        total = (s0 + s1) + (s2 + s3)
        for at in range(whole, a.size):
            total += left(a[at]) * b[at]
        return item(total)
    return product


def _matrices(item):
    @register_jitable
    def product(a, b):
        raise_if(a.shape[1] != b.shape[0], "ValueError", "shapes {} and {} not aligned: {} (dim 1) != {} (dim 0)",
                 a.shape, b.shape, a.shape[1], b.shape[0])
        rows, inner = a.shape
        columns = b.shape[1]
        made = numpy.zeros((rows, columns), item)
        for i in range(rows):
            for k in range(inner):
                factor = a[i, k]
                for j in range(columns):
                    made[i, j] += factor * b[k, j]
        return made
    return product


def _matrix_and_vector(item):
    row = _vectors(item, False)

    @register_jitable
    def product(a, b):
        raise_if(a.shape[1] != b.size, "ValueError", "shapes {} and {} not aligned: {} (dim 1) != {} (dim 0)",
                 a.shape, b.shape, a.shape[1], b.size)
        made = numpy.empty(a.shape[0], item)
        for i in range(a.shape[0]):
            made[i] = row(a[i], b)
        return made
    return product


def _vector_and_matrix(item):
    @register_jitable
    def product(a, b):
        raise_if(a.size != b.shape[0], "ValueError", "shapes {} and {} not aligned: {} (dim 0) != {} (dim 0)",
                 a.shape, b.shape, a.size, b.shape[0])
        made = numpy.zeros(b.shape[1], item)
        for k in range(b.shape[0]):
            factor = a[k]
            for j in range(b.shape[1]):
                made[j] += factor * b[k, j]
        return made
    return product


def _product(a, b):
    """What multiplies two arrays of these types, or None."""
    if not _fits(a, b):
        return None
    item = _item(a, b)
    if (a.ndim, b.ndim) == (1, 1):
        return _vectors(item, False)
    makers = {(2, 2): _matrices, (2, 1): _matrix_and_vector, (1, 2): _vector_and_matrix}
    return makers[a.ndim, b.ndim](item)


@library(numpy.dot)
def dot(a, b):
    product = _product(a, b)
    if product:
        return lambda a, b: product(a, b)


@library("numpy.ndarray.dot")
def array_dot(self, other):
    product = _product(self, other)
    if product:
        return lambda self, other: product(self, other)


@library(operator.matmul)
def matmul(a, b, /):
    product = _product(a, b)
    if product:
        return lambda a, b, /: product(a, b)


@library(numpy.vdot)
def vdot(a, b):
    if _fits(a, b) and a.ndim == b.ndim == 1:
        product = _vectors(_item(a, b), isinstance(a.dtype, Complex))
        return lambda a, b: product(a, b)


@library(numpy.outer)
def outer(a, b):
    if all(is_array(one) and isinstance(one.dtype, Number) for one in (a, b)):
        return lambda a, b: a.ravel().reshape(a.size, 1) * b.ravel()


@library(numpy.trace)
def trace(a):
    if not (is_array(a) and a.ndim == 2 and isinstance(a.dtype, (Integer, Float, Complex))):
        return None
    zero = as_dtype(a.dtype).type(0)

    def diagonal(a):
        total = zero
        for at in range(min(a.shape[0], a.shape[1])):
            total += a[at, at]
        return total
    return diagonal
