"""Ufuncs whose loops Python runs: `forceobj=True`."""
import fractions
import pickle

import numpy as np
import pytest
from rumba import errors, njit
from rumba.numba import guvectorize, vectorize


@vectorize(["int64(int64, int64)", "float64(float64, float64)"], forceobj=True)
def exact(a, b):
    return round(fractions.Fraction(a) / fractions.Fraction(b))


@guvectorize(["(int64[:], int64, int64[:])"], "(n),()->(n)", forceobj=True)
def ordered(x, sign, result):
    result[:] = sorted(x, key=lambda item: sign * item)


A = np.array([[3, 1, 2], [9, 7, 8]])


def test_numbers():
    np.testing.assert_array_equal(exact(A, 2), [[2, 0, 1], [4, 4, 4]])
    np.testing.assert_array_equal(exact(A[::-1, ::2], np.array([1, 2])), [[9, 4], [3, 1]])
    found = exact(A * 0.5, 1)
    assert found.dtype == np.float64 and found.tolist() == [[2, 0, 1], [4, 4, 4]]
    assert exact.reduce(np.array([100, 5, 2])) == 10
    assert pickle.loads(pickle.dumps(exact))(7, 2) == 4
    with pytest.raises(TypeError):
        exact(1j, 2)


def test_exceptions_come_after_the_other_items():
    out = np.zeros(3, np.int64)
    with pytest.raises(ZeroDivisionError):
        exact(np.array([4, 5, 6]), np.array([2, 0, 3]), out=out)
    assert out.tolist() == [2, 0, 2]
    assert exact(4, 2) == 2


def test_rows():
    np.testing.assert_array_equal(ordered(A, 1), np.sort(A))
    np.testing.assert_array_equal(ordered(A.T[::-1], np.array([1, -1, 1])), [[2, 8], [7, 1], [3, 9]])
    failing = guvectorize(["(int64[:], int64[:])"], "(n)->(n)", forceobj=True)(lambda x, y: {}[0])
    with pytest.raises(KeyError):
        failing(A)


def test_what_is_refused():
    with pytest.raises(TypeError, match="its signatures have to name their results"):
        vectorize(forceobj=True)(lambda a: a)(A)
    with pytest.raises(errors.TypingError, match="a ufunc that Python runs"):
        njit(lambda a: exact(a, a))(A)
    with pytest.raises(errors.TypingError, match="a ufunc that Python runs"):
        njit(lambda a: exact.reduce(a))(A)
