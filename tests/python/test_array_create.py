"""New arrays of numbers, tuples, lists and arrays, and sequences and matrices, against NumPy."""
import ctypes

import numpy as np
import pytest
from array_cases import compare, layouts
from leaks import nothing_leaks  # noqa: F401  the fixture

from rumba import cfunc, njit, types
from rumba.errors import TypingError
from rumba.numba import carray, farray

DISPLAYS = [
    lambda x: np.array(x), lambda x: np.array((x, 2)), lambda x: np.array([x, 2.5]), lambda x: np.array([1, 2, 3]),
    lambda x: np.array([1.0, 2.0, 3.0, x]), lambda x: np.array(((1, x), (3, 4))), lambda x: np.array([[1, 2], [x, 4]]),
    lambda x: np.array([[1, 2, 3], [4, 5, 6]], dtype=np.float32), lambda x: np.array([x, 1], "u1"),
    lambda x: np.array((), np.int32), lambda x: np.array([]), lambda x: np.array([True, False]),
    lambda x: np.array([(), ()]), lambda x: np.asarray([(), (), ()], np.int8), lambda x: np.array([True, x]), lambda x: np.array([1j, x]), lambda x: np.array([[[x]]]), lambda x: np.asarray((x, 1)),
    lambda x: np.array([np.float32(x), 2]), lambda x: np.array([np.int8(1), np.uint8(2)]),
    lambda x: np.array((x, 3.7), dtype=np.int64), lambda x: np.asarray([x], dtype=np.complex64),
]


@pytest.mark.parametrize("function", DISPLAYS, ids=range(len(DISPLAYS)))
def test_numbers_tuples_lists(function):
    compare(function, 7)


def test_lengths_that_differ():
    compare(lambda: np.array(((1, 2), (3,))))


COPIES = [
    lambda a: np.copy(a), lambda a: a.copy(order="F"), lambda a: np.copy(a, order="C"), lambda a: np.array(a),
    lambda a: np.asarray(a), lambda a: np.array(a, dtype=np.float32), lambda a: np.asarray(a, dtype=np.int8),
    lambda a: np.array((a, a)), lambda a: np.array([a, a, a]), lambda a: np.ascontiguousarray(a),
    lambda a: np.asfortranarray(a),
]


@pytest.mark.parametrize("function", COPIES, ids=range(len(COPIES)))
def test_arrays_of_arrays(function):
    for shape in ((), (5,), (4, 3), (2, 3, 4)):
        for a in layouts(shape):
            compare(function, a)


@pytest.mark.parametrize("k", [-5, -2, 0, 1, 3])
def test_diagonals(k):
    """As in Numba, the diagonal of a matrix is a copy."""
    for shape in ((), (5,), (4, 3), (3, 4), (0, 2), (2, 3, 4)):
        for a in layouts(shape):
            compare(lambda a, k: np.diag(a, k), a, k, memory=False)


def test_the_order_of_copies():
    a = np.arange(6).reshape(2, 3)
    for function, given, flag in (
            (lambda a: np.copy(a), a.T, "F"), (lambda a: a.copy(), a.T, "C"), (lambda a: np.asfortranarray(a), a, "F"),
            (lambda a: np.ascontiguousarray(a), a.T, "C"), (lambda a: a.astype(np.float32), a.T, "F")):
        assert njit(function)(given).flags[flag] and function(given).flags[flag]


@pytest.mark.parametrize("count", [-1, 0, 1, 2, 7])
def test_linspace(count):
    for start, stop in ((0, 1), (-2.5, 7), (1, 1), (1, 1 + 2j), (5, -3.0)):
        compare(lambda start, stop, count: np.linspace(start, stop, count), start, stop, count)


@pytest.mark.parametrize("rows,columns", [(3, 3), (2, 4), (4, 2), (0, 3), (3, 0), (-1, 2)])
def test_eye(rows, columns):
    for k in (-2, 0, 1, 9):
        compare(lambda n, m, k: np.eye(n, m, k), rows, columns, k)
        compare(lambda n, m, k: np.eye(n, m, k, np.int8), rows, columns, k)


def test_matrices_and_sequences():
    for function in (
            lambda n: np.eye(n), lambda n: np.eye(n, k=1), lambda n: np.eye(n, dtype=np.bool_), lambda n: np.identity(n),
            lambda n: np.identity(n, dtype="c16"), lambda n: np.linspace(n, 9), lambda n: np.linspace(0, n, num=5)):
        compare(function, 3)


def test_absurd_sizes():
    compare(lambda n: np.zeros((n, n)), 2 ** 62)
    compare(lambda n: np.linspace(0, 1, n), 2 ** 60)
    with pytest.raises(MemoryError):
        njit(lambda n: np.empty(n, np.int8))(2 ** 62)


def test_fill_and_tuples():
    def fill(a):
        a.fill(3)
        a[1:3] = (7, 8)
        return a

    compare(fill, np.zeros(4))
    compare(fill, np.zeros(4, "u1"))
    compare(fill, np.zeros(9)[::2])


def over(function):
    def use(pointer, out, m, n):
        a = function(pointer, (m, n), np.float32)
        total = 0.0
        for i, j in np.ndindex(m, n):
            total += a[i, j] * (i - 3 * j)
        out = function(out, 6, dtype=np.float32)
        out[0], out[1:3], out[3:5], out[5] = a.ndim, a.shape, a.strides, total
    return use


@pytest.mark.parametrize("function", [carray, farray])
def test_memory_of_c(function):
    single = types.CPointer(types.float32)
    for pointer in (single, types.voidptr):
        compiled = cfunc(types.void(pointer, pointer, types.intp, types.intp))(over(function))
        results = []
        for call in (compiled.ctypes, over(function)):
            a, out = np.arange(10, 16, dtype=np.float32), np.zeros(6, np.float32)
            pointers = [one.ctypes.data_as(ctypes.POINTER(ctypes.c_float)) for one in (a, out)]
            call(*pointers, 2, 3)
            results.append(out.tolist())
        assert results[0] == results[1]
    with pytest.raises(TypingError, match="mismatching dtype 'float32' for pointer type 'float64\\*'"):
        other = types.CPointer(types.float64)
        cfunc(types.void(other, other, types.intp, types.intp))(over(function))


def test_addresses():
    @cfunc(types.float64(types.voidptr, types.intp))
    def last(address, n):
        return carray(address, n, np.float64)[n - 1]

    called = last.ctypes
    a = np.arange(4.0)
    assert njit(lambda a: called(a.ctypes.data, a.size))(a) == 3 == njit(lambda a: called(a.ctypes, 4))(a)
    assert njit(lambda a: a.ctypes.data)(a) == a.ctypes.data


def test_like_numbers():
    for function in (
            lambda x: np.zeros_like(x), lambda x: np.ones_like(x, dtype=np.int32), lambda x: np.full_like(x, 7),
            lambda x: np.empty_like(x).shape, lambda x: np.zeros_like(x, dtype="i4"), lambda x: np.full_like(x, 7, "?")):
        for x in (3, 2.5, True, 2j):
            compare(function, x)


@pytest.mark.parametrize("shape", [(5, 3), (9, 3), (8, 3), (4, 2), (3, 5), (7, 1), (0, 3), (3, 0), (2, 2, 2), (2, 3, 2)])
def test_filled_diagonals(shape):
    def fill(shape, wrap):
        a = np.zeros(shape)
        np.fill_diagonal(a, 4, wrap)
        return a

    compare(fill, shape, True)
    compare(fill, shape, False)


def test_arrays_of_lists_that_nothing_is_put_into():
    @njit
    def kernel(values):
        places = []
        if values.dtype.kind == "i":
            places.append(1)
        return places

    @njit
    def arrays(values):
        places = kernel(values)
        return np.array(places), np.asarray(places), np.array(places, np.int32)

    for found, dtype in zip(arrays(np.ones(2)), (float, float, np.int32)):
        assert found.shape == (0,) and found.dtype == dtype
    assert [found.tolist() for found in arrays(np.ones(2, int))] == [[1]] * 3
