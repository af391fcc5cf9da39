"""Starred parts of targets, tuples and calls; patterns of `match` that test a class."""
import bisect
import collections

import numpy as np
import pytest
from leaks import nothing_leaks  # noqa: F401
from rumba import errors, njit
from support import check, check_all, define

Point = collections.namedtuple("Point", ["x", "y"])

TARGETS = [
    ("a, *b = t", "(a, len(b))"),
    ("*b, a = t", "(a, tuple(b))"),
    ("a, *b, c = t", "(a, tuple(b), c)"),
    ("a, *b = t[:2]", "(a, b[0], b[-1], tuple(b[::-1]), bool(b), not b)"),
    ("a, *b = t[:1]", "(a, len(b), tuple(b), bool(b), sum(b))"),
    ("*b, = t", "tuple(b)"),
    ("(a, *b), *c = t, 1, 2.5", "(a, tuple(b), tuple(c))"),
    ("a, *b = t", "(sum(b), min(b), max(b), any(b), all(b), 2 in b, 7 not in b, b.count(2))"),
    ("a, *b = t", "(tuple(b + b), tuple(b * 2), tuple(2 * b), b == b, b == t, b != t[1:], b < b * 2, (b,) == (b,))"),
    ("a, *b = t", "(isinstance(b, list), isinstance(b, tuple), isinstance(b, (int, list)))"),
    ("a, *b = t", "(*b, a, *b)"),
    ("a, *b = t; c, *d = b", "(a, c, tuple(d))"),
    ("a, *b = t; c, d = b", "(a, c, d)"),
]


@pytest.mark.parametrize("target, result", TARGETS)
def test_starred_targets(target, result):
    check(define(f"def f(t):\n    {target}\n    return {result}"), (1, 2, 3))


def test_lists_of_targets_are_iterated_and_indexed():
    source = """
def f(t, i):
    total = 0
    a, *b = t
    for item in b:
        total = total * 10 + item
    for k, item in enumerate(reversed(b)):
        total += k * item
    for x, y in zip(b, t):
        total += x * y
    return total, b[i]
"""
    check_all(define(source), [((1, 2, 3, 4), i) for i in (0, 1, -1, -3, 3, -4)])
    check_all(define(source), [((1, 2, 3, 4, 5, 6, 7), i) for i in (0, 5, -6, 6)])


def test_a_list_of_a_target_changes_as_others_do():
    def returned(t):
        a, *b = t
        return b

    def changed(t):
        a, *b = t
        b += [1]
        return a, b

    def extended(t):
        a, *b = t
        b += b
        return a, b

    def joined(t):
        a, *b = t
        return b + t

    def hashed(t):
        a, *b = t
        return hash(b)

    def appended(t):
        a, *b = t
        b.append(1)
        return a, b

    def of_another_type(t):
        a, *b = t
        b.append(2.5)
        return a, b

    for function in (returned, changed, extended, appended, of_another_type):
        assert njit(function)((1, 2, 3)) == function((1, 2, 3))
    with pytest.raises(TypeError, match="unhashable type: 'list'"):
        njit(hashed)((1, 2, 3))
    with pytest.raises((errors.TypingError, errors.UnsupportedError)):
        njit(joined)((1, 2, 3))


def test_an_empty_list_of_a_target_learns_what_it_holds():
    def appended():
        a, *b = (7,)
        b.append(3)
        return a, b

    def in_a_loop(n):
        a, *b = (7,)
        for i in range(n):
            b.append(str(i))
        return a, b

    def nested(n):
        a, *b, c = (7, 8)
        other = b
        other.append([n])
        other[0].append(4)
        return a, b, c

    def of_other_names():
        first, *rest, last = ({"b": False}, 1, [[]])
        kept = {1: first}
        kept[2] = {"c": True}
        last[0].append(2.5)
        return kept, rest, last

    assert njit(appended)() == appended()
    assert njit(of_other_names)() == of_other_names()
    for function in (in_a_loop, nested):
        check_all(function, [(0,), (3,)])


def test_starred_targets_that_do_not_fit():
    def few(t):
        a, b, *c, d = t
        return a

    def number(t):
        a, *b = t
        return a

    with pytest.raises(errors.TypingError, match=r"not enough values to unpack \(expected at least 3, got 2\)"):
        njit(few)((1, 2))
    with pytest.raises(errors.TypingError, match="cannot unpack int64"):
        njit(number)(1)


DISPLAYS = ["(1, *a)", "(*a,)", "(*a, 1)", "(1, *a, (1, 2), *a)", "(*a, *a, *())", "((*a, 1), (*a,))", "(*a[1:], *(1, 2))",
            "(*(a if a[0] else (5, 6)),)", "(0, *a, *(a if a[0] > 1 else (5, 6.5)), 7)", "len((*a, *a))"]


@pytest.mark.parametrize("source", DISPLAYS)
def test_starred_parts_of_tuples(source):
    check(define(source), (1, 2.5))


def test_starred_arguments():
    source = """
def f(a):
    return inner(1, *a), inner(*a, 7), inner(*a, *(4,)), inner(*(1, 2), *a[:1]), star(*a, *a), inner(z=1, *a)
"""
    space = {}
    exec("def inner(x, y, z): return x * 100 + y * 10 + z\ndef star(x, *rest): return x, rest", space)
    inner, star = space["inner"], space["star"]
    plain = define(source, inner=inner, star=star)
    check(define(source, inner=njit(inner), star=njit(star)), (1, 2), expected=plain)


def test_what_has_no_known_length_is_not_spread():
    def f(n):
        return (1, *range(n))

    with pytest.raises(errors.TypingError, match=r"No implementation of function tuple\(range_state_int64\)"):
        njit(f)(3)


CLASSES = """
def f(v):
    match v:
        case bool():
            return 1
        case int(n):
            return n + 1
        case float() as x:
            return x * 2
        case (int() as a, int(b)):
            return a * b
        case (a, *rest):
            return a + len(rest)
        case None:
            return 5
        case complex():
            return 6
    return 7
"""


def test_class_patterns():
    for values in [(True,), (3,), (2.5,), ((3, 4),), ((3.5, 4),), ((1, 2, 3),), (None,), (1j,)]:
        check(define(CLASSES), *values)


def test_class_patterns_of_named_tuples():
    source = """
def f(p):
    match p:
        case Point(0, y):
            return y
        case Point(x=x, y=0):
            return x * 10
        case Point(x, y=int(y)):
            return x * 100 + y
        case Point():
            return -1
    return -2
"""
    function = njit(define(source, Point=Point))
    check_all(function, [(Point(0, 3),), (Point(4, 0),), (Point(5, 6),)])
    assert function(Point(5, 2.5)) == -1
    check(function, (1, 2))


def test_class_patterns_of_what_may_be_none():
    source = """
def f(n):
    x = None
    if n > 0:
        x = n
    match x:
        case int(k):
            return k
        case None:
            return -1
"""
    check_all(define(source), [(3,), (0,)])


def test_patterns_without_a_meaning():
    with pytest.raises(errors.UnsupportedError, match="a sequence pattern for a range"):
        njit(define("def f(n):\n    match range(n):\n        case (a, b): return a\n    return 0"))(2)
    with pytest.raises(errors.UnsupportedError, match="this class pattern"):
        njit(define("def f(n):\n    match n:\n        case complex(real=r): return r\n    return 0"))(2j)


def test_starred_targets_of_iterables(nothing_leaks):  # noqa: F811
    def all_but_first(t):
        a, *b = t
        return a, b

    def around(t):
        a, *b, c, d = t
        return a, b, c, d

    def of_generator(n):
        a, *b = (str(i) * i for i in range(n))
        return a, b

    def of_iterators(n):
        a, *b = zip(range(n), range(n))
        (c, d), *e = enumerate("xyz")
        *f, g = range(n)
        return a, b, c, d, e, f, g

    def grows(n):
        a, *b = range(n)
        b.append(2.5)
        return a, b

    def many(n):
        a, *b, c = range(n)
        return a + len(b) + c

    def outcome(function, *args):
        try:
            return function(*args)
        except ValueError as error:
            return str(error)

    cases = [(all_but_first, ["abc", "a", "", b"ab", {3}, {1: 2.0, 3: 4.0}]), (around, ["abcdef", "abc", "ab", "a", ""]),
             (of_generator, range(4)), (of_iterators, range(4)), (grows, range(3)), (many, [0, 1, 2, 1000])]
    for function, values in cases:
        compiled = njit(function)
        for value in values:
            assert outcome(compiled, value) == outcome(function, value), (function, value)
    assert njit(all_but_first)(np.arange(3)) == (0, [1, 2])


@njit
def fails_late(n):
    for i in range(n):
        if i == 3:
            raise ValueError("late")
        yield str(i)


def test_starred_targets_of_what_fails(nothing_leaks):  # noqa: F811
    @njit
    def takes(n):
        a, *b, c = fails_late(n)
        return a, b, c

    assert takes(3) == ("0", ["1"], "2")
    for n, text in ((1, "expected at least 2, got 1"), (0, "expected at least 2, got 0"), (5, "late")):
        with pytest.raises(ValueError, match=text):
            takes(n)


def grows_by_none(k):
    first, *rest = ["a" * k, "b" * k, "c"]
    rest.append({2: "x" * k}.get(k))
    return first, rest


def grows_around_lists(k):
    first, *rest, last = [[1], [2, k], [3], [4]]
    rest.append({2: [k]}.get(k))
    return first, rest, last


def grows_by_pairs(k):
    first, *rest = [(k, "a"), (2, "b")]
    rest.append((3, {2: "z"}.get(k)))
    return rest


def grows_from_nothing(k):
    *rest, = []
    rest.append(k)
    return rest


def grows_apart(k):
    items = [1, 2, k]
    first, *rest = items
    rest.append(0.5)
    return first, rest, items


def grows_in_rounds(k):
    first, *rest = [1, 2]
    for j in range(k):
        first, *rest = rest + [{1: 3}.get(j)]
    return first, rest


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("function", [
    grows_by_none, grows_around_lists, grows_by_pairs, grows_from_nothing, grows_in_rounds], ids=lambda function: function.__name__)
def test_the_list_of_a_starred_name_holds_more_than_what_it_is_from(function, k, nothing_leaks):  # noqa: F811
    check(function, k)


def test_the_list_of_a_starred_name_grows_apart(nothing_leaks):  # noqa: F811
    # Integers become floats where floats are added.
    assert repr(njit(grows_apart)(4)) == "(1, [2.0, 4.0, 0.5], [1, 2, 4])"

    @njit
    def grown(items, k):
        first, *rest = items
        rest.append({2: 5}.get(k))
        return rest

    items = [1, 2, 3]
    assert (grown(items, 2), grown(items, 7), items) == ([2, 3, 5], [2, 3, None], [1, 2, 3])


def test_a_list_of_lists_of_a_starred_name_holds_none_as_well(nothing_leaks):  # noqa: F811
    @njit
    def grown(items, k):
        first, *rest = items
        rest.append({2: first}.get(k))
        rest[0:1] = [x if k else None for x in (first,)]
        first.append(5)
        return rest

    assert [grown([[1], [2]], k) for k in (0, 2, 3)] == [[None, None], [[1, 5], [1, 5]], [[1, 5], None]]


def test_slices_of_the_list_of_a_starred_name_are_searched_for_containers(nothing_leaks):  # noqa: F811
    def found(p, q):
        *rest, last = p, q, p
        return q in rest[:], last in rest[::-1], rest[1:].count(q), rest[:1].index(p)

    check_all(found, [([1], [2]), ({1}, {1}), ({1: 2}, {1: 3})])


EMPTY = ["list(())", "list({})", "list(set())", "sorted(())", "sorted(rest)", "list(rest)", "list(reversed([]))", "list(map(str, []))",
         "list(x for x in ())", "list(enumerate([]))", "rest.copy()", "rest[:]"]


@pytest.mark.parametrize("made", EMPTY)
def test_an_empty_list_of_a_call_learns_what_it_holds(made, nothing_leaks):  # noqa: F811
    function = define(f"""
def f(x, n):
    first, *rest = (n,)
    out = {made}
    for i in range(n):
        out.append(x)
    return out, {{2: [x]}}.get(n, {made})
""")
    check_all(function, [("a", 2), (1.5, 0), ([1], 3)])


def test_a_loop_over_a_list_that_grows_later_is_not_written_out_for_its_first_items(nothing_leaks):  # noqa: F811
    def unpacked(text):
        words = sorted([])
        bisect.insort_left(words, text)
        found = 0
        for word in words:
            *start, last = word
            found += len(start) + len(last)
        return found

    check_all(unpacked, [("a",), ("abc",)])


def test_sorted_numbers_of_a_tuple_lie_beside_none(nothing_leaks):  # noqa: F811
    def grown(x, k):
        out = sorted((x, x))
        out.append({2: x}.get(k))
        return out

    check_all(grown, [(1, 2), (1, 3), (2.5, 3)])
