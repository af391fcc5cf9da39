"""`target="parallel"`: the loops of ufuncs on several threads give what they give on one, errors too."""
import numpy as np
import pytest

import rumba.numba as numba
from rumba.numba import guvectorize, vectorize

MANY = 200_000


def both(decorate):
    """A decorator that makes the same thing twice: for one thread, for several."""
    return lambda function: (decorate(function, target="cpu"), decorate(function, target="parallel"))


@both(lambda f, **how: vectorize(["float64(float64, float64)", "float32(float32, float32)"], **how)(f))
def waves(a, b):
    return np.sin(a) * np.exp(-b) + a


@both(lambda f, **how: vectorize(f, **how))
def checked(a, b):
    if b < 0:
        raise ValueError("negative", b)
    return a - b


@both(lambda f, **how: guvectorize(["(float64[:], float64[:])"], "(n)->(n)", **how)(f))
def sums(row, out):
    total = 0.0
    for i in range(len(row)):
        total += row[i]
        out[i] = total


@both(lambda f, **how: guvectorize(["(int64[:], int64[:], int64[:])"], "(n),()->()", **how)(f))
def at(row, place, out):
    if place[0] >= len(row):
        raise IndexError("no place", place[0])
    out[0] = row[place[0]]


def same(pair, *args, **keywords):
    one, several = (ufunc(*args, **keywords) for ufunc in pair)
    assert one.dtype == several.dtype
    np.testing.assert_array_equal(one, several)


numbers = np.random.default_rng(1).normal(size=MANY)


@pytest.mark.parametrize("layout", [
    lambda x: x, lambda x: x[::-1], lambda x: x[::3], lambda x: x.astype(np.float32), lambda x: x.reshape(500, 400).T,
    lambda x: x.reshape(500, 400)[::2, 5:300], lambda x: x.astype(">f8"), lambda x: x[:0], lambda x: x[:1], lambda x: x[:17]])
def test_layouts(layout):
    x = layout(numbers)
    same(waves, x, x)
    same(waves, x, 2.5)
    same(waves, x, x[:1])
    same(waves, x, x, where=x > 0, out=np.zeros(x.shape))
    if x.ndim == 2:
        same(sums, x)
        same(waves, x, x[0])


def test_the_pool_runs_them():
    @vectorize(["int64(int64)"], target="parallel")
    def who(x):
        total = 0
        for i in range(x):
            total ^= i * x
        return numba.get_num_threads() + 1000 * numba.get_thread_id() + (total & 0)

    def ids():
        return np.unique(who(np.full(MANY, 200)))

    try:
        numba.set_num_threads(numba.config.NUMBA_NUM_THREADS)
        ids()
        assert numba.threading_layer()
        assert set(ids() % 1000) == {numba.get_num_threads()} and (ids() // 1000 < numba.get_num_threads()).all()
        numba.set_num_threads(1)
        assert ids().tolist() == [1]
    finally:
        numba.set_num_threads(numba.config.NUMBA_NUM_THREADS)


def test_results_over_their_arguments():
    for ufunc in waves:
        x = numbers.copy()
        ufunc(x, x, out=x)
        np.testing.assert_array_equal(x, waves[0](numbers, numbers))
    one, several = numbers.copy(), numbers.copy()
    for ufunc, x in zip(waves, (one, several)):
        ufunc(x[:-1], 1.0, out=x[1:])
    np.testing.assert_array_equal(one, several)


def test_methods():
    x = np.arange(MANY) % 1000
    for pair in checked,:
        one, several = pair
        for method in "reduce", "accumulate":
            np.testing.assert_array_equal(getattr(one, method)(x), getattr(several, method)(x))
        grid = x.reshape(500, 400)
        for axis in 0, 1:
            np.testing.assert_array_equal(one.reduce(grid, axis=axis), several.reduce(grid, axis=axis))
            np.testing.assert_array_equal(one.accumulate(grid, axis=axis), several.accumulate(grid, axis=axis))
        np.testing.assert_array_equal(one.reduceat(x, [0, 70, 50_000]), several.reduceat(x, [0, 70, 50_000]))
        np.testing.assert_array_equal(one.outer(x[:300], x[:200]), several.outer(x[:300], x[:200]))
        counts = np.zeros(1000, np.int64), np.zeros(1000, np.int64)
        one.at(counts[0], x, 1)
        several.at(counts[1], x, 1)
        np.testing.assert_array_equal(*counts)


def test_the_first_error_arrives_once():
    several = checked[1]
    x = np.arange(MANY)
    several(x, x)
    for first in 0, 5, 70_000, MANY - 1:
        wrong = x.copy()
        wrong[first:] = -x[first:] - 1
        with pytest.raises(ValueError) as raised:
            several(x, wrong)
        assert raised.value.args == ("negative", -first - 1)
        np.testing.assert_array_equal(several(x, x), x - x)
    places = np.zeros(5000, np.int64)
    rows = np.tile(np.arange(100), (5000, 1))
    same(at, rows, places)
    places[3000:] = np.arange(2000) + 100
    with pytest.raises(IndexError) as raised:
        at[1](rows, places)
    assert raised.value.args == ("no place", 100)


def test_operands_that_are_written_and_shared():
    @guvectorize(["(int64[:], int64[:])"], "(n),(m)", target="parallel")
    def count(row, total):
        total[0] += len(row)

    total = np.zeros(1, np.int64)
    count(np.zeros((20_000, 3), np.int64), total)
    assert total[0] == 60_000


def test_compiled_code_calls_them():
    several = waves[1]

    @numba.njit
    def call(x):
        return several(x, x)

    np.testing.assert_array_equal(call(numbers), waves[0](numbers, numbers))
