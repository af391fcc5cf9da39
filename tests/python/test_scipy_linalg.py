"""`scipy.linalg` in compiled code: equal to SciPy up to rounding, as that brings a LAPACK of its own."""
import itertools

import numpy as np
import pytest
import scipy.linalg
from rumba import njit

from leaks import nothing_leaks  # noqa: F401  a fixture

DTYPES = ["f8", "f4", "c16", "c8", "i8"]
TOLERANCE = {"f4": 2e-4, "c8": 2e-4}


def matrix(size, dtype, width=None, seed=0):
    random = np.random.default_rng(seed)
    shape = (size, size if width is None else width)
    made = random.integers(-9, 10, shape) if dtype == "i8" else random.normal(size=shape)
    return (made + 1j * random.normal(size=shape) if dtype[0] == "c" else made).astype(dtype)


def definite(size, dtype):
    a = matrix(size, dtype)
    return (a @ a.conj().T + size * np.eye(size)).astype(dtype)


def close(got, expected, dtype):
    assert got.dtype == expected.dtype and got.shape == expected.shape
    np.testing.assert_allclose(got, expected, rtol=TOLERANCE.get(dtype, 1e-10), atol=TOLERANCE.get(dtype, 1e-10))


def raised(function, *args):
    try:
        function(*args)
    except Exception as error:
        return type(error), str(error)


@njit
def lu(a):
    return scipy.linalg.lu_factor(a)


@njit
def lu_solve(a, b, trans):
    return scipy.linalg.lu_solve(scipy.linalg.lu_factor(a), b, trans)


@njit
def cho(a, lower):
    return scipy.linalg.cho_factor(a, lower)


@njit
def cholesky(a, lower):
    return scipy.linalg.cholesky(a, lower=lower)


@njit
def cho_solve(a, b, lower):
    return scipy.linalg.cho_solve(scipy.linalg.cho_factor(a, lower=lower), b)


@njit
def triangular(a, b, trans, lower, unit):
    return scipy.linalg.solve_triangular(a, b, trans, lower, unit)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(1, 1), (4, 4), (7, 7), (3, 5), (5, 3)])
def test_lu(shape, dtype):
    a = matrix(shape[0], dtype, shape[1])
    for a in (a, np.asfortranarray(a), a[::-1, ::-1]):
        (factors, pivots), (expected, places) = lu(a), lu.py_func(a)
        close(factors, expected, dtype)
        assert pivots.dtype == places.dtype and pivots.tolist() == places.tolist()
        assert factors.flags.f_contiguous


@pytest.mark.parametrize("dtype, other", [*zip(DTYPES, DTYPES), ("f4", "f8"), ("f8", "c8"), ("i8", "f4")])
@pytest.mark.parametrize("width", [None, 1, 3])
def test_systems(dtype, other, width):
    a = matrix(5, dtype)
    b = matrix(5, other, 1, 1)[:, 0] if width is None else matrix(5, other, width, 1)
    worst = other if other in TOLERANCE else dtype
    for trans in (0, 1, 2):
        close(lu_solve(a, b, trans), lu_solve.py_func(a, b, trans), worst)
    for lower in (False, True):
        close(cho_solve(definite(5, dtype), b, lower), cho_solve.py_func(definite(5, dtype), b, lower), worst)
    for trans, lower, unit in itertools.product((0, 1, 2), (False, True), (False, True)):
        steady = a + 20 * np.eye(5).astype(a.dtype)
        close(triangular(steady, b, trans, lower, unit), triangular.py_func(steady, b, trans, lower, unit), worst)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("lower", [False, True])
def test_cholesky(dtype, lower):
    a = definite(6, dtype)
    close(cholesky(a, lower), cholesky.py_func(a, lower), dtype)
    (c, which), (expected, known) = cho(a, lower), cho.py_func(a, lower)
    assert which is known
    close(c, expected, dtype)


def test_transpositions_are_named():
    @njit
    def named(a, b):
        return scipy.linalg.solve_triangular(a, b, trans="T", lower=True), scipy.linalg.solve_triangular(a, b, "C")

    a, b = matrix(4, "c16") + 5 * np.eye(4), matrix(4, "c16", 2)
    for got, expected in zip(named(a, b), named.py_func(a, b)):
        close(got, expected, "c16")


def test_errors_are_those_of_scipy():
    eye, row, three = np.eye(2), np.ones(2), np.ones(3)
    for function, *args in (
            (lu, np.array([[np.nan]])), (lu_solve, eye, three, 0), (lu_solve, eye, np.ones((3, 2)), 0), (cho, -eye, False),
            (cho, np.ones((2, 3)), True), (cholesky, np.array([[1.0, 2.0], [2.0, 1.0]]), True), (cho_solve, eye, three, True),
            (cho_solve, eye, np.array([1.0, np.inf]), True), (triangular, np.ones((2, 3)), row, 0, False, False),
            (triangular, eye, three, 0, False, False), (triangular, np.zeros((2, 2)), row, 0, True, False)):
        assert raised(function, *args) == raised(function.py_func, *args) != None  # noqa: E711


def test_nothing_is_there():
    nothing = np.empty((0, 0))
    assert lu(nothing)[0].shape == (0, 0) and len(lu(nothing)[1]) == 0
    assert cho_solve(nothing, np.empty(0), True).shape == (0,)
    assert triangular(nothing, np.empty((0, 2)), 0, True, False).shape == (0, 2)


def test_nothing_is_overwritten():
    a, b = definite(4, "f8"), matrix(4, "f8", 2)
    before = a.copy(), b.copy()
    cho_solve(a, b, True), lu_solve(a, b, 0), triangular(a, b, 0, True, False)
    np.testing.assert_array_equal(a, before[0])
    np.testing.assert_array_equal(b, before[1])
