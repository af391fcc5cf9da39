"""Functions that always raise, and what their callers do behind such a call."""
import pytest

from beside import compare
from leaks import nothing_leaks  # noqa: F401
from rumba import njit


@njit
def fails(x):
    raise ValueError("no", x)


@njit
def loops(x):
    while True:
        if x == 0:
            raise KeyError(x)
        x -= 1


def added(c):
    x = fails(c) + 1 if not c else 2
    return x


def assigned(c):
    x = 2
    if not c:
        x = loops(c)
    return x * 2.5


def unpacked(c):
    if c:
        return 1, "a"
    a, b = fails(c)
    return a, b


def indexed(c):
    if c:
        return [1, 2]
    return fails(c)[0]


def called(c):
    if c:
        return len("abc")
    return fails(c).nothing(loops(c))


def appended(c):
    items = [1]
    if not c:
        items.append(fails(c))
    return items


def in_comprehension(c):
    return [fails(i) for i in range(c - 1)]


def behind(c):
    for i in range(3):
        if i > c:
            loops(0)
    return c


@pytest.mark.parametrize("function", [added, assigned, unpacked, indexed, called, appended, in_comprehension, behind])
def test_what_stands_behind_a_call_that_never_returns_is_left_out(function):
    compiled = njit(function)
    for c in range(4):
        compare(compiled, c)


def test_a_function_that_only_calls_one_that_never_returns_is_another():
    @njit
    def only(x):
        found = fails(x)
        return found + 1

    def outer(x):
        if x:
            return 1.5
        return only(x) * 2

    compiled = njit(outer)
    compare(compiled, 0)
    compare(compiled, 1)
    assert str(only.signatures) == "[(int64,)]" and str(only.overloads[only.signatures[0]].signature.return_type) == "none"


@pytest.mark.parametrize("function", [
    lambda n: [].pop(), lambda n: [][n], lambda n: {}[n], lambda n: max([]), lambda n: min(set()), lambda n: min({}),
    lambda n: set().pop(), lambda n: {}.popitem(), lambda n: {}.pop(n), lambda n: [].index(n), lambda n: next(iter([])),
])
def test_what_is_taken_out_of_nothing_raises_as_in_python(function):
    compare(njit(function), 0)


def empties(n):
    a = []
    return (sorted(a), sorted([]), sorted(()), sorted(set()), sorted(a, reverse=True), list(a), len(a), sum(a),
            a[::-1], a * 3, a + a, list(enumerate(a)), list(zip(a, a)))


def sorted_in_place(n):
    a = []
    a.sort()
    a.reverse()
    return a


def greatest(n):
    a = []
    if n:
        a.append(n)
    return max(a), sorted(a)


def test_empty_lists_are_sorted_and_gone_through():
    for function in (empties, sorted_in_place, greatest):
        for n in range(2):
            compare(njit(function), n)
