"""`where` and `dtype` in calls of NumPy's ufuncs."""
import numpy as np
import pytest
from leaks import nothing_leaks  # noqa: F401
from test_index_tricks import check_all

from rumba import njit
from rumba.errors import TypingError

A, B = np.array([1.0, 2.0, 3.0]), np.array([0.0, 1.0, 2.0])
TABLE = np.arange(6.0).reshape(2, 3)


def test_where_with_out():
    functions = [
        lambda a, b: np.divide(a, b, out=np.zeros_like(a), where=b != 0),
        lambda a, b: np.subtract(a, b, np.full(a.shape, 9.0), where=b > 0),
        lambda a, b: np.multiply(a, 2, where=a > 1, out=np.zeros((2, 3))),
        lambda a, b: np.add(a, b, where=[True, False, True], out=np.ones((2, 3))),
        lambda a, b: np.add(a, b, where=b[0] > 5, out=np.zeros((2, 3))),
        lambda a, b: np.greater(a, b, where=b > 0, out=np.zeros((2, 3), np.bool_)),
        lambda a, b: np.sqrt(a, where=a > 1, out=np.ones((2, 3))),
        lambda a, b: np.log(a, where=a > 0, out=np.full((2, 3), -1.0)),
        lambda a, b: np.maximum(a, 1.5, where=True),
        lambda a, b: np.add(a, b, where=True, out=np.zeros((2, 3))),
    ]
    for function in functions[2:]:
        check_all(function, [(A, B), (TABLE, B), (TABLE[:, ::-1], TABLE)])
    for function in functions[:2]:
        check_all(function, [(A, B), (TABLE, TABLE[::-1])])


def test_where_into_an_argument():
    def into(a, b, out):
        found = np.add(a, b, out=out, where=a > 1)
        out[0] += 10
        return found

    expected, found = np.zeros(3), np.zeros(3)
    assert np.array_equal(njit(into)(A, B, found), into(A, B, expected)) and np.array_equal(found, expected)


def test_where_without_out():
    found = njit(lambda a, b: np.add(a, b, where=b > 0))(A, B)
    assert found.shape == (3,) and np.array_equal(found[1:], [3, 5])


def test_dtype():
    functions = [
        lambda a, b: np.add(a, b, dtype=np.float32),
        lambda a, b: np.multiply(a, 3, dtype="f4"),
        lambda a, b: np.add(a, b, out=np.zeros(a.shape, np.float32), dtype=np.float32),
        lambda a, b: np.subtract(a, b, dtype=np.complex128),
        lambda a, b: np.add(a, b, dtype=np.float64, where=b > 0, out=np.zeros(a.shape)),
        lambda a, b: np.square(a, dtype=np.float32),
    ]
    for function in functions:
        check_all(function, [(A, B), (TABLE, TABLE)])
    check_all(lambda a, b: np.add(a, b, dtype=np.float64), [(np.arange(3), np.arange(3)), (np.arange(3, dtype=np.int8), 1)])


def test_what_is_refused():
    with pytest.raises(TypingError, match="the mask of a ufunc is boolean"):
        njit(lambda a, b: np.add(a, b, where=b))(A, B)
    with pytest.raises(TypingError, match="got an unexpected keyword argument 'casting'"):
        njit(lambda a, b: np.add(a, b, casting="unsafe"))(A, B)
    with pytest.raises(TypingError, match="known when the function compiles"):
        njit(lambda a, b: np.add(a, b, dtype=a[0]))(A, B)
