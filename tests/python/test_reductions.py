"""What all items of an array, or those along an axis, come to, against NumPy: values to the last bit, types, exceptions."""
import array
import warnings

import numpy as np
import pytest
from array_cases import compare, compile_once, layouts
from leaks import nothing_leaks  # noqa: F401  the fixture

from rumba import njit

DTYPES = ["?", "i1", "u2", "i4", "u4", "i8", "u8", "f4", "f8", "c8", "c16"]
WHOLE = {
    "sum": lambda a: (a.sum(), np.sum(a)), "prod": lambda a: (a.prod(), np.prod(a)),
    "mean": lambda a: (a.mean(), np.mean(a)), "min": lambda a: (a.min(), np.min(a), np.amin(a)),
    "max": lambda a: (a.max(), np.max(a), np.amax(a)), "argmin": lambda a: (a.argmin(), np.argmin(a)),
    "argmax": lambda a: (a.argmax(), np.argmax(a)), "any": lambda a: (a.any(), np.any(a)),
    "all": lambda a: (a.all(), np.all(a)), "count_nonzero": lambda a: np.count_nonzero(a),
}
ALONG = {
    "sum": lambda a, axis: a.sum(axis), "prod": lambda a, axis: np.prod(a, axis=axis),
    "mean": lambda a, axis: a.mean(axis), "min": lambda a, axis: np.min(a, axis),
    "max": lambda a, axis: a.max(axis=axis), "argmin": lambda a, axis: a.argmin(axis),
    "argmax": lambda a, axis: np.argmax(a, axis), "any": lambda a, axis: a.any(axis),
    "all": lambda a, axis: np.all(a, axis), "count_nonzero": lambda a, axis: np.count_nonzero(a, axis),
}


@pytest.fixture(autouse=True)
def no_warnings():
    """NumPy warns of means of nothing; what compiled code does it does silently."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        yield


def numbers(shape, dtype):
    """Positive and negative numbers that round when they are added."""
    random = np.random.default_rng(7)
    made = random.normal(size=shape) * 9
    if dtype.startswith("c"):
        made = made + 1j * random.normal(size=shape)
    if dtype.startswith("u"):
        made = abs(made)
    return np.asarray(made).astype(dtype)


@pytest.mark.parametrize("name", WHOLE)
@pytest.mark.parametrize("dtype", DTYPES)
def test_all_items(name, dtype):
    for size in (1, 7, 8, 9, 130, 1025, 20000):
        a = numbers(size, dtype)
        compare(WHOLE[name], a)
    compare(WHOLE[name], numbers((), dtype))
    compare(WHOLE[name], numbers((0,), dtype))


@pytest.mark.parametrize("name", WHOLE)
def test_layouts(name):
    for a in layouts((3, 4, 5)):
        compare(WHOLE[name], a)
    a = numbers((40, 30), "f8")
    for b in (a, a.T, np.asfortranarray(a), a.reshape(-1)[::2], a.reshape(-1)[::-3]):
        compare(WHOLE[name], b)


@pytest.mark.parametrize("name", WHOLE)
def test_strange_items(name):
    inf, nan = np.inf, np.nan
    for items in ([1, nan, -2], [nan, 1], [inf, -inf, 3], [nan, nan], [1, 2, 3] * 500 + [nan], [nan] + [0.5] * 2000, [-0.0]):
        compare(WHOLE[name], np.array(items))
        compare(WHOLE[name], np.array(items, "f4"))
        compare(WHOLE[name], np.array(items)[::-1])
    for items in ([1, complex(nan, 1), complex(1, nan)], [1 + 2j, 1 + 3j, 1 - 9j, 0.5], [complex(0, nan), 7]):
        compare(WHOLE[name], np.array(items))


@pytest.mark.parametrize("name", ALONG)
@pytest.mark.parametrize("axis", [-4, -3, -1, 0, 1, 2, 3])
def test_along_an_axis(name, axis):
    # NumPy multiplies complex numbers of arrays with fused operations.
    for dtype in ("f8", "i4", "?") if name == "prod" else ("f8", "i4", "?", "c16"):
        compare(ALONG[name], numbers((3, 20, 4), dtype), axis)
    for a in layouts((20, 3, 30)):
        compare(ALONG[name], a / 7, axis)
    compare(ALONG[name], numbers(9, "f4"), axis)
    compare(ALONG[name], np.ones((0, 2, 3)), axis)
    compare(ALONG[name], np.ones((2, 0)), axis)


@pytest.mark.parametrize("axis", [0, 1])
def test_order_of_sums_along_an_axis(axis):
    for shape in [(300, 200), (1, 300), (300, 1), (2, 300)]:
        for dtype in ("f4", "f8", "c16"):
            a = numbers(shape, dtype)
            for b in (a, np.asfortranarray(a), a[::-1], a[:, ::-1], a.T.copy().T):
                compare(lambda a, axis: (a.sum(axis), a.sum(axis=axis, keepdims=True)), b, axis)
                compare(lambda a, axis: a.mean(axis), b, axis)


KEEPING = [
    lambda a: a.sum(keepdims=True), lambda a: np.max(a, keepdims=True), lambda a: np.argmin(a, axis=1, keepdims=True),
    lambda a: a.all(axis=-1, keepdims=True), lambda a: np.mean(a, 0, keepdims=True), lambda a: a.min(0, keepdims=False),
    lambda a: np.sum(a, axis=None), lambda a: a.prod(None),
]


@pytest.mark.parametrize("function", KEEPING, ids=range(len(KEEPING)))
def test_dimensions_kept(function):
    for a in layouts((3, 4)):
        compare(function, a)


TYPED = [
    lambda a: a.sum(dtype=np.float64), lambda a: a.sum(dtype=np.float32), lambda a: np.sum(a, dtype=np.int32),
    lambda a: a.sum(0, np.float64), lambda a: np.sum(a, axis=1, dtype=np.int8), lambda a: a.prod(dtype=np.float64),
    lambda a: np.sum(a, dtype=np.complex128), lambda a: a.sum(1, np.float32),
]


@pytest.mark.parametrize("function", TYPED, ids=range(len(TYPED)))
@pytest.mark.parametrize("dtype", ["i4", "u1", "i8", "?"])
def test_types_of_results(function, dtype):
    compare(function, numbers((130, 90), dtype))


@pytest.mark.parametrize("number", [3, -2.5, True, 2 + 1j, np.int8(3), np.float32(0.1), np.nan])
def test_numbers(number):
    compare(lambda x: (np.sum(x), np.prod(x), np.mean(x), np.min(x), np.amax(x), np.any(x), np.all(x)), number)


SPREADS = [
    lambda a: (a.var(), np.var(a, ddof=1), a.std(), np.std(a, ddof=2)), lambda a: np.ptp(a),
    lambda a: np.cumsum(a), lambda a: a.cumsum(), lambda a: np.cumprod(a), lambda a: a.cumprod(),
    lambda a: np.nancumsum(a), lambda a: np.nancumprod(a), lambda a: np.nansum(a), lambda a: np.nanprod(a),
    lambda a: np.nanmean(a), lambda a: (np.nanvar(a), np.nanstd(a, ddof=1)), lambda a: (np.nanmin(a), np.nanmax(a)),
]


@pytest.mark.parametrize("function", SPREADS, ids=range(len(SPREADS)))
def test_spreads(function):
    nan = np.nan
    given = [numbers(4000, "f8"), numbers(300, "f4"), np.arange(2, 9), np.arange(5, dtype="u1"), numbers((7, 9), "f8"),
             np.array([3.0, nan, -1.0, nan]), np.array([nan, nan]), np.zeros(0), np.array(2.5), np.ones(1)]
    for a in given:
        compare(function, a)


def test_spread_of_complex_numbers():
    for a in (numbers(90, "c16"), numbers((3, 4), "c16")):
        compare(lambda a: (a.var(), a.std(), a.cumsum(), np.nansum(a)), a)


FINDS = [
    lambda a: np.flatnonzero(a), lambda a: np.nonzero(a), lambda a: a.nonzero(), lambda a: np.argwhere(a),
    lambda a: np.where(a), lambda a: np.where(a, a, a), lambda a: np.where(a, 1.5, a), lambda a: np.where(a, a, np.ones(1)),
    lambda a: np.where(a, 2, 1.5), lambda a: np.where(np.ones((3, 1, 1, 1)), a, 7.5),
]


@pytest.mark.parametrize("function", FINDS, ids=range(len(FINDS)))
def test_places(function):
    for shape in ((5,), (4, 5), (2, 3, 5), (0,)):
        for a in layouts(shape):
            compare(function, a % 3)
    compare(function, numbers((4, 5), "c16"))


def test_choice_from_arrays_that_do_not_fit():
    with pytest.raises(ValueError, match="broadcast"):
        njit(lambda a, b: np.where(a, a, b))(np.ones(3), np.ones(2))


def test_choice_between_numbers():
    compare(lambda c: np.where(c, 1.5, 2.5), np.array([[True, False]]))
    compare(lambda c, x, y: np.where(c, x, y), np.arange(4) % 2 == 0, np.arange(4, dtype="i2"), np.arange(4, dtype="f4"))


# Which of two zeros comes out NumPy leaves open.
EXTREMES = (lambda a: (a.min() + 0, np.max(a) + 0), lambda a: (a.argmin(), np.argmax(a)))


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("size", [1, 5, 1023, 1024, 1025, 3000])
def test_the_least_and_the_greatest_of_special_values(dtype, size):
    tiny = np.finfo(dtype).smallest_subnormal
    special = np.array([0.0, -0.0, tiny, -tiny, 1.0, -1.0, np.inf, -np.inf, np.nan, -np.nan], dtype)
    random = np.random.default_rng(size)
    choices = [special[:kept] for kept in (2, 4, 6, 8, 10)] + [-special[4:7], special[2:5], -special[2:3], special[1:9]]
    for values in choices:
        a = random.choice(values, size)
        for function in EXTREMES:
            compare(function, a)
            compare(function, np.repeat(a, 2)[::2])


@pytest.mark.parametrize("name", ["sum", "prod", "min", "max"])
@pytest.mark.parametrize("count", [1, 3, 4, 5, 8, 11])
def test_rows_that_are_joined_by_fours(name, count):
    for a in (numbers((count, 7), "f8"), numbers((count, 3, 5), "f4"), numbers((2 * count, 14), "i4")[::2, ::2]):
        compare(ALONG[name], a, 0)


@pytest.mark.parametrize("place", [0, 1, 255, 256, 300, 511, 512, None])
def test_truth_in_parts(place):
    for dtype in ("?", "f8", "i2"):
        a = np.zeros(600, dtype)
        if place is not None:
            a[place] = 1
        for one in (a, 1 - a.astype("i8"), np.repeat(a, 3)[::3]):
            compare(WHOLE["any"], one)
            compare(WHOLE["all"], one)
            compare(lambda a: np.flatnonzero(a), one)


@pytest.mark.parametrize("dtype", DTYPES)
def test_the_array_for_the_result_says_in_what_items_are_added_up(dtype):
    a = numbers((4, 5), dtype)
    # Two of the dtypes of a result, and two of the functions, in turns: neighbors in DTYPES see different ones.
    turn = DTYPES.index(dtype)
    functions = (
        (lambda a, out: np.sum(a, axis=1, out=out), lambda a, out: np.cumprod(a[:, 0], out=out)),
        (lambda a, out: np.prod(a, axis=1, out=out), lambda a, out: np.cumsum(a[:, 0], out=out)))[turn // 2 % 2]
    for made in ("c16",) if dtype.startswith("c") else (("i1", "c16"), ("i8", "f4"))[turn % 2]:
        out = np.zeros(4, made)
        for function in functions:
            compare(function, a, out)


def test_running_sums_keep_negative_zeros():
    zeros = np.array([[-0.0, -0.0, 0.0, -0.0], [0.0, -0.0, 1.0, -1.0]])
    for a in (zeros, zeros.astype("f4"), zeros + 0j, -(zeros + 0j), np.array([[np.nan + 1j, np.inf * 1j, -0.0j]])):
        for function in (lambda a: a.cumsum(), lambda a: np.cumsum(a, axis=0), lambda a: np.cumsum(a, axis=1),
                         lambda a: np.cumprod(a), lambda a: a.cumprod(1), lambda a: np.nancumsum(a, axis=1)):
            compare(function, a)


@pytest.mark.parametrize("dtype", ["i1", "u4", "f4"])
def test_spreads_in_a_wider_type(dtype):
    a = numbers((6, 7), dtype)
    columns = np.asfortranarray(a)
    for function in (lambda a: np.var(a, dtype=np.float64), lambda a: a.std(axis=1, dtype=np.float64, ddof=1)):
        compare(function, a)
    for function in (lambda a: np.std(a, axis=0, dtype=np.float64), lambda a: np.var(a, 1, np.float64, keepdims=True)):
        compare(function, a)
        # NumPy adds up columns in the order of memory, compiled code in that of the indices.
        np.testing.assert_allclose(compile_once(function)(columns), function(columns), rtol=1e-14)


# Their sum is 2.0 where what rounding loses is kept, else 0.0.
HARD = [0.1] * 10 + [1e16, 1.0, -1e16]


@pytest.mark.parametrize("items", [
    HARD, tuple(HARD), np.array(HARD), np.array(HARD)[::-1], np.array(HARD, complex),
    [complex(item) for item in HARD], array.array("d", HARD), [-0.0, -0.0], [1e308, 1e308, -1e308], [float("inf"), 1.0]],
    ids=lambda items: type(items).__name__)
def test_sums_of_floats_keep_what_python_keeps(items):
    """Since Python 3.12: of Python's floats, but not of NumPy's."""
    starts = (0, 1, 0.5, 2**53, 1j, True)
    for function in (lambda x: sum(x), lambda x: sum(iter(x))):
        assert str(njit(function)(items)) == str(function(items))
    for start in starts:
        wanted, found = sum(items, start), njit(lambda x, y: sum(x, y))(items, start)
        assert str(found) == str(wanted), start


def test_sums_of_integers_and_floats():
    mixed = (1, *HARD, 3, True, -0.5)
    assert str(njit(lambda x: sum(x))(mixed)) == str(sum(mixed))


def test_sums_of_parts_of_arrays():
    a = np.array(HARD)
    for function in (lambda a: sum(a.flat), lambda a: sum(a[::2]), lambda a: sum(reversed(a)),
                     lambda a: sum(filter(None, a)), lambda a: sum(filter(lambda x: x < 1e17, a))):
        assert njit(function)(a) == function(a)
