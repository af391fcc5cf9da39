"""`map` and `filter`: iterators that call a function when the next item is asked for."""
import functools
import operator
import statistics

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rumba
from rumba import njit
from rumba.extending import register_jitable
from support import check

T = (3, 1, 2)
few = settings(max_examples=30, deadline=None)


@njit
def add_one(x):
    return x + 1


def test_in_loops():
    def f(t):
        s = 0
        for x in map(lambda x: x * x, t):
            s = s * 10 + x
        for x in filter(lambda x: x > 1, t):
            s = s * 10 + x
        for x in map(add_one, filter(lambda x: x < 3, t)):
            s = s * 10 + x
        for i, x in enumerate(map(operator.mul, t, range(10))):
            s = s * 10 + i * x
        for x, y in zip(map(float, t), filter(None, (0, 7, 0, 8, 9))):
            s = s * 10 + x * y
        return s
    check(f, T)


@pytest.mark.parametrize("source", [
    "sum(map(lambda x: x + 1, t))",
    "sum(map(lambda x: x * x, filter(lambda x: x % 3 == 0, range(100))))",
    "sum(map(lambda x, y: x - y, *(t, range(3)))), sum(filter(*(None, t)))",
    "any(map(lambda x: x == 2, t)), all(map(lambda x: x > 1, t))",
    "any(filter(None, (0, 0))), all(filter(None, t))",
    "next(map(abs, t)), next(filter(lambda x: x < 3, t)), next(filter(lambda x: x > 5, t), 7)",
    "functools.reduce(lambda a, x: a * 10 + x, map(lambda x: x + 1, t))",
    "functools.reduce(lambda a, x: a * 10 + x, filter(lambda x: x > 1, t), 0.5)",
    "functools.reduce(operator.add, map(operator.sub, t, range(5)))",
    "tuple(map(add_one, t)), tuple(map(add_one, ()))",
    "tuple(map(float, t)), tuple(map(bool, (0, 1.5, 2j)))",
    "tuple(map(lambda x, y: x * y, t, (1.5, 2)))",
    "tuple(map(lambda x: (x, x), (1, 2.5, True)))",
    "tuple(sorted(map(lambda x: -x, t)))",
    "tuple(sorted(map(lambda x: -x, t), key=lambda x: x % 2, reverse=True))",
    "max(map(lambda x: -x, t)), min(map(lambda x: -x, t))",
    "statistics.median(map(add_one, t))",
])
def test_consumers(source):
    namespace = dict(globals())
    exec(f"def f(t): return {source}", namespace)
    check(namespace["f"], T)


def test_an_iterator_is_used_up():
    def f(t):
        m, s = map(add_one, t), 0
        for x in m:
            s = s * 10 + x
            if s > 0:
                break
        for x in m:
            s = s * 10 + x
        return s, sum(m), next(m, -1)
    check(f, T)


def test_what_is_not_asked_for_is_not_called():
    def f(t):
        count = 0

        def counted(x):
            nonlocal count
            count += 1
            return 6 // x

        m = map(counted, t)
        first = count
        found = any(map(lambda x: x == 2, m))
        return first, found, count
    check(f, (1, 3, 0))
    check(f, (1, 0, 3))


def test_calls_come_in_order():
    def f(t):
        log = 0

        def note(x):
            nonlocal log
            log = log * 10 + x
            return x

        a = tuple(map(note, t))
        for x in filter(lambda x: note(x + 4) % 2, map(note, t)):
            note(x)
        return a, log
    check(f, T)


def test_exceptions_come_through():
    check(lambda t: tuple(map(lambda x: 6 // x, t)), (1, 0, 2))
    check(lambda t: sum(map(lambda x: 6 // x, t)), (1, 0, 2))
    check(lambda t: sum(filter(lambda x: 6 // x, t)), (1, 0, 2))
    check(lambda t: next(filter(lambda x: x > 5, t)), (1, 0, 2))


def test_passed_to_other_functions():
    @register_jitable
    def last(items):
        found = -1
        for item in items:
            found = item
        return found

    @register_jitable
    def add_one(x):
        return x + 1

    check(lambda t: last(map(lambda x: x * 2, t)) + last(filter(lambda x: x != 2, t)), T)
    check(lambda t: last(map(lambda x: last(map(add_one, t)) + x, t)), T)


def test_functions_as_arguments():
    def f(function, t):
        return tuple(map(function, t)), sum(filter(function, t))
    check(njit(f), add_one, T, expected=lambda _, t: f(add_one.py_func, t))


@few
@given(st.lists(st.integers(-9, 9), min_size=1, max_size=6).map(tuple), st.integers(-3, 3))
def test_random(t, k):
    check(_random, t, k)


@njit
def _random(t, k):
    s = tuple(map(lambda x: x * k - 1, t))
    return s, sum(filter(lambda x: x % 3 == k, map(lambda x, y: x + y, t, s)))


def test_refusals():
    for function, arguments, what in [
            (lambda t: tuple(filter(None, t)), (T,), r"tuple\(filter\(none"),
            (lambda x: sum(map(abs, x)), (1,), "over int64"),
            (lambda t: sum(map(lambda x, y: x, t)), (T,), "has not just 1 parameter"),
            (lambda t: sum(filter(lambda x: (x,).count, t)), (T,), "filter"),
            (lambda t: map(abs, t), (T,), "map")]:
        with pytest.raises(rumba.errors.NumbaError, match=what):
            njit(function)(*arguments)


@pytest.mark.parametrize("made", ["iter(t)", "zip(t, t)", "enumerate(t)", "map(abs, t)", "filter(None, t)", "(1, iter(t))"])
def test_iterators_are_not_returned(made):
    namespace = {}
    exec(f"def make(t):\n    return {made}", namespace)
    make = njit(namespace["make"])
    with pytest.raises(rumba.errors.UnsupportedError, match="returning an iterator"):
        njit(lambda t: make(t) is None)(T)


def test_what_is_empty_for_certain_gives_nothing():
    def nothing(values):
        later = []
        doubled = sum(x + 1 for x in map(lambda y: y * 2, later))
        later.append(1)
        return (list(map(lambda x: values[x], [])), [y for y in filter(lambda x: values[x] == "a", [])], doubled, later,
                ",".join(values[x] for x in []), ",".join([x for x in values if False]), sum(values[x] > "b" for x in ()))

    assert njit(nothing)(["a"]) == nothing(["a"])


def test_map_over_an_iterator_that_runs_code_beside_an_empty_list():
    def divides(n):
        first, *rest = (n,)
        return list(map(lambda x, y: x, (1 // n for _ in range(3)), rest))

    def filters(n):
        first, *rest = (n,)
        return sum(map(n, filter(lambda x: rest[0] if n < 2 else True, "c"), rest))

    def never_asked(n):
        first, *rest = (n,)
        each = map(n, rest, (1 // n for _ in range(3)))
        return len([x for x in each])

    for function in (divides, filters, never_asked):
        for number in (0, 2):
            check(function, number)
