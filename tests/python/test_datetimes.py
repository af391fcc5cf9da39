"""Points in time and spans of time in compiled code, against NumPy."""
import itertools
import operator
import random
import warnings

import numpy as np
import pytest
from leaks import nothing_leaks  # noqa: F401  the fixture

import rumba
from rumba import njit, types
from rumba.errors import TypingError

TD, DT = np.timedelta64, np.datetime64
UNITS = ["Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs", "as"]
CALENDAR = {"Y", "M"}


def numpy_says(function, *args):
    """What NumPy gives; nothing where it refuses the types."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return function(*args)
        except (TypeError, OverflowError):
            return None


def same(got, expected):
    """Both are the same value of the same unit."""
    if isinstance(expected, tuple):
        assert len(got) == len(expected)
        for one, other in zip(got, expected):
            same(one, other)
    elif isinstance(expected, (TD, DT)):
        assert type(got) is type(expected) and got.dtype == expected.dtype
        assert got.view("i8") == expected.view("i8")
    elif isinstance(expected, np.ndarray):
        assert got.dtype == expected.dtype and got.shape == expected.shape and got.tobytes() == expected.tobytes()
    else:
        assert got == expected or got != got and expected != expected


OPERATORS = [operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod, divmod,
             operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge,
             np.minimum, np.maximum, np.fmin, np.fmax, min, max]
COUNTS = [0, 1, -1, 7, -7, 1000, 86399, -86401, "NaT"]


def pairs_of_units(seed):
    """Some pairs of units, coarse and fine ones near each other."""
    pairs = [(a, b) for a, b in itertools.product(UNITS, UNITS) if abs(UNITS.index(a) - UNITS.index(b)) <= 4]
    return random.Random(seed).sample(pairs, 12)


@pytest.mark.parametrize("op", OPERATORS, ids=lambda op: op.__name__)
def test_two_operands(op):
    @njit
    def compiled(a, b):
        return op(a, b)

    tried = 0
    for (a, b), (left, right) in itertools.product(pairs_of_units(op.__name__),
                                                   itertools.product([TD, DT], [TD, DT])):
        first, second = left(3, a), right(5, b)
        if numpy_says(op, first, second) is None:
            with pytest.raises(TypingError):
                compiled(first, second)
            continue
        if op in (min, max) and a != b:
            # Python gives either as it is; here both have one unit.
            assert compiled(first, second) == op(first, second)
            continue
        for x, y in itertools.product(COUNTS, COUNTS):
            one, other = left(x, a), right(y, b)
            same(compiled(one, other), numpy_says(op, one, other))
            tried += 1
    assert tried > 0 or op in (operator.mul,)


@pytest.mark.parametrize("op", [operator.mul, operator.truediv, operator.floordiv], ids=lambda op: op.__name__)
def test_spans_and_numbers(op):
    @njit
    def compiled(a, b):
        return op(a, b)

    numbers = [0, 2, -3, 10**6, np.uint32(5), np.int8(-4), True, 0.0, 0.5, -1.5, 1e300, float("inf"), float("nan"),
               np.float32(0.25)]
    for count, number in itertools.product([*COUNTS, 2**62, -2**63 + 1], numbers):
        span = TD(count, "ms")
        if numpy_says(op, span, number) is None:
            continue
        same(compiled(span, number), numpy_says(op, span, number))
        if op is operator.mul:
            same(compiled(number, span), numpy_says(op, number, span))


def test_integers_are_spans():
    def use(t, d, n):
        return t + n, n + t, t - n, d + n, d - 3, t == n, t < 4, t + 1

    for count in COUNTS:
        same(njit(use)(TD(count, "s"), DT(count, "D"), 7), use(TD(count, "s"), DT(count, "D"), 7))


def test_one_operand():
    def use(t):
        return +t, -t, abs(t), np.sign(t), np.isnat(t), np.absolute(t), not t, 1 if t else 0, bool(t)

    for count, unit in itertools.product(COUNTS, ["ns", "Y"]):
        same(njit(use)(TD(count, unit)), use(TD(count, unit)))
    is_nat = njit(lambda d: (np.isnat(d), not d))
    assert is_nat(DT("NaT")) == (True, False) and is_nat(DT(0, "s")) == (False, not DT(0, "s"))


def test_dates_of_the_calendar():
    @njit
    def differ(a, b):
        return a - b, a < b, a == b

    rng = random.Random(1)
    for unit, finer in [("Y", "D"), ("M", "D"), ("M", "W"), ("Y", "W"), ("M", "s"), ("Y", "ms"), ("Y", "M"), ("W", "h")]:
        for _ in range(200):
            a = DT(rng.randrange(-3000, 3000), unit)
            b = DT(rng.randrange(-10**6, 10**6), finer)
            same(differ(a, b), numpy_says(differ.py_func, a, b))


def test_wrapping():
    def use(a, b):
        return a + b, a - b, a * 16, -b

    for a, b in itertools.product([TD(2**62, "s"), TD(-2**63 + 1, "s")], [TD(2**62, "s"), TD(2**62, "ms")]):
        same(njit(use)(a, b), use(a, b))


def test_arrays():
    def use(a, spans, i):
        total = spans[0] - spans[0]
        for span in spans:
            if not np.isnat(span):
                total += span
        b = a.copy()
        for j in range(len(b)):
            b[j] = a[j] + spans[j]
        b[0] = a[1]
        b[2:] = a[0]
        return total, b, a[i], spans[1:], a[i] - a[0]

    dates = np.array(["2001-02-03", "NaT", "1950-01-01", "2020-02-29"], "M8[D]")
    spans = np.array([1, -5, "NaT", 100], "m8[h]")
    with pytest.raises(TypingError, match="operator.setitem"):
        # Hours do not go into days.
        njit(use)(dates, spans, 3)
    fine = dates.astype("M8[s]")
    same(njit(use)(fine, spans, 3), use(fine, spans, 3))

    def widen(a, b):
        a[:] = b
        a[0] = b[3]
        return a

    same(njit(widen)(fine.copy(), dates), widen(fine.copy(), dates))


def test_new_arrays():
    @njit
    def make(n):
        a = np.zeros(n, "M8[D]")
        b = np.zeros_like(a)
        c = np.full(n, HOUR)
        return a, b, c

    a, b, c = make(3)
    same(a, np.zeros(3, "M8[D]"))
    same(b, a)
    same(c, np.full(3, HOUR))


NOON, HOUR, NONE = DT("2020-01-01T12"), TD(1, "h"), DT("NaT", "D")


def test_constants():
    half = TD(30, "m")

    def use(d):
        return d + HOUR, NOON + half, NONE, d > NOON, np.timedelta64(5, "s") + HOUR, np.datetime64("NaT", "ms")

    same(njit(use)(DT("2021-06-07T01:02")), use(DT("2021-06-07T01:02")))


def test_classes():
    def use(x):
        return isinstance(x, np.datetime64), isinstance(x, np.timedelta64), isinstance(x, int)

    for value in (NOON, HOUR, 5):
        assert njit(use)(value) == use(value)
    assert njit(lambda t: int(t))(TD(5, "ns")) == 5
    with pytest.raises(TypingError):
        njit(lambda t: int(t))(DT("2014"))


def test_types():
    @njit(types.NPDatetime("us")(types.NPDatetime("ms"), types.NPTimedelta("us")))
    def add(a, b):
        return a + b

    same(add(DT(1, "ms"), TD(2, "us")), DT(1002, "us"))
    with pytest.raises(TypeError):
        add(DT(1, "s"), 5)
    for value, name in [(DT("NaT"), "datetime64[]"), (HOUR, "timedelta64[h]"),
                        (np.zeros(2, "M8[ns]"), "array(datetime64[ns], 1d, C)")]:
        function = njit(lambda x: x)
        same(function(value), value)
        assert str(function.signatures[0][0]) == str(rumba.typeof(value)) == name


def test_two_units_are_two_ways_in():
    @njit
    def double(t):
        return t + t

    for _ in range(3):
        same(double(TD(2, "s")), TD(4, "s"))
        same(double(TD(2, "ms")), TD(4, "ms"))
        same(double(np.zeros(1, "m8[us]")[0]), TD(0, "us"))
    assert len(double.signatures) == 3


def test_errors_say_what_is_wrong():
    for value, text in [(np.zeros(2, "M8[25s]"), "multiples of a unit"), (DT("2014", "10Y"), "multiples of a unit"),
                        (np.zeros(2, ">M8[s]"), "byte order")]:
        with pytest.raises(TypingError, match=text):
            njit(lambda x: x)(value)
    with pytest.raises(TypingError, match=r"datetime64\[ns\] \+ timedelta64\[M\]"):
        njit(lambda a, b: a + b)(DT(1, "ns"), TD(1, "M"))


def test_what_is_no_time_is_no_number():
    days = np.array(["2020-02-01", "NaT", "1969-01-01"], "M8[D]")
    tests = njit(lambda a: (np.isnan(a), np.isinf(a), np.isfinite(a)))
    for times in (days, days - days[0]):
        for values in (times, times[0], times[1]):
            for found, expected in zip(tests(values), (np.isnan(values), np.isinf(values), np.isfinite(values))):
                np.testing.assert_array_equal(found, expected)


def test_arrays_of_times_are_searched_and_made():
    """`in`, `np.array` of times beside each other, the letter of their kind, lists written to parts."""
    days = np.array(["2020-02-01", "NaT", "1969-01-01"], "M8[D]")

    def found(a, b):
        return b in a, a[1] in a, b not in a[1:]

    def made(a):
        return np.array([a[0], a[1]]), np.array((a[2], a[0])), np.array([[a[0], a[2]], [a[1], a[1]]])

    def written(a):
        a[:2] = [a[2], a[0]]
        return a

    for times in (days, days - days[0]):
        assert njit(found)(times, times[0]) == found(times, times[0])
        for one, other in zip(njit(made)(times), made(times)):
            assert one.dtype == other.dtype
            np.testing.assert_array_equal(one, other)
        np.testing.assert_array_equal(njit(written)(times.copy()), written(times.copy()))
        assert njit(lambda a: a.dtype.kind)(times) == times.dtype.kind


MOVES = [
    lambda a, b: np.roll(a, 2), lambda a, b: np.repeat(a, 2), lambda a, b: np.tile(a, (2, 2)), lambda a, b: np.append(a, b),
    lambda a, b: np.append(a, a[0]), lambda a, b: np.delete(a, [0, 2]), lambda a, b: np.insert(a, 1, b),
    lambda a, b: np.insert(a, 1, a[0]), lambda a, b: np.extract(a == a, a), lambda a, b: np.take(a, [1, -1]),
    lambda a, b: np.diag(a), lambda a, b: np.triu(np.diag(a), 1), lambda a, b: np.diff(a), lambda a, b: np.ptp(a),
    lambda a, b: np.array_equal(a, b), lambda a, b: np.array_equal(a, a.copy()), lambda a, b: np.array_equal(b, b.copy()),
    lambda a, b: np.array_equal(a, a, equal_nan=True),
]
MOVES_ALONG = [
    lambda a: np.roll(a, 1, axis=0), lambda a: np.repeat(a, 2, axis=1), lambda a: np.delete(a, 1, axis=0), lambda a: np.take(a, 1, axis=1),
    lambda a: np.diff(a, axis=0), lambda a: np.ptp(a, axis=0), lambda a: np.ptp(a, axis=1, keepdims=True), lambda a: np.diagonal(a),
]


@pytest.mark.parametrize("dtype", ["m8[s]", "M8[D]", "M8[ns]"])
def test_times_are_moved_as_numbers_are(dtype):
    a, b = np.array([3, "NaT", -7, 90, 5, 3], dtype), np.array([1, 2], dtype)
    for function in MOVES:
        same(njit(function)(a, b), function(a, b))
    for function in MOVES_ALONG:
        for table in (a.reshape(2, 3), np.asfortranarray(a.reshape(2, 3)), a.reshape(3, 2)[::-1, ::-1]):
            same(njit(function)(table), function(table))


def test_logic_of_times():
    dates, spans = np.array([3, "NaT", 0], "M8[D]"), np.array([1, "NaT", 0], "m8[s]")
    for function in (lambda a, b: np.logical_and(a, b), lambda a, b: np.logical_or(a, b), lambda a, b: np.logical_xor(a, b)):
        for a, b in ((dates, dates), (spans, spans)):
            assert njit(function)(a, b).tolist() == function(a, b).tolist()
            assert njit(function)(a[0], b[1]) == function(a[0], b[1])
    for value in (dates, dates[0], spans, spans[0]):
        with pytest.raises(TypingError):
            njit(lambda a: np.logical_not(a))(value)
        with pytest.raises(TypingError):
            njit(lambda a: np.exp(a))(value)


def test_points_and_spans_are_unequal_for_operators_alone():
    dates, spans = np.array([3, "NaT", 0], "M8[s]"), np.array([3, "NaT", 0], "m8[s]")
    assert njit(lambda a, b: a == b)(dates, spans).tolist() == [False] * 3
    assert njit(lambda a, b: a != b)(dates, spans).tolist() == [True] * 3
    assert not njit(lambda a, b: a == b)(dates[0], spans[0])
    for a, b in ((dates, spans), (dates[0], spans[0]), (dates, spans[0])):
        for function in (lambda a, b: np.equal(a, b), lambda a, b: np.not_equal(a, b), lambda a, b: np.less(a, b)):
            with pytest.raises(TypingError):
                njit(function)(a, b)


@njit
def meeting(how, seconds, short):
    if how == 0:
        return sorted([seconds, short])[0]
    if how == 1:
        return max(seconds, short)
    if how == 2:
        return [(1, short), (2, seconds)][0][1]
    chosen = seconds if how == 3 else short
    return chosen


@pytest.mark.parametrize("how", range(4))
def test_values_that_meet_keep_what_they_say(how):
    """In the finer unit, where they have a number of them."""
    short = np.timedelta64(13, "ns")
    assert meeting(how, np.timedelta64(2, "s"), short) == meeting.py_func(how, np.timedelta64(2, "s"), short)
    nat = np.timedelta64("NaT", "s")
    assert np.isnat(meeting(how, nat, short)) == np.isnat(meeting.py_func(how, nat, short))
    for count in 2**62, -2**62, 9_223_372_037:
        with pytest.raises(OverflowError, match=r"timedelta64\[s\] out of bounds for timedelta64\[ns\]"):
            meeting(how, np.timedelta64(count, "s"), short)


def test_years_that_meet_days():
    @njit
    def last(dates, date):
        dates.append(date)
        return dates[-1]

    days = [np.datetime64("2000-01-01", "D")]
    assert last(days, np.datetime64(5, "Y")) == np.datetime64("1975-01-01")
    with pytest.raises(OverflowError):
        last(days, np.datetime64(2**62, "Y"))
    with pytest.raises(OverflowError):
        last([np.datetime64("2000-01-01", "ps")], np.datetime64(300, "M"))
    with pytest.raises(TypingError):
        last([np.datetime64("1970-01-01", "as")], np.datetime64(300, "M"))
