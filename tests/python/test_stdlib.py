"""Rumba's own library in Python, beside CPython's functions."""
import bisect
import collections
import enum
import colorsys
import functools
import io
import itertools
import importlib
import math
import operator
import pathlib
import statistics
import sys
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rumba
from rumba import njit
from rumba.errors import TypingError
from support import check, outcome

FOLDER = pathlib.Path(rumba.__file__).parent / "library"
ints = st.integers(-20, 20)
floats = st.floats(-1e6, 1e6).map(lambda x: x + 0.0)
few = settings(max_examples=40, deadline=None)


def tuples(items, most=10):
    return st.lists(items, min_size=1, max_size=most).map(tuple)


def index():
    """The rows of the index: function, module, facts."""
    lines = (FOLDER / "index.txt").read_text().splitlines()
    return [[*line.split(" ", 2), ""][:3] for line in lines if not line.startswith("#")]


# Functions that only some versions of Python and NumPy have, where this one does not.
ABSENT = {name for name in ("itertools.batched", "numpy.bitwise_count", "numpy.in1d", "numpy.matrix_transpose", "numpy.vecdot")
          if not hasattr(importlib.import_module(name.partition(".")[0]), name.partition(".")[2])}


def test_the_index_is_what_the_modules_register():
    from rumba.extending import overload_registry
    from rumba.extending.effects import writes_out

    def facts(one):
        text = (one.effects or writes_out(one.function)).text(one.function)
        return "" if text == "reads" else text

    rows = index()
    assert rows == sorted(rows)
    # All that implement a function say the same of it.
    assert len({row[0] for row in rows}) == len(rows)
    for path in FOLDER.rglob("*.py"):
        parts = path.relative_to(FOLDER.parent).with_suffix("").parts
        importlib.import_module(".".join(("rumba", *(part for part in parts if part != "__init__"))))
    registered = {
        (name, one.function.__module__.removeprefix("rumba.library."), facts(one))
        for name, known in overload_registry._functions.items() for one in known
        if one.library and one.function.__module__.startswith("rumba.library.")}
    assert registered == {tuple(row) for row in rows if row[0] not in ABSENT - {"itertools.batched"}}


def test_names_of_the_index_are_functions():
    from rumba._rumba import session

    for name, _, _ in index():
        # What it does with an expression of arrays, and in parallel code.
        plain = name.removesuffix(".in_parallel").removesuffix(".of_expression")
        module, _, function = plain.rpartition(".")
        class_ = {"numpy.ndarray": np.ndarray, "numpy.void": np.void, "numpy.random.Generator": np.random.Generator, "numpy.datetime64": np.datetime64, "numpy.timedelta64": np.timedelta64, "enum.Enum": enum.Enum, "enum.EnumMeta": enum.EnumMeta, "numpy.flatiter": np.flatiter, "io.TextIOBase": io.TextIOBase,
                  "itertools.chain": itertools.chain, "builtins.list": list, "builtins.dict": dict, "builtins.set": set, "builtins.frozenset": frozenset,
                  "builtins.dict_values": type({}.values()), "builtins.dict_items": type({}.items()),
                  "builtins.dict_keys": type({}.keys()), "builtins.str": str, "builtins.tuple": tuple,
                  "builtins.int": int, "builtins.float": float, "builtins.bytes": bytes, "builtins.bytearray": bytearray, "class": np,
                  "rumba.object_array": np.ndarray, "rumba.dict_by_methods": dict, "rumba.set_by_methods": set, "rumba.dict_keys_by_methods": type({}.keys()),
                  "collections.Counter": collections.Counter, "collections.defaultdict": collections.defaultdict, "collections.deque": collections.deque, "collections.OrderedDict": collections.OrderedDict,
                  **{f"numpy.{name}": type(getattr(np, name)) for name in ("mgrid", "ogrid", "r_", "c_", "s_", "index_exp")}}.get(module)
        if class_:
            # A method, which the compiler knows by this name alone.
            merely_operations = (
                "builtins.dict.__merge__", "builtins.dict_values.__contains__", "builtins.list._allocated",
                "rumba.object_array._take", "builtins.list._is_mutable", "builtins.list._make_immutable", "enum.Enum.name",
                # Of tuples with names alone.
                "builtins.tuple._asdict", "builtins.tuple._replace")
            # The right operand is asked under the name that reflected operators have.
            is_reflected = function in ("__radd__", "__req__", "__rne__", "__rlt__", "__rle__", "__rgt__", "__rge__")
            assert hasattr(class_, function) or name in merely_operations or is_reflected
            continue
        package, _, ufunc = module.rpartition(".")
        if package == "numpy" and isinstance(getattr(np, ufunc, None), np.ufunc):
            assert hasattr(np.ufunc, function)
            continue
        if module == "rumba.optional":
            # What the operators mean of values that may be None.
            assert hasattr(operator, function) or hasattr(operator, function.replace("__r", "__", 1))
            continue
        if name in ABSENT:
            continue
        found = getattr(importlib.import_module("rumba.intrinsics" if module == "rumba" else module), function)
        assert session.function_name(found) == plain


def test_named_tuples():
    pair = collections.namedtuple("pair", "x y z")
    check(njit(lambda p: (tuple(sorted(p)), statistics.median(p), functools.reduce(operator.add, p))), pair(3, 1, 2))
    check(njit(lambda p: (tuple(map(float, p)), sum(filter(None, p)))), pair(3, 1, 2))


def test_the_library_comes_before_plain_callees():
    check(njit(auto=True)(lambda t: statistics.median(t)), (1, 2, 3))


# functools.reduce

@njit
def reduce_add(t):
    return functools.reduce(operator.add, t)


@njit
def reduce_steps(t, start):
    return functools.reduce(lambda a, x: a * 3 - x, t, start)


@few
@given(tuples(ints) | tuples(floats))
def test_reduce(t):
    check(reduce_add, t)


@few
@given(tuples(ints), ints | floats)
def test_reduce_from(t, start):
    check(reduce_steps, t, start)


def test_reduce_nothing():
    check(njit(lambda t: functools.reduce(lambda a, x: a + x, t, 7)), ())
    check(njit(lambda n: functools.reduce(operator.add, range(n))), 0)
    check(njit(lambda n: functools.reduce(operator.add, range(n))), 5)
    check(njit(lambda t: functools.reduce(operator.add, t)), ())
    check(njit(lambda n: functools.reduce(operator.mul, range(1, n), 1.5)), 5)


def test_reduce_over_several_types():
    check(njit(lambda: functools.reduce(lambda a, x: (a, x), (1, 2.5, True))))
    check(njit(lambda: functools.reduce(lambda a, x: a + x, (1, 2.5, True), 10)))


# sorted

@njit
def sort(t):
    return tuple(sorted(t))


@njit
def sort_reversed(t, reverse):
    return tuple(sorted(t, reverse=reverse))


@njit
def sort_pairs(t):
    return tuple(sorted(t, key=lambda pair: pair[0]))


@njit
def sort_pairs_reversed(t):
    return tuple(sorted(t, key=lambda pair: pair[0], reverse=True))


@few
@given(tuples(ints) | tuples(floats) | tuples(st.booleans()), st.booleans())
def test_sorted(t, reverse):
    check(sort, t)
    check(sort_reversed, t, reverse)


@few
@given(tuples(st.tuples(st.integers(0, 3), ints)))
def test_sorted_by_key_keeps_the_order_of_equals(t):
    check(sort_pairs, t)
    check(sort_pairs_reversed, t)
    check(sort, t)


@pytest.mark.parametrize("count", [16, 17, 31, 32, 33, 64, 100])
def test_sorted_of_many(count):
    t = tuple((at * 7919 % 23, at) for at in range(count))
    for function, argument in ((sort_pairs, t), (sort_pairs_reversed, t), (sort, tuple(key for key, _ in t))):
        check(function, argument)


def test_what_sorted_gives_is_a_list():
    check(njit(lambda t: sorted(t)[-1] + len(sorted(t))), (3, 1, 2))
    check(njit(lambda t: sum(sorted(t))), (3, 1, 2))
    check(njit(lambda t: 2 in sorted(t)), (3, 1, 2))
    check(njit(lambda t: isinstance(sorted(t), list)), (3, 1, 2))
    check(njit(lambda t: tuple(sorted(sorted(t), reverse=True))), (3, 1, 2))
    check(njit(lambda t: functools.reduce(lambda a, x: a * 10 + x, sorted(t))), (3, 1, 2))
    check(njit(lambda: len(sorted(()))))
    check(njit(lambda t: sorted(t)), (3, 1, 2))


def test_signed_zeros_keep_their_order():
    check(sort, (0.0, -0.0, 0.0, -0.0))
    check(sort_reversed, (-0.0, 0.0), True)


def test_sorted_refuses_items_of_several_types():
    with pytest.raises(rumba.TypingError, match="sorted takes a tuple whose items are of one type"):
        njit(lambda t: sorted(t)[0])((1, 2.5))
    with pytest.raises(rumba.TypingError, match="median of an empty tuple"):
        njit(lambda t: statistics.median(t))(())


# bisect

@njit
def find(t, x):
    return bisect.bisect_left(t, x), bisect.bisect_right(t, x), bisect.bisect(t, x)


@njit
def find_between(t, x, lo, hi):
    return bisect.bisect_left(t, x, lo, hi), bisect.bisect_right(t, x, lo=lo, hi=hi)


@njit
def find_by_key(t, x):
    return bisect.bisect_left(t, x, key=lambda y: -y), bisect.bisect_right(t, x, key=lambda y: -y)


@few
@given(tuples(ints) | tuples(floats), ints | floats)
def test_bisect(t, x):
    check(find, tuple(sorted(t)), x)
    check(find_by_key, tuple(sorted(t, reverse=True)), -x)


@few
@given(tuples(ints), ints, st.integers(-1, 12), st.integers(-1, 12))
def test_bisect_between(t, x, lo, hi):
    wanted = outcome(find_between.py_func, tuple(sorted(t)), x, lo, hi)
    if wanted[0] == "IndexError":
        wanted = "IndexError", ("tuple index out of range",)
    assert outcome(find_between, tuple(sorted(t)), x, lo, hi) == wanted


# functools.partial, collections.namedtuple

def test_partial():
    def three(a, b, *, c=2, d=4):
        return a + b * c - d

    compiled = njit(three)

    @njit
    def inside(x, text, array):
        def add(a, b):
            return a + b

        first, named = functools.partial(compiled, x), functools.partial(compiled, x, c=3)
        later = (functools.partial(add, text + "!"), functools.partial(max, 3), functools.partial(lambda a, b: a.sum() + b, array))
        return (first(2), first(2.5), named(5), functools.partial(compiled, b=5)(x), later[0]("b") + later[0]("c"), later[1](x, 9),
                later[1](1), float(later[2](x)))

    check(inside, 7, "a", np.array([1.0, 2.0]))


def test_named_tuples_made_in_functions():
    @njit
    def inside(x, items):
        pair = collections.namedtuple("pair", "x y")
        other = collections.namedtuple("other", ("left", "right"))
        made = [pair(one, one * x) for one in items]
        total = 0
        for one in made:
            total += one.x * one.y
        first = pair(y=1.5, x=x)
        return total, max(made).y, first, repr(first), other(x, "a").right, first == (x, 1.5), pair(*(1, 2))

    found, wanted = inside(3, [1, 2]), inside.py_func(3, [1, 2])
    assert found == wanted and repr(found) == repr(wanted) and found[2]._fields == ("x", "y")
    with pytest.raises(TypingError, match="must be known when the function compiles"):
        njit(lambda name: collections.namedtuple(name, "x"))("a")


# operator

def test_items_are_set_and_deleted_by_calls():
    @njit
    def change(items, numbers, at, value):
        made = {}
        operator.setitem(made, value, at)
        operator.setitem(items, at, value)
        operator.setitem(numbers, slice(at, None), value)
        operator.delitem(items, 0)
        return sorted(made.items()), items, float(numbers.sum())

    for at in (1, -1, 5):
        ours, theirs = [1, 2, 3], [1, 2, 3]
        assert outcome(change, ours, np.zeros(4), at, 7) == outcome(change.py_func, theirs, np.zeros(4), at, 7) and ours == theirs


# statistics

@njit
def middle(t):
    return statistics.median(t), statistics.median_low(t), statistics.median_high(t)


@njit
def mean(t):
    return statistics.fmean(t)


@few
@given(tuples(ints) | tuples(floats))
def test_statistics(t):
    check(middle, t)
    check(mean, t)


of_rows = [njit(eval(f"lambda row: statistics.{name}(row)")) for name in (
    "mean", "fmean", "variance", "pvariance", "stdev", "pstdev", "median", "median_low", "median_high", "mode", "multimode")]
scaled = st.builds(lambda x, power: x * 10.0 ** power, st.integers(-9, 9) | st.floats(-4, 4), st.integers(-9, 9))


@few
@given(st.lists(scaled | st.sampled_from([math.inf, -math.inf]), max_size=7))
def test_statistics_of_rows(row):
    for function in of_rows:
        check(function, typed_list(row))


def typed_list(row):
    """An empty list says nothing of its items."""
    return row or np.zeros(0)


def test_statistics_of_arrays_and_of_integers():
    for function in of_rows:
        row = np.array([1.5, 0.25, 1e9])
        assert function(row) == function.py_func(row)
    check(njit(lambda row, weights: statistics.fmean(row, weights)), [1.5, 2.0], [3, 4])
    check(njit(lambda row: (statistics.mode(row), statistics.multimode(row), statistics.fmean(row))), [1, 2, 2, 1, 3])


def in_doubles(function, row):
    try:
        return float(function(row))
    except statistics.StatisticsError as error:
        return str(error)


@few
@given(st.lists(st.integers(-100, 100) | st.integers(-2 ** 52, 2 ** 52), min_size=1, max_size=7))
def test_statistics_of_integers(row):
    for name, function in of_integers.items():
        assert in_doubles(function, row) == in_doubles(getattr(statistics, name), row)


of_integers = {name: njit(eval(f"lambda row: statistics.{name}(row)")) for name in "mean median variance pvariance stdev pstdev".split()}


def test_clocks():
    clocks = "time monotonic perf_counter process_time thread_time".split()
    for name in (*clocks, *(clock + "_ns" for clock in clocks)):
        clock = getattr(time, name)
        read = njit(eval(f"lambda: time.{name}()"))
        read()
        before, found, after = clock(), read(), clock()
        assert type(found) is type(before) and before <= found <= after


@njit
def mode(t):
    return statistics.mode(t)


@few
@given(tuples(st.integers(0, 3)) | tuples(floats))
def test_mode(t):
    check(mode, t)


# Single numbers.

@njit
def clip(x, low, high):
    return np.clip(x, low, high)


@few
@given(ints | floats, ints | floats, ints | floats)
def test_clip(x, low, high):
    check(clip, x, low, high, expected=lambda *args: np.clip(*args).item())


def test_clip_on_one_side():
    check(clip, 5, None, 3, expected=lambda *_: 3)
    check(clip, 5, 7.5, None, expected=lambda *_: 7.5)
    check(clip, float("nan"), 0.0, 1.0, expected=lambda *_: float("nan"))


COLORS = ["rgb_to_hls", "rgb_to_hsv", "rgb_to_yiq", "hls_to_rgb", "hsv_to_rgb", "yiq_to_rgb"]


@pytest.mark.parametrize("name", COLORS)
@few
@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1))
def test_colors(name, a, b, c):
    check(_color(name), a, b, c)


@functools.cache
def _color(name):
    convert = getattr(colorsys, name)
    return njit(lambda a, b, c: convert(a, b, c))


def test_statistics_of_numbers_with_small_and_large_squares():
    for row in ([0.0, 1.8939118153002618e-244], [4.24392151069804e-310, -8.262735565299007e-309], [3e-155, -3.4e-155, 7.2e-168], [5e-324, 1e-323],
                [8.3e307, 8.2e307, 7e294], [1.5e200, 1.4e200]):
        for name in ("mean", "variance", "pvariance", "stdev", "pstdev"):
            check(njit(eval(f"lambda row: statistics.{name}(row)")), row)


def test_sleep():
    sleep = njit(lambda seconds: time.sleep(seconds))
    before = time.perf_counter()
    sleep(0.02)
    assert time.perf_counter() - before >= 0.02
    with pytest.raises(ValueError, match="sleep length must be non-negative"):
        sleep(-1)


@few
@given(st.lists(st.tuples(st.floats(-100, 100), st.floats(-100, 100)), max_size=6))
def test_statistics_of_two_rows(pairs):
    x, y = np.array([x for x, _ in pairs]), np.array([y for _, y in pairs])

    # From 3.12 on NumPy's numbers give one of NumPy's.
    check(njit(lambda x, y: float(statistics.covariance(x, y))), x, y)


@few
@given(st.one_of(st.lists(st.floats(-1e300, 1e300), min_size=1, max_size=7), st.lists(st.integers(-9, 9), min_size=2, max_size=7)),
       st.integers(0, 6), st.booleans())
def test_quantiles(row, n, is_inclusive):
    method = "inclusive" if is_inclusive else "exclusive"
    wanted = outcome(lambda row, n: statistics.quantiles(row, n=n, method=method), row, n)
    assert outcome(njit(lambda row, n: statistics.quantiles(row, n=n, method=method)), row, n) == wanted


def test_geometric_mean():
    mean = njit(lambda row: statistics.geometric_mean(row))
    for row in ([1.0, 2.0, 4.5], np.array([3.0, 1e200, 1e-90])):
        # The last bit of exp and log may differ from the C library's.
        assert math.isclose(mean(row), statistics.geometric_mean(row), rel_tol=1e-15)
    for row in (np.zeros(0), [1.0, -2.0]):
        with pytest.raises(statistics.StatisticsError, match="geometric mean requires a non-empty dataset"):
            mean(row)
