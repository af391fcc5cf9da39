"""Reductions of expressions of arrays: the bits of NumPy, without an array between, and what must not be joined."""
import itertools

import numpy as np
import pytest

from rumba import njit
from rumba.nrt_stats import rtsys


def array(shape, dtype, seed):
    values = np.random.default_rng(seed).random(shape) * 4 - 2
    if np.dtype(dtype).kind == "c":
        values = values + 1j * np.random.default_rng(seed + 9).random(shape)
    return values > 0 if dtype is np.bool_ else values.astype(dtype)


def same(found, wanted):
    wanted = np.asarray(wanted)[()]
    assert np.asarray(found).dtype.kind == wanted.dtype.kind or isinstance(found, (bool, np.bool_)), (found, wanted)
    assert wanted.dtype.type(found).tobytes() == wanted.tobytes(), (found, wanted)


@njit
def reductions(a, b):
    return (np.sum(a * b), (a - b).sum(), ((a - b) * (a + b)).sum(), np.mean(a * b - a), (a * 2).mean(), np.prod(a * b), (-a).prod(),
            np.any(a == b), (a != b).all(), np.all(a * 1 == a), (a == b).any(), np.sum(np.absolute(a) + b))


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.complex128])
def test_bits(dtype):
    for shape in (0,), (1,), (7,), (8,), (9,), (127,), (128,), (129,), (1000,), (5000,), (3, 5), (40, 41), (4, 5, 6):
        a, b = array(shape, dtype, 1), array(shape, dtype, 2)
        with np.errstate(all="ignore"):
            empty = not a.size
            found, wanted = (reductions(a, b) if not empty else None), None
            if empty:
                assert sums(a, b) == 0
                continue
            wanted = reductions.py_func(a, b)
        if dtype is np.complex128:
            # A product of complex numbers rounds in its own way (docs/guide/differences.md).
            found, wanted = (found[1], *found[7:11]), (wanted[1], *wanted[7:11])
        for one, other in zip(found, wanted):
            same(one, other)


@njit
def sums(a, b):
    return np.sum(a * b)


def test_integers_and_truth_values():
    for dtype in (np.int64, np.int32, np.uint8, np.bool_):
        a, b = array(300, dtype, 1), array(300, dtype, 2)
        found = njit(lambda a, b: (np.sum(a & b), (a | b).sum(), (a > b).sum(), np.any(a < b), (a >= b).all(), np.prod(a | 1)))(a, b)
        wide = np.int64 if np.dtype(dtype).kind != "u" else np.uint64
        x, y = (a, b) if dtype is np.bool_ else (a.astype(wide), b.astype(wide))
        assert found[0] == (x & y).sum() and found[1] == (x | y).sum() and found[2] == (a > b).sum()
        assert found[3] == (a < b).any() and found[4] == (a >= b).all()


def allocated(function, *args):
    """How many blocks of memory a call allocates."""
    function(*args)
    before = rtsys.get_allocation_stats().alloc
    function(*args)
    return rtsys.get_allocation_stats().alloc - before


def test_no_array_between():
    """Truth values need no memory, integers neither, and sums of floats one buffer."""
    a, b = array(5000, np.float64, 1), array(5000, np.float64, 2)
    i, j = array(5000, np.int64, 1), array(5000, np.int64, 2)
    for function in lambda a, b: np.any(a > b), lambda a, b: np.all(a * 2.0 > b - 9.0), lambda a, b: (a > b).sum(), lambda a, b: (a * b).prod():
        compiled = njit(function)
        same(compiled(a, b), function(a, b))
        assert allocated(compiled, a, b) == 0
    assert allocated(njit(lambda a, b: np.sum(a * b)), i, j) == 0
    for function in (lambda a, b: ((a - b) ** 2).sum(), lambda a, b: np.mean(np.sqrt(a * a + b * b)), lambda a, b: np.sum(a[1:] * b[:-1])):
        compiled = njit(function)
        same(compiled(a, b), function(a, b))
        assert allocated(compiled, a, b) == 1


@njit
def extremes(a, b):
    return np.max(a * b), (a - b).min(), np.min(a + 1), (a * 2).max(), np.count_nonzero(a > b)


@njit
def of_rows(a, b):
    return ((a - b) ** 2).sum(axis=1), np.mean(a * b, -1), np.max(a - b, axis=1), (a > b).sum(1), np.any(a > b, axis=-1), (a * b).prod(axis=1)


def test_extremes_and_rows():
    for dtype in np.float64, np.float32, np.int64:
        for shape in (1,), (1023,), (1025,), (5000,), (30, 50):
            a, b = array(shape, dtype, 1), array(shape, dtype, 2)
            for found, wanted in zip(extremes(a, b), extremes.py_func(a, b)):
                same(found, wanted)
    a, b = array(3000, np.float64, 1), array(3000, np.float64, 2)
    a[1700] = np.nan
    assert np.isnan(extremes(a, b)[:4]).all()
    a[:] = -0.0
    same(extremes(a, np.ones(3000))[0], -0.0)
    with pytest.raises(ValueError, match="zero-size array to reduction operation maximum which has no identity"):
        extremes(a[:0], b[:0])
    for shape in (1, 1), (7, 3), (3, 5000), (20, 0), (0, 4), (130, 129):
        a, b = array(shape, np.float64, 1), array(shape, np.float64, 2)
        if not shape[1]:
            assert not njit(lambda a, b: (a * b).sum(axis=1))(a, b).any()
            continue
        for found, wanted in zip(of_rows(a, b), of_rows.py_func(a, b)):
            assert found.dtype == wanted.dtype and found.tobytes() == wanted.tobytes(), (shape, found, wanted)
    with pytest.raises(ValueError):
        of_rows(array((3, 4), np.float64, 1), array((3, 5), np.float64, 1))
    row = array((3, 1), np.float64, 1)
    wide = array((3, 4), np.float64, 1)
    assert of_rows(wide, row)[0].tobytes() == ((wide - row) ** 2).sum(axis=1).tobytes()


def test_other_arguments_and_shapes():
    """Where the arrays are not all of one shape in rows, or a call says more, the result is the same."""
    a, b, row = array((40, 30), np.float64, 1), array((40, 30), np.float64, 2), array(30, np.float64, 3)

    @njit
    def several(a, b, row):
        return (np.sum(a * row), (a.T * b.T).sum(), np.sum(a[::2] * b[::2]), np.sum(np.asfortranarray(a) * b))

    for found, wanted in zip(several(a, b, row), several.py_func(a, b, row)):
        assert found == wanted
    for function in (lambda a, b: np.sum(a * b, axis=0), lambda a, b: (a * b).sum(axis=1), lambda a, b: (a - b).sum(0),
                     lambda a, b: np.sum(a * b, keepdims=True), lambda a, b: np.mean(a * b, axis=-1), lambda a, b: np.sum(a * b, None, np.float32)):
        assert np.array_equal(njit(function)(a, b), function(a, b))
    one = njit(lambda a, b: np.sum(a * b))
    same(one(array((3, 1), np.float64, 1), array((3, 4), np.float64, 2)), np.sum(array((3, 1), np.float64, 1) * array((3, 4), np.float64, 2)))
    with pytest.raises(ValueError, match="could not be broadcast|shapes"):
        one(array((3, 2), np.float64, 1), array((3, 4), np.float64, 2))
    same(njit(lambda a: np.sum(a * 2.0 + 1))(a), np.sum(a * 2.0 + 1))
    same(njit(lambda a, x: (a > x).sum())(a, 0.5), (a > 0.5).sum())
    assert njit(lambda x, y: np.sum(x * y))(2.0, 3.0) == 6.0


def test_what_must_not_be_joined():
    a, b = array(50, np.float64, 1), array(50, np.float64, 2)

    @njit
    def used_twice(a, b):
        c = a * b
        return np.sum(c), c

    same(used_twice(a, b)[0], np.sum(a * b))
    assert np.array_equal(used_twice(a, b)[1], a * b)

    @njit
    def written_between(a, b):
        c = a * b
        a[0] = 100.0
        return np.sum(c)

    same(written_between(a.copy(), b), np.sum(a * b))

    @njit
    def change(a):
        a[1] = 7.0
        return 0

    @njit
    def called_between(a, b):
        return np.sum(a * b, None), (a * b + change(a)).sum()

    copy = a.copy()
    first, second = called_between(copy, b)
    same(first, np.sum(a * b))
    assert copy[1] == 7.0 and second == np.sum(a * b)

    @njit
    def in_a_loop(a, b):
        total = 0.0
        for i in range(5):
            c = a * i
            total += (c - b).sum()
        return total

    wanted = 0.0
    for i in range(5):
        wanted += (a * i - b).sum()
    same(in_a_loop(a, b), wanted)

    @njit
    def in_a_try(a, b):
        try:
            return np.sum(a * b)
        except ValueError:
            return -1.0

    same(in_a_try(a, b), np.sum(a * b))
    assert in_a_try(a, b[:3]) == -1.0


def test_random_expressions():
    """The bits of sums of random expressions of two arrays and a number."""
    x, y = array(1337, np.float64, 4), array(1337, np.float64, 5)
    for first, second, third in itertools.product(("+", "*"), ("-", "/"), ("+", "-")):
        function = eval(f"lambda x, y, w: ((x {first} y) {second} (w {third} x)).sum()")
        same(njit(function)(x, y, 3.0), function(x, y, 3.0))


@njit
def spread_and_places(a, b):
    return (np.var(a * b), (a - b).std(), np.argmax(a * b), (a - b).argmin(), np.argmin(-a)), (
        (a - b).var(axis=1), np.std(a * b, -1), np.argmax(a * b, axis=1), (a - b).argmin(1))


def test_spread_and_places():
    for dtype, shape in itertools.product((np.float64, np.float32), ((1, 1), (7, 3), (3, 5000), (130, 129))):
        a, b = array(shape, dtype, 1), array(shape, dtype, 2)
        if a.size > 3000:
            b.flat[2500] = np.nan
        (numbers, rows), (wanted_numbers, wanted_rows) = spread_and_places(a, b), spread_and_places.py_func(a, b)
        for found, wanted in zip(numbers, wanted_numbers):
            same(found, wanted)
        for found, wanted in zip(rows, wanted_rows):
            assert found.dtype == wanted.dtype
            np.testing.assert_array_equal(found, wanted)
    a, b = array(90_000, np.int64, 3), array(90_000, np.int64, 4)
    place = njit(lambda a, b: (np.argmax(a * b), np.argmin(a - b)))
    parallel = njit(parallel=True)(place.py_func)
    assert place(a, b) == parallel(a, b) == place.py_func(a, b)
    assert allocated(njit(lambda a, b: np.argmax(a * b)), a, b) == 3
    assert allocated(njit(lambda a, b: np.var(a * b)), a + 0.5, b + 0.5) == 2
    same(njit(lambda a: np.var(a * 2, ddof=1))(a[:9] + 0.5), np.var((a[:9] + 0.5) * 2, ddof=1))
    with pytest.raises(ValueError, match="attempt to get argmax of an empty sequence"):
        place(a[:0], b[:0])
