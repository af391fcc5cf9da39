"""Functions of arrays that the library writes in Python, against NumPy: bounds, rounding, order, counts, products."""
import warnings

import numpy as np
import pytest
from leaks import nothing_leaks  # noqa: F401  the fixture

from rumba import njit
from rumba.errors import TypingError

RNG = np.random.default_rng(11)
REAL = ["i1", "u1", "i2", "i4", "u4", "i8", "u8", "f4", "f8"]


@pytest.fixture(autouse=True)
def quietly():
    """What divides by zero says nothing."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield


def same(got, expected):
    """Equal items in arrays of one shape and type, and equal numbers."""
    if isinstance(expected, tuple):
        assert len(got) == len(expected)
        for one, other in zip(got, expected):
            same(one, other)
        return
    assert np.shape(got) == np.shape(expected)
    if isinstance(expected, np.ndarray):
        assert got.dtype == expected.dtype
    np.testing.assert_array_equal(got, expected)


def check(function, *args):
    """The compiled function gives and raises what NumPy does."""
    try:
        expected = function(*args)
    except Exception as error:
        with pytest.raises(type(error)) as raised:
            njit(function)(*args)
        assert str(raised.value) == str(error)
        return
    same(njit(function)(*args), expected)


def rows(dtype, most=300):
    """Arrays of many lengths with equal items, extremes and NaN."""
    info = np.finfo(dtype) if np.dtype(dtype).kind == "f" else np.iinfo(dtype)
    for count in [0, 1, 2, 7, 48, 49, most]:
        yield RNG.integers(0, 5, count).astype(dtype)
        wide = RNG.integers(info.min if info.min > -2**62 else -2**62, info.max if info.max < 2**62 else 2**62, count)
        yield wide.astype(dtype)
        if np.dtype(dtype).kind == "f":
            special = np.array([np.nan, np.inf, -np.inf, 0.0, 1.5, -2.5, info.max, info.min, info.tiny])
            yield RNG.choice(special, count).astype(dtype)
            yield (RNG.random(count) - 0.5).astype(dtype)
        else:
            yield RNG.choice(np.array([info.min, info.max, 0, 1], dtype), count)


@pytest.mark.parametrize("dtype", REAL)
def test_order(dtype):
    sort, argsort, unique = (njit(function) for function in [
        lambda a: np.sort(a), lambda a: np.argsort(a), lambda a: np.unique(a)])

    @njit
    def in_place(a):
        a.sort()

    for row in rows(dtype):
        same(sort(row), np.sort(row))
        same(argsort(row), np.argsort(row))
        same(unique(row), np.unique(row))
        given = np.repeat(row, 2)[::2]
        in_place(given)
        same(given, np.sort(row))


def test_order_of_lines():
    for a in [RNG.random((5, 70)), RNG.random((3, 4, 5)), np.asfortranarray(RNG.random((6, 60))), np.zeros((3, 0))]:
        check(lambda a: np.sort(a), a)
    check(lambda a: a.argsort(), RNG.random(20))
    check(lambda a: np.sort(a), np.array([True, False, True]))
    check(lambda a: np.sort(a), np.array([1j, 2]))


@pytest.mark.parametrize("dtype", ["i4", "u8", "f4", "f8"])
def test_places_of_values(dtype):
    left = njit(lambda a, v: np.searchsorted(a, v))
    right = njit(lambda a, v: np.searchsorted(a, v, side="right"))
    for row in rows(dtype, 100):
        row = np.sort(row)
        values = np.concatenate([row, RNG.integers(0, 100, 20).astype(dtype)])
        same(left(row, values), np.searchsorted(row, values))
        same(right(row, values), np.searchsorted(row, values, side="right"))
        same(left(row, values[:20].reshape(4, 5)) if values.size >= 20 else 0,
             np.searchsorted(row, values[:20].reshape(4, 5)) if values.size >= 20 else 0)
        assert left(row, values[-1]) == np.searchsorted(row, values[-1])


def test_counts():
    for x in [RNG.integers(0, 9, 50), np.array([], "i8"), RNG.integers(0, 200, 60).astype("u1"), np.array([3, -1])]:
        check(lambda x: np.bincount(x), x)
        check(lambda x: np.bincount(x, minlength=20), x)
        if x.size:
            check(lambda x, w: np.bincount(x, w), x, RNG.random(x.size))
    check(lambda x: np.bincount(x, minlength=-1), np.array([1]))
    check(lambda x, w: np.bincount(x, w), np.array([1, 2]), np.array([1.0]))
    for a in [RNG.random(1000), RNG.integers(0, 9, 50), np.ones(4), np.array([]), RNG.random((4, 5)), np.arange(11.0)]:
        check(lambda a: np.histogram(a), a)
        check(lambda a: np.histogram(a, 7), a)
        check(lambda a, e: np.histogram(a, e), a, np.array([0.0, 0.25, 0.5, 2.0]))
        check(lambda a: np.histogram(a, 25), a * 1e-322)
        check(lambda a: np.histogram(a, 3), a * 1e-310)
        check(lambda a: np.histogram(a, 3), a * 1e307)
    check(lambda a: np.histogram(a, 0), np.ones(3))


@pytest.mark.parametrize("dtype", ["i4", "i8", "f4", "f8"])
def test_bounds(dtype):
    a = (RNG.random((4, 5)) * 20 - 10).astype(dtype)
    low, high = a.dtype.type(-3), a.dtype.type(4)
    check(lambda a, low, high: np.clip(a, low, high), a, np.full(5, low), np.full((4, 1), high))
    check(lambda a, low: np.clip(a, low, None), a, np.full(5, low))
    check(lambda a, high: a.clip(None, high), a, np.full(5, high))

    def out(a, low, high, out):
        return np.clip(a, low, high, out)
    made = np.zeros_like(a)
    assert njit(out)(a, np.full(5, low), np.full(5, high), made) is made
    same(made, np.clip(a, low, high))
    check(lambda a: np.clip(a, -3.5, 4.5), a.astype("f8"))
    with pytest.raises(TypingError):
        njit(lambda a: np.clip(a, "x", 3))(a)


def test_rounding():
    for a in [RNG.random((3, 4)) * 1000 - 500, (RNG.random(20) * 100).astype("f4"), np.array([0.5, 1.5, -2.5, np.nan, np.inf])]:
        check(lambda a: np.round(a), a)
        check(lambda a: np.around(a, 2), a)
        check(lambda a: a.round(1), a)
        check(lambda a: np.round(a, -2), a)
        made = np.zeros_like(a)
        assert njit(lambda a, out: np.round(a, 1, out))(a, made) is made
        same(made, np.round(a, 1))
    check(lambda a: np.round(a), np.arange(4))


def test_quotients_and_rests():
    for dtype in ["i4", "i8", "u2", "f8", "f4"]:
        a, b = np.arange(12).astype(dtype), np.array([1, 2, 3, 5] * 3).astype(dtype)
        check(lambda a, b: np.divmod(a, b), a, b)
        check(lambda a, b: divmod(a, b), a, b)
        first, second = np.zeros_like(a), np.zeros_like(a)
        njit(lambda a, b, x, y: np.divmod(a, b, x, y))(a, b, first, second)
        same((first, second), np.divmod(a, b))


def test_nearly_equal():
    a = np.array([1.0, np.nan, np.inf, -np.inf, 0.0, 1e10, np.inf])
    b = np.array([1.0 + 1e-9, np.nan, np.inf, np.inf, 1e-9, 1.00001e10, 3.0])
    check(lambda a, b: np.isclose(a, b), a, b)
    check(lambda a, b: np.isclose(a, b, equal_nan=True), a, b)
    check(lambda a, b: np.isclose(a, b, rtol=1e-3, atol=0.5), a, b)
    check(lambda a, b: np.allclose(a, b), a, b)
    check(lambda a, b: np.allclose(a, b), a[:1], b[:1])
    check(lambda a: np.isclose(a, 1), np.arange(4))
    check(lambda a, b: np.array_equal(a, b), a, a)
    check(lambda a, b: np.array_equal(a, b), np.arange(3), np.arange(3.0))
    check(lambda a, b: np.array_equal(a, b), np.arange(3), np.arange(4))
    check(lambda a, b: np.array_equal(a, b), np.arange(3), np.ones((3, 1)))


def test_differences():
    for a in [RNG.random(10), RNG.integers(0, 9, (3, 7)), np.asfortranarray(RNG.random((4, 5))), np.ones(1), np.ones(0)]:
        check(lambda a: np.diff(a), a)
        check(lambda a, n: np.diff(a, n), a, 2)
        check(lambda a, n: np.diff(a, n), a, 0)


@pytest.mark.parametrize("dtype", ["i8", "f4", "f8", "c8", "c16"])
def test_products(dtype):
    def some(*shape):
        values = RNG.integers(-4, 5, shape)
        return (values + 1j * RNG.integers(-3, 4, shape) if dtype[0] == "c" else values).astype(dtype)

    for n in [0, 1, 3, 4, 9]:
        check(lambda a, b: np.dot(a, b), some(n), some(n))
        check(lambda a, b: np.vdot(a, b), some(n), some(n))
        check(lambda a, b: a @ b, some(n), some(2 * n)[::2])
        check(lambda a, b: a @ b, some(3, n), some(n, 5))
        check(lambda a, b: a.dot(b), some(3, n), some(n))
        check(lambda a, b: np.dot(a, b), some(n), np.asfortranarray(some(n, 4)))
        check(lambda a, b: np.outer(a, b), some(n), some(3, 2))
    check(lambda a: np.trace(a), some(3, 5))
    check(lambda a, b: np.dot(a, b), some(3), some(4))
    check(lambda a, b: np.dot(a, b), some(3, 2), some(3, 2))
    check(lambda a, b: np.dot(a, b), some(3, 2), some(3))
    check(lambda a, b: np.dot(a, b), some(3), some(2, 3))


@pytest.mark.parametrize("dtype", ["i4", "i8", "f4", "f8"])
def test_parts_of_the_order(dtype):
    for row in [*rows(dtype, 60)]:
        if not row.size:
            continue
        check(lambda a: np.median(a), row)
        if dtype != "f4" and np.isfinite(row.astype("f8")).all() and abs(row.astype("f8")).max() < 2**30:
            check(lambda a, q: np.percentile(a, q), row, 30)
            check(lambda a, q: np.percentile(a, q), row, np.array([0.0, 12.5, 50, 99, 100]))
            check(lambda a, q: np.quantile(a, q), row, 0.77)
    check(lambda a: np.median(a), np.arange(12.0).reshape(3, 4).T)
    check(lambda a, q: np.percentile(a, q), np.ones(3), 101)
    check(lambda a, q: np.quantile(a, q), np.ones(3), -0.5)


def test_intervals():
    x = np.array([0.2, 6.4, 3.0, 1.6, np.nan, 4.0])
    for bins in [np.array([0.0, 1.0, 2.5, 4.0, 10.0]), np.array([10.0, 4.0, 2.5, 1.0, 0.0]), np.array([1.0])]:
        check(lambda x, b: np.digitize(x, b), x[x == x], bins)
        check(lambda x, b: np.digitize(x, b, right=True), x[x == x], bins)
    check(lambda x, b: np.digitize(x, b), x, np.array([1.0, 3.0, 2.0]))


def test_moved_and_repeated():
    for a in [np.arange(5), np.arange(12.0).reshape(3, 4), np.asfortranarray(np.arange(6.0).reshape(2, 3)), np.array([], "f8")]:
        for shift in [0, 1, -2, 7]:
            check(lambda a, n: np.roll(a, n), a, shift)
        check(lambda a: np.repeat(a, 3), a)
        check(lambda a: np.repeat(a, 0), a)
        check(lambda a: np.append(a, 2.5), a)
        check(lambda a, b: np.append(a, b), a, np.ones((2, 2)))
    check(lambda a, n: np.repeat(a, n), np.arange(3), -1)
    check(lambda a, b: np.cross(a, b), np.array([1.0, 2, 3]), np.array([4, 5, 7]))


def test_truth_values_are_counted_and_weighed():
    truth = np.array([True, False, True, True])
    check(lambda x: np.bincount(x), truth)
    check(lambda x, w: np.bincount(x, w), truth, np.array([0.5, 1.0, 2.0, 4.0]))
    check(lambda x, w: np.average(x, weights=w), truth, np.array([1.0, 2, 3, 4], "f4"))


def test_averages_of_large_integers():
    for dtype in ("i1", "i8", "u8"):
        most = np.iinfo(dtype).max
        a, weights = np.array([most, most - 1, 3], dtype), np.array([most, 2, 3], dtype)
        check(lambda a, w: np.average(a, weights=w), a, weights)
        check(lambda a, w: np.average(a, axis=0, weights=w), np.stack((a, a[::-1]), 1), weights)


def test_angles_are_lost_behind_what_is_no_number():
    check(lambda x: np.unwrap(x), np.array([0.0, 7.0, np.nan, 1.0, 9.0]))
    check(lambda x: np.unwrap(x), np.array([[0.0, np.inf, 1.0], [1.0, 9.0, 2.0]]))


def _agree(function, *args):
    with np.errstate(all="ignore"):
        found, expected = njit(function)(*args), function(*args)
    assert type(found) is type(expected) or np.ndim(expected) == 0 and not isinstance(found, np.ndarray), (args, found, expected)
    np.testing.assert_array_equal(found, expected)
    assert np.asarray(np.signbit(np.real(found)) == np.signbit(np.real(expected))).all()


def test_polynomials_add_item_by_item():
    zero, few, many = np.zeros(0), np.array([-0.0, 1.0]), np.array([-0.0, np.inf, -2.0, -0.0])
    for kind in ("f8", "c16", "f4"):
        for a in (zero, few, many):
            for b in (few, many):
                _agree(lambda a, b: np.polyadd(a, b), a.astype(kind), b.astype("u1" if b is few else kind))
                _agree(lambda a, b: np.polysub(a, b), a.astype(kind), b.astype(kind))
    _agree(lambda a, b: np.polymul(a, b), np.zeros(0), np.array([1.0, 2.0]))
    _agree(lambda a, b: np.polymul(a, b), np.array([0, 0, 3]), np.array([0, 1]))
    _agree(lambda a, b: np.polyadd(a, b), np.array([True, False]), np.array([True]))


def test_angles_of_unsigned_integers_unwrap_by_steps_that_wrap():
    for kind in ("u4", "u1", "i1", "i8", "f4"):
        row = np.array([7, 1, 3, 100, 4, 90, 90]).astype(kind)
        for a in (row, row[::-1], row.reshape(1, 7), np.zeros((2, 0), kind)):
            found, expected = njit(lambda p: np.unwrap(p))(a), np.unwrap(a)
            assert found.dtype == expected.dtype
            np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_functions_of_an_array_without_dimensions_give_numbers():
    for item in (np.array(3), np.array(True), np.array(7, "u1"), np.array(-0.0), np.array(2.5, "f4")):
        for function in (lambda x: np.isposinf(x), lambda x: np.isneginf(x), lambda x: np.sinc(x), lambda x: np.nan_to_num(x)):
            _agree(function, item)
        if item.dtype != bool:
            _agree(lambda x: np.round(x, 1), item)
            _agree(lambda x: np.round(x, -1), item)
    _agree(lambda x: np.round(x, 1), np.array(1.26 - 3.33j))


def test_powers_of_numbers_that_are_not_finite():
    for kind in ("c16", "f8"):
        x = np.array([2.0, np.inf, -np.inf, 0.0]).astype(kind)
        if kind == "c16":
            x = x + np.array([1j, complex(0, np.inf), 1.5j, 0])
        _agree(lambda x: np.vander(x), x)
    assert njit(lambda x: np.i0(x))(np.ones(2, "f4")).dtype == np.float32
    times = np.array([1, "NaT"], "m8[s]")
    assert njit(lambda x: np.asarray_chkfinite(x))(times).dtype == times.dtype


def test_functions_of_the_user_go_along_an_axis():
    square, cube = np.arange(12.0).reshape(3, 4), np.arange(24.0).reshape(2, 3, 4)
    check(lambda a: np.apply_along_axis(lambda row: np.outer(row, row), 1, a), cube)
    check(lambda a: np.apply_along_axis(lambda row: row[:2], -2, a), cube)
    check(lambda a: np.apply_along_axis(lambda row: 1, 0, a), square)
    check(lambda a, more: np.apply_along_axis(lambda row, k: row.sum() + k, 0, a, more), square, 3)
    check(lambda a: np.apply_along_axis(lambda row: row.sum(), 0, a), square[0])


def test_places_of_times():
    days, spans = np.array(["2020", "2021", "NaT"], "M8[D]"), np.array([1, 3, 5], "m8[s]")
    for row, value in [(days, np.datetime64("2020-06", "M")), (days, np.datetime64("NaT", "D")), (days, days), (spans, spans[::-1]),
                       (spans, np.timedelta64(3000, "ms")), (spans, np.array([3001, 1000], "m8[ms]"))]:
        check(lambda a, v: np.searchsorted(a, v), row, value)
        check(lambda a, v: a.searchsorted(v, side="right"), row, value)
        check(lambda a, v: a.searchsorted(v, "left", sorter=np.arange(3)), row, value)


def test_constants_as_buffers():
    check(lambda: np.frombuffer(b"abcd", dtype=np.uint8))
    check(lambda: np.frombuffer(b"abcdefgh"))
    check(lambda: np.frombuffer(b"abcdef", "i2", 2, 2))
    check(lambda a: np.frombuffer(a[0], np.uint8), np.array([b"ab"]))


@pytest.mark.parametrize("rows", [((((1, 2, 3), (2, 2, 2)),),), [[[5, 6, 7]]]])
def test_covariances_of_what_has_three_dimensions(rows):
    for function in (lambda m: np.cov(m), lambda m: np.corrcoef(m)):
        with pytest.raises(TypingError, match="has more than 2 dimensions"):
            njit(function)(rows)


def test_covariances_of_a_tuple_of_one_row():
    @njit
    def both():
        return np.cov(((1.1, 2.2, 1.5),)), np.corrcoef(((1.1, 2.2, 1.5),)), np.cov(((1.0, 2.0, 4.0),), bias=True)

    for got, expected in zip(both(), both.py_func()):
        assert np.ndim(got) == np.ndim(expected) == 0
        # NumPy sums the products by BLAS.
        np.testing.assert_allclose(got, expected, rtol=1e-15)


def test_covariances_of_one_row():
    for function in (lambda m: np.cov(m), lambda m: np.corrcoef(m)):
        with pytest.raises(RuntimeError, match="containing a single row is unsupported"):
            njit(function)(np.arange(3.0).reshape(1, 3))
        check(function, np.arange(3.0))


@pytest.mark.parametrize("make", [lambda a: a, lambda a: a.T, lambda a: np.asfortranarray(a), lambda a: a[::-1, :, ::2]])
def test_joining_and_differences_along_every_axis(make):
    joined = njit(lambda a, axis: (np.concatenate((a, a * 2, a), axis), np.concatenate([a, a], axis), np.roll(a, 2, axis)))
    differences = njit(lambda a, n, axis: np.diff(a, n, axis))
    a = make(np.arange(2 * 3 * 4.0).reshape(2, 3, 4) ** 2)
    for axis in range(-3, 3):
        assert all(map(np.array_equal, joined(a, axis), joined.py_func(a, axis)))
        for n in range(3):
            assert np.array_equal(differences(a, n, axis), np.diff(a, n, axis))
        assert np.array_equal(differences(a > 9, 1, axis), np.diff(a > 9, 1, axis))


def test_bits_of_booleans():
    packed = njit(lambda a: (np.packbits(a), np.packbits(a, bitorder="little")))
    chance = np.random.default_rng(1)
    for size in (*range(20), 1000, 1001):
        for bits in (chance.random(size) < 0.5, (chance.random((3, size + 1)) < 0.5)[:, 1:], chance.random(2 * size)[::2] < 0.5):
            assert all(map(np.array_equal, packed(bits), packed.py_func(bits)))


@pytest.mark.parametrize("dtype", ["i1", "u1", "i4", "i8", "u8", "?"])
def test_items_that_are_in_integers(dtype):
    are_in = njit(lambda a, b: (np.isin(a, b), np.isin(a, b, invert=True)))
    chance = np.random.default_rng(1)
    a = chance.integers(0, 2 if dtype == "?" else 100, 50).astype(dtype)
    for other in ("i8", "i1", "u8", "?"):
        for count in (0, 1, 5, 100):
            b = chance.integers(0, 2 if other == "?" else 60, count).astype(other)
            assert all(map(np.array_equal, are_in(a, b), are_in.py_func(a, b)))
    far = np.array([-2 ** 63, 2 ** 63 - 1, 0, 5])
    assert all(map(np.array_equal, are_in(far, far[:2]), are_in.py_func(far, far[:2])))


def test_frexp_of_rows():
    parts = njit(lambda a: np.frexp(a))
    bits = np.random.default_rng(1).integers(0, 2 ** 64, 1000, dtype=np.uint64)
    for a in (np.array([0.0, -0.0, 1, -3, 1e300, 5e-324, -1e-310, np.inf, -np.inf, np.nan, 2.0 ** -1022]), bits.view(np.float64), np.arange(9.0)[::2]):
        for found, wanted in zip(parts(a), np.frexp(a)):
            assert found.dtype == wanted.dtype and np.array_equal(found, wanted, equal_nan=True)
            assert np.array_equal(np.signbit(found[found == found]), np.signbit(wanted[wanted == wanted]))


def test_order_statistics_of_long_rows():
    parts = njit(lambda a, q: (np.quantile(a, q), np.nanquantile(a, q), np.percentile(a, 33.0), np.median(a), np.nanmedian(a)))
    chance = np.random.default_rng(1)
    for size in (63, 64, 65, 66, 100, 1001):
        with_nan = chance.normal(size=size)
        with_nan[chance.integers(0, size, 2)] = np.nan
        for a in (chance.normal(size=size), chance.integers(0, 5, size), np.sort(chance.normal(size=size)), with_nan):
            for q in (np.array([0, 1, 0.5, 0.333]), np.linspace(0, 1, 9)):
                for found, wanted in zip(parts(a, q), parts.py_func(a, q)):
                    assert np.array_equal(found, wanted, equal_nan=True), (size, q)
