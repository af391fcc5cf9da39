"""`rumba.atomic`: values and results of all operations against NumPy, and that no change is lost."""
import threading

import numpy as np
import pytest

import rumba.numba as numba
from rumba import atomic, njit

DTYPES = [np.dtype(name) for name in "int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64".split()]


@njit
def add(a, i, x):
    return atomic.add(a, i, x)


@njit
def sub(a, i, x):
    return atomic.sub(a, i, x)


@njit
def greater(a, i, x):
    return atomic.max(a, i, x)


@njit
def lesser(a, i, x):
    return atomic.min(a, i, x)


@njit
def exchange(a, i, x):
    return atomic.exchange(a, index=i, value=x)


@njit
def swap(a, i, expected, x):
    return atomic.compare_and_swap(a, i, expected, x)


OPERATIONS = add, sub, greater, lesser, exchange
ORACLE = [np.add, np.subtract, np.maximum, np.minimum, lambda old, new: new]


def values(dtype):
    if dtype.kind == "f":
        return np.array([0.0, -0.0, 1.5, -2.25, np.inf, -np.inf, np.nan, np.finfo(dtype).max], dtype)
    limits = np.iinfo(dtype)
    return np.array([limits.min, 0, 1, 7, limits.max], dtype)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_values(dtype):
    with np.errstate(all="ignore"):
        for operation, oracle in zip(OPERATIONS, ORACLE):
            for old in values(dtype):
                for new in values(dtype):
                    for call in operation, operation.py_func:
                        array = np.array([3, old, 5], dtype)
                        given = call(array, 1, new)
                        assert np.array([given], dtype).tobytes() == old.tobytes()
                        wanted = np.array([3, oracle(old, new), 5], dtype)
                        if dtype.kind == "f" and {old, new} == {0.0, -0.0} and oracle in (np.maximum, np.minimum):
                            assert array[1] == 0
                        else:
                            np.testing.assert_array_equal(array, wanted)
        for old in values(dtype):
            for expected in values(dtype):
                for call in swap, swap.py_func:
                    array = np.array([3, old, 5], dtype)
                    given = call(array, 1, expected, dtype.type(9))
                    assert np.array([given], dtype).tobytes() == old.tobytes()
                    is_same = old.tobytes() == expected.tobytes()
                    assert array.tobytes() == np.array([3, 9 if is_same else old, 5], dtype).tobytes()


def test_indices_and_values():
    grid = np.arange(12.0).reshape(3, 4)
    for view in grid, grid.T, grid[::2, ::-1]:
        wanted = view.copy()
        wanted[-1, 1] += 2
        assert add(view, (-1, 1), 2) == wanted[-1, 1] - 2
        np.testing.assert_array_equal(view, wanted)
    with pytest.raises(IndexError, match="index 3 is out of bounds for axis 0 with size 3"):
        add(grid, (3, 0), 1)
    point = np.array(5)
    assert add(point, (), 2) == 5 and point == 7
    for wrong in ((np.zeros(3, complex), 0, 1), (np.zeros(3, bool), 0, True), (np.zeros((2, 2)), 0, 1.0),
                  (np.zeros(3, np.int32), 0, 1.5), ([1], 0, 1), (np.zeros(3), slice(2), 1.0)):
        with pytest.raises(numba.TypingError):
            add(*wrong)
    fixed = np.zeros(3)
    fixed.flags.writeable = False
    with pytest.raises(numba.TypingError):
        add(fixed, 0, 1.0)


@njit(nogil=True)
def many(counts, sums, extremes, n, seed):
    for i in range(n):
        atomic.add(counts, i % 7, 1)
        atomic.sub(counts, i % 5, np.uint8(1))
        atomic.add(sums, (0,), 0.5)
        atomic.max(extremes, 0, i * 3 % 1001 + seed)
        atomic.min(extremes, 1, -(i * 5 % 1003) - seed)
        old = extremes[2]
        while atomic.compare_and_swap(extremes, 2, old, old + 1) != old:
            old = extremes[2]


def test_no_change_is_lost():
    n, threads = 20_000, 4
    counts, sums, extremes = np.zeros(8, np.uint8), np.zeros(2, np.float32), np.zeros(3, np.int64)
    many(counts, sums, extremes, 0, 0)
    running = [threading.Thread(target=many, args=(counts, sums, extremes, n, seed)) for seed in range(threads)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()
    wanted = np.zeros(8, np.int64)
    np.add.at(wanted, np.arange(n) % 7, threads)
    np.subtract.at(wanted, np.arange(n) % 5, threads)
    np.testing.assert_array_equal(counts, wanted.astype(np.uint8))
    assert sums.tolist() == [n * threads / 2, 0] and extremes.tolist() == [1003, -1005, n * threads]
