"""Kinds of arguments that functions of arrays take, against NumPy: what is known only as the code runs, tuples of lists, empty
tuples, None or an array, times, NaN among what is in order."""
import itertools
import warnings

import numpy as np
import pytest
from array_cases import compare
from leaks import nothing_leaks  # noqa: F401  the fixture

from rumba import njit
from rumba.errors import TypingError
from rumba.numba.np.extensions import cross2d
from rumba.typed import List

RNG = np.random.default_rng(23)
NAN, INF = np.nan, np.inf


@pytest.fixture(autouse=True)
def quietly():
    """What divides by zero, and what NumPy will not do one day, says nothing."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield


def refuses(function, *args, match):
    with pytest.raises(TypingError, match=match):
        njit(function)(*args)


# Flags and modes that are known only as the code runs.

def convolve(a, v, mode):
    return np.convolve(a, v, mode=mode)


def correlate(a, v, mode):
    return np.correlate(a, v, mode)


@pytest.mark.parametrize("function", [convolve, correlate])
@pytest.mark.parametrize("kinds", ["f8f8", "i8f4", "c8i2"])
def test_modes(function, kinds):
    for one, other in itertools.product([0, 1, 2, 3, 7], repeat=2):
        a, v = np.arange(one).astype(kinds[:2]), np.arange(1, other + 1).astype(kinds[2:])
        for mode in ["full", "valid", "same", "other", "vary"]:
            compare(function, a, v, mode)
    refuses(function, np.ones((2, 2)), np.ones(2), "full", match="only supported on 1D arrays")


def isin(a, b, assume_unique, invert):
    return np.isin(a, b, assume_unique, invert)


def of_sets(a, b, assume_unique):
    return (np.intersect1d(a, b, assume_unique), np.setxor1d(a, b, assume_unique=assume_unique),
            np.setdiff1d(a, b, assume_unique))


def test_flags_of_sets():
    arrays = [np.array([5, 7, 1, 2]), np.array([2, 4, 3, 1, 5]), np.array([1.5, 2.0]), np.array([], dtype=np.int64)]
    for a, b in itertools.product(arrays, repeat=2):
        for flag in [True, False]:
            compare(of_sets, a, b, flag)
            compare(isin, a, b, True, flag)
            compare(isin, a.reshape(1, -1), b, flag, False)
    compare(isin, 3, np.array([[1, 3]]), False, True)
    refuses(isin, arrays[0], arrays[1], "a", False, match="assume_unique of np.isin must be a boolean")
    refuses(isin, "a", arrays[1], False, False, match="array-like")


def nan_to_num(x, copy, nan, posinf, neginf):
    return np.nan_to_num(x, copy=copy, nan=nan, posinf=posinf, neginf=neginf)


@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16", "i4", "?"])
def test_nan_to_num_in_place(dtype):
    special = np.array([[NAN, INF, -INF], [1.5, 0.0, -2.0]])
    numbers = special.astype(dtype) if dtype[0] in "fc" else np.arange(6).reshape(2, 3).astype(dtype)
    changed = njit(nan_to_num)
    for given in [numbers, numbers.T, numbers[:, ::2]]:
        for replaced in [(0.0, None, None), (10, 1000.0, -7), (1.0, 2.0, None)]:
            compare(nan_to_num, given, True, *replaced)
            own, numpys = given.copy(), given.copy()
            assert changed(own, False, *replaced) is own
            np.testing.assert_array_equal(own, np.nan_to_num(numpys, False, *replaced))
    compare(nan_to_num, numbers[0, 0], True, 0.0, None, None)
    kept = np.broadcast_to(special, (2, 3))
    assert changed(kept, True, 0.0, None, None)[0, 0] == 0
    with pytest.raises(ValueError, match="read-only"):
        changed(kept, False, 0.0, None, None)


# Sequences.

def asarray(a):
    return np.asarray(a)


def as_floats(a):
    return np.asarray(a, np.float32)


@pytest.mark.parametrize("given", [
    ([1, 2, 3], [4, 5, 6]), ([1.5], [2.5]), ([True], [False]), ([1, 2], (3, 4)), ([1, 2], np.arange(2.0)),
    (([1, 2], [3, 4]), ([5, 6], [7, 8])), (np.arange(4)[::2], np.arange(2) * 0.5), (np.array(3), np.array(2.5)), (), ([1, 2], [3]),
], ids=str)
def test_tuples_of_sequences(given):
    compare(asarray, given, memory=False)
    compare(as_floats, given, memory=False)


def flipped(a):
    return np.fliplr(a), np.flipud(a), np.flatnonzero(a), np.argwhere(a)


def test_functions_of_tuples_of_lists():
    compare(flipped, ([1, 0, 3], [0, 5, 6]), memory=False)
    compare(lambda: np.argpartition((), 0))
    compare(lambda: (np.sum(()), np.array(()), np.asarray((), np.int8)))
    found, expected = njit(np_argwhere)(np.eye(3)), np.argwhere(np.eye(3))
    assert found.strides == expected.strides and found.flags.f_contiguous


def np_argwhere(a):
    return np.argwhere(a)


def test_typed_lists_that_are_no_array():
    text = List()
    text.append("a")
    refuses(asarray, text, match="asarray support for List is limited to Boolean and Number types")


@pytest.mark.parametrize("text", ["hello world", "大处着眼", ""])
def test_strings_that_are_known(text):
    found = njit(lambda: np.asarray(text))()
    assert found.dtype == np.asarray(text).dtype and found == text and found.flags.writeable
    np.testing.assert_array_equal(njit(lambda: np.broadcast_to("a", (2, 3)))(), np.broadcast_to("a", (2, 3)))


def parts(a, where):
    return list(np.array_split(a, where))


def test_parts_of_sequences():
    for given in [np.arange(12), list(range(12)), tuple(range(12))]:
        for where in [3, [1, 4, 9]]:
            np.testing.assert_equal(njit(parts)(given, where), parts(given, where))


# Shapes.

def broadcast_arrays(*args):
    return tuple(np.broadcast_arrays(*args))


def broadcast_shapes(*args):
    return np.broadcast_shapes(*args)


def test_what_broadcasts():
    compare(broadcast_arrays, (123, 456), (789,), memory=False)
    compare(broadcast_arrays, [1, 2], 3.5, np.arange(4).reshape(2, 2), memory=False)
    compare(broadcast_shapes, (1, 2), 2, -2)
    compare(broadcast_shapes, (3, -1), (3, 1))
    refuses(broadcast_arrays, np.arange(3), "a", match='Argument "1" must be array-like')
    refuses(broadcast_shapes, (1, 2), ("a",), match=r"Argument 1 must be either an int or tuple\[int\]")
    refuses(lambda a: np.broadcast_to(a, 2.5), np.ones(2), match='"shape" must be a tuple of integers')
    refuses(lambda a: np.resize(a, 2), "a", match='"a" must be array-like')
    refuses(lambda a: np.append(a, a, 1.5), np.ones(2), match='"axis" must be an integer')


# Numbers, None, NaN.

def object_tests(x, is_given):
    y = x if is_given else None
    return np.iscomplexobj(y), np.isrealobj(y)


def test_what_may_be_none():
    for given in [1, 1j, np.array([1j]), np.array([1]), "text"]:
        compare(object_tests, given, True)
        compare(object_tests, given, False)


def angles(x):
    return np.angle(x), np.angle(x, True)


def test_angles():
    for dtype in ["f8", "c8", "c16", "i8"]:
        compare(angles, np.array([1, -1, 0, -3]).astype(dtype))
    compare(angles, -2.5)
    compare(lambda x: np.angle(x), np.array([0.0, -0.0, NAN, INF, -INF]))
    refuses(angles, "a", match='Argument "z" must be a complex')


def isclose(a, b):
    return np.isclose(a, b), np.allclose(a, b)


def test_integers_that_are_close():
    least = np.array([np.iinfo(np.int64).min, np.iinfo(np.int64).max])
    compare(isclose, least, least)
    compare(isclose, least, least[::-1].copy())
    compare(isclose, np.arange(5), np.arange(5) + 1e-9)
    compare(isclose, np.arange(4, dtype=np.uint8), np.arange(4, dtype=np.int8)[::-1])
    compare(isclose, np.array([True, False]), 1)


def digitize(x, bins, right):
    return np.digitize(x, bins, right)


def test_bins_with_nan():
    values = np.array([0, 0.99, 1, 4.4, 4.5, 8, INF, -INF, NAN])
    for bins in [[1, 3, NAN, NAN], [NAN, 3, 1], [1.5, NAN], [NAN], [], [1, 1, NAN], [NAN, 1.5, 2.3, NAN], [0, 0, 1, 0], [1, 1, 0, 1]]:
        for right in [True, False]:
            compare(digitize, values, np.array(bins, dtype=float), right)


def places(a):
    return np.nanargmin(a), np.nanargmax(a)


def extremes(a):
    return np.nanmin(a), np.nanmax(a)


def test_nan_and_infinities():
    for row in [[NAN, INF], [INF, NAN], [NAN, -INF], [-INF, -INF], [1, NAN, 3, 2], [NAN, NAN], []]:
        compare(places, np.array(row, dtype=float))
    compare(places, np.array([3, 1, 2]))


@pytest.mark.parametrize("dtype", ["c8", "c16"])
def test_complex_extremes_without_nan(dtype):
    special = [NAN, 1, 2, -1, INF, -INF, 0.0, -0.0]
    for count in [1, 2, 6] * 20:
        numbers = np.empty(count, dtype)
        numbers.real, numbers.imag = RNG.choice(special, count), RNG.choice(special, count)
        got, expected = njit(extremes)(numbers), extremes(numbers)
        for one, other in zip(got, expected):
            assert one == other or np.isnan(one) and np.isnan(other)
    compare(lambda a: np.nanmax(a, axis=0), np.array([[1j, 2], [1 + 1j, NAN]], dtype=dtype))


def quantiles(a, q):
    return np.percentile(a, q), np.nanquantile(a, q / 100)


def test_a_part_in_an_array_without_dimensions():
    compare(quantiles, np.arange(6.0), np.array(30))
    compare(quantiles, np.array(5), np.array(1))


def interp(x, xp, fp):
    return np.interp(x, xp, fp)


def test_places_between_samples():
    samples, values = np.linspace(0, 10, 50), RNG.random(50)
    for x in [np.linspace(-1, 11, 300), RNG.random(300) * 10, np.array([NAN, INF, -INF, 10.0, 0.0])]:
        for count in [1, 2, 3, 4, 5, 6, 20, 50]:
            xp = samples[:count]
            compare(interp, x, xp, values[:count])
            # What is not in order has no meaning, but it is the same.
            compare(interp, x, RNG.permutation(xp), values[:count])
            compare(interp, x, xp, values[:count] + 1j * values[:count][::-1])
    compare(interp, NAN, [3], [4])
    compare(interp, 1, [1], [INF])


def test_geometric_steps_of_complex_numbers():
    spread = njit(lambda start, stop, num: np.geomspace(start, stop, num))
    for start, stop in [(1j, 1000j), (1 + 1j, 1000 + 1000j), (-1, 2j), (3j, -3), (-2 - 3j, 5 + 7j), (2.0, 8j)]:
        for num in [0, 1, 2, 4, 50]:
            expected = np.geomspace(start, stop, num)
            got = spread(start, stop, num)
            assert got.dtype == expected.dtype
            # Powers of complex numbers are Rumba's own, within a few units in the last place of the magnitude.
            np.testing.assert_allclose(got, expected, rtol=1e-14, atol=1e-14)
    # Powers of ten are exact.
    assert spread(1j, 1000j, 4).tolist() == [1j, 10j, 100j, 1000j]


# Vectors in a plane.

def products(a, b):
    return cross2d(a, b)


def test_cross2d():
    for a, b in [([1, 2], [3, 4]), ((1, 2), (4.5, 5)), (np.array([[1, 2], [4, 5]]), ((4, 5), (1, 2))),
                 (np.arange(36).reshape(6, 3, 2), np.arange(6).reshape(3, 2)), (np.arange(3), np.arange(3)),
                 (np.arange(6).reshape(2, 3), np.arange(6).reshape(2, 3))]:
        compare(products, a, b, memory=False)
    np.testing.assert_array_equal(products([[1, 2], [3, 5]], [7, 8]), np.cross([[1, 2], [3, 5]], [7, 8]))
    refuses(products, {1, 2}, {3, 4}, match="Inputs must be array-like")
    with pytest.raises(ValueError, match="cross2d"):
        njit(lambda a: np.cross(a, a))(np.array([1, 2]))


# Times.

SPANS = np.array([5, -3, 8, 2, -3], "m8[s]")


def of_times(a):
    return np.min(a), a.max(), np.argmin(a), a.argmax(), np.any(a), np.all(a)


def of_spans(a):
    return np.sum(a), a.mean(), np.median(a), np.cumsum(a)


def of_lines(a):
    return np.min(a, axis=0), np.argmax(a, axis=1), np.max(a, axis=1, keepdims=True)


def with_gaps(spans):
    """Spans, those with one that is no time, none at all, and every other one."""
    missing = spans.copy()
    missing[2] = "NaT"
    return [spans, missing, spans[:4], spans[::2], spans[:4].reshape(2, 2), missing[:4].reshape(2, 2)]


def test_reductions_of_times():
    for unit in ["m8[s]", "m8[ns]", "M8[D]", "M8[us]"]:
        for given in with_gaps(SPANS.astype(unit)):
            compare(of_times, given)
            if given.ndim == 2:
                compare(of_lines, given)
    compare(of_times, SPANS[:0])
    compare(lambda t: (np.min(t), np.max(t), np.any(t)), np.datetime64("2020-01-01T12:00"))
    compare(lambda t: np.mean(t), np.timedelta64(0, "ns"))


def test_sums_of_spans():
    for given in [*with_gaps(SPANS), SPANS[:1]]:
        compare(of_spans, given)
    compare(lambda a: (np.sum(a, axis=0), np.mean(a, axis=1), np.median(a, axis=0)), SPANS[:4].reshape(2, 2))
    assert np.isnat(njit(lambda a: a.mean())(SPANS[:0]))
    compare(lambda a: (np.flatnonzero(a).size, np.argwhere(a)), None)
