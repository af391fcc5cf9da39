"""Sets beside CPython's. Their order is another one, so results are compared as sets or sorted."""
import copy

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leaks import nothing_leaks  # noqa: F401
from rumba import errors, njit
from support import check, define

few = settings(max_examples=50, deadline=None)
int_sets = st.sets(st.integers(-6, 6), min_size=1)
word_sets = st.sets(st.text("abé", max_size=2), min_size=1)


def outcome(function, args):
    try:
        return function(*args)
    except Exception as error:
        return type(error), error.args


def compare(compiled, *args):
    mine, theirs = copy.deepcopy(args), copy.deepcopy(args)
    expected = outcome(compiled.py_func, theirs)
    assert outcome(compiled, mine) == expected
    assert mine == theirs


@njit
def algebra(a, b):
    return (
        a | b, a & b, a - b, a ^ b, a.union(b), a.intersection(b), a.difference(b), a.symmetric_difference(b),
        a.copy(), a == b, a != b, a <= b, a < b, a >= b, a > b, a.issubset(b), a.issuperset(b), a.isdisjoint(b))


@njit
def methods(a, b):
    c = a.copy()
    c.update(b)
    d = a.copy()
    d.intersection_update(b)
    e = a.copy()
    e.difference_update(b)
    f = a.copy()
    f.symmetric_difference_update(b)
    return c, d, e, f


@njit
def in_place(a, b, c, d):
    a |= b
    c &= b
    d -= b
    b ^= d
    return len(a), len(b), len(c), len(d)


@few
@given(int_sets, int_sets)
def test_integers(a, b):
    compare(algebra, a, b)
    compare(methods, a, b)
    compare(in_place, a, b, a.copy(), a.copy())


@few
@given(word_sets, word_sets)
def test_strings(a, b):
    compare(algebra, a, b)
    compare(methods, a, b)
    compare(in_place, a, b, a.copy(), a.copy())


def test_one_set_on_both_sides():
    @njit
    def same(a):
        b = a.copy()
        b ^= b
        c = a.copy()
        c -= c
        a |= a
        a &= a
        return a ^ a, a | a, b, c, a <= a, a < a

    compare(same, {1, 2})


@njit
def steps(whats, items):
    s = set()
    seen = []
    for at in range(len(whats)):
        what, item = whats[at], items[at]
        if what < 4:
            s.add(item)
        elif what == 4:
            s.discard(item)
        elif what == 5 and item in s:
            s.remove(item)
        elif what == 6:
            seen.append(item in s)
        elif what == 7:
            s.update([item], (item,))
        elif what == 8 and at % 5 == 0:
            s.clear()
    return s, seen, len(s), bool(s)


@few
@given(st.lists(st.tuples(st.integers(0, 8), st.integers(0, 20)), min_size=1, max_size=80))
def test_what_changes_a_set(pairs):
    compare(steps, [what for what, _ in pairs], [item for _, item in pairs])


def test_displays_and_what_is_gone_through():
    def made(n):
        a = {1, 2, 3}
        b = {i % 5 for i in range(n)}
        c = set(range(n)) | set([1, 50])
        total = 0
        for item in c:
            total += item
        return a, b, c, total, sorted(a), n in {1, 2, 3}, {(n, "x"), (n + 1, "y")}, {1.5, n}, set("banana")

    for n in (3, 9):
        compare(njit(made), n)


def test_exceptions():
    @njit
    def remove(s, item):
        s.remove(item)

    @njit
    def pop(s):
        total = 0
        while True:
            total += s.pop()

    @njit
    def grows(s):
        for item in s:
            s.add(item + 100)

    compare(remove, {1}, 2)
    compare(remove, {"a"}, "☃")
    compare(remove, {(1, 2)}, (2, 1))
    compare(pop, {1, 2})
    compare(grows, {1, 2})

    @njit
    def unhashable(n):
        return {[n]}

    with pytest.raises(errors.TypingError, match="unhashable type: 'list'"):
        unhashable(1)

    @njit
    def look(s):
        return len(s)

    with pytest.raises(TypeError, match="heterogeneous set: item"):
        look({1, "x"})


def test_the_callers_set():
    @njit
    def change(s, t, fail):
        s.add(10)
        if fail:
            s.remove(77)
        return s is t

    for fail in (False, True):
        compare(change, {1}, {1}, fail)
    s = {1}
    assert change(s, s, False) and s == {1, 10}
    assert njit(lambda s: s)(s) is s


def test_sets_inside_of_others():
    @njit
    def nested(d, items):
        d["a"].add(5)
        groups = {}
        for item in items:
            groups.setdefault(item % 2, set()).add(item)
        return [len(groups[key]) for key in groups]

    compare(nested, {"a": {1}, "b": {2}}, [1, 2, 3, 3])


@pytest.mark.parametrize("text", ["a == b", "a != b", "a - a == b - b", "a - a != b - b", "(a - a, 1) == (b - b, 1)"])
def test_sets_whose_items_are_of_different_kinds_are_equal_if_they_are_empty(text):
    check(define(text), {1, 2}, {"a"})


@pytest.mark.parametrize("text", ["a & b", "a | b", "a - b", "a ^ b", "a <= b", "a < b", "a >= b", "a > b", "a.union(b)", "a.intersection(b)",
                                  "a.difference(b)", "a.symmetric_difference(b)"])
def test_sets_whose_items_are_of_different_kinds_do_not_mix(text):
    with pytest.raises(errors.TypingError, match="All Sets must be of the same type: one holds int64, the other unicode_type"):
        njit(define(text))({1, 2}, {"a"})


@pytest.mark.parametrize("text, given", [
    ("a.isdisjoint(b), a.issubset(b), a.issuperset(b)", {"a"}),
    ("a.isdisjoint(b), a.issubset(b), a.issuperset(b)", {2}),
    ("(a - a).issubset(b), a.issuperset(b - b), (a - a).isdisjoint(b)", {"a"}),
])
def test_relations_of_sets_whose_items_are_of_different_kinds(text, given):
    check(define(f"({text})"), {1, 2}, given)


@pytest.mark.parametrize("text", [
    "a.intersection(b, c)", "a.intersection()", "a.intersection(b, {1, 2})", "a.difference(b, c)", "a.difference()", "a.difference(a)",
    "a.difference(range(2), b, c)", "a.union()", "a.union(b, c)"])
def test_sets_and_any_number_of_others(text):
    compare(njit(define(f"def f(a, b, c):\n    return {text}")), {1, 2, 3}, [1, 2], {2, 5})


@pytest.mark.parametrize("text", [
    "a.difference_update(b, c)", "a.difference_update(a)", "a.difference_update(b, a)", "a.difference_update()", "a.intersection_update(b, c)",
    "a.intersection_update()", "a.intersection_update(a, c)", "a.update()", "a.update(b, c)"])
def test_sets_are_changed_by_any_number_of_others(text):
    compare(njit(define(f"def f(a, b, c):\n    {text}\n    return sorted(a)")), {1, 2, 3}, [1, 2], {2, 5})
