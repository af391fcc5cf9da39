"""`frozenset`: arguments, results, globals, operators."""
from collections import Counter, defaultdict, deque

import pytest
from leaks import nothing_leaks  # noqa: F401
from rumba import njit, objmode
from rumba.errors import TypingError
from support import check, check_all

VOWELS = frozenset("aeiou")
PRIMES = frozenset({2, 3, 5, 7})
EDGES = frozenset([(1, 2), (2, 3)])


def global_sets(s, n):
    pairs = sorted([a * 10 + b for a, b in EDGES])
    return sum(c in VOWELS for c in s), n in PRIMES, (1, n) in EDGES, len(PRIMES), sum(PRIMES), max(PRIMES), pairs


def made(p):
    f = frozenset(p)
    return sorted(f), len(frozenset()), f == set(p), f is frozenset(f), f.copy() is f, sorted(set(f)), bool(f), not frozenset()


def combined(f, s):
    unions = [f | s, f & s, f - s, f ^ s, f.union(p for p in [7, 8]), f.intersection([1, 2]), f.difference([1], s),
              f.symmetric_difference([1, 9])]
    first = s | f
    first.add(77)
    return [sorted(one) for one in unions], sorted(first), isinstance(unions[0], frozenset), isinstance(first, frozenset)


def changed_names(f):
    before = f
    f |= {100}
    f -= {1}
    return sorted(f), sorted(before)


def compared(f, s):
    return f == s, s == f, f != s, f <= s, f < s, f >= s, f > s, f.isdisjoint(s), f.issubset(s), f.issuperset([1]), f == [1], f == 1


def texts(p):
    return str(frozenset(p)), repr(frozenset([p[0]])), f"{frozenset()!s}"[:9]


def hashes(f, g):
    return hash(f), hash(g), hash(frozenset()) if len(f) > 1 else 0


def kinds(f):
    return isinstance(f, frozenset), isinstance(f, set), isinstance(f, (set, frozenset))


def in_containers(l, d):
    l = l + [frozenset([9])]
    return [sorted(one) for one in l if one & {1, 9}], sorted(d[1] | l[0]), [sorted(one) for one in d.values()]


def given_back(f, n):
    return f if n else f | {n}


@pytest.mark.parametrize("function, args", [
    (global_sets, ("hello world", 2)), (global_sets, ("", 8)), (made, ([3, 1, 3],)), (made, ([],)), (made, ("hello",)),
    (combined, (frozenset({1, 2, 3}), {2, 3, 4})), (combined, (frozenset({1}), {1})), (changed_names, (frozenset({1, 2}),)),
    (compared, (frozenset({1, 2}), {1, 2, 3})), (compared, (frozenset({1, 2}), {2, 1})), (texts, ([1],)), (texts, (["a"],)),
    (hashes, (frozenset({1, 2, -5}), frozenset({(1, 2.5), (0, -0.0)}))), (hashes, (frozenset("abc"), frozenset([True]))),
    (kinds, (frozenset([1]),)), (in_containers, ([frozenset([1, 2]), frozenset([3])], {1: frozenset([5])})),
    (given_back, (frozenset([1]), 0)), (given_back, (frozenset([1]), 1)),
])
def test_as_in_python(function, args):
    check(function, *args)


def test_a_set_and_a_frozen_set_are_two_types():
    check_all(kinds, [(frozenset([1]),), ({1},)])


def attributes(x):
    return hasattr(x, "isdisjoint"), hasattr(x, "popleft"), hasattr(x, "most_common"), hasattr(x, "default_factory")


@pytest.mark.parametrize("value", [frozenset([1]), {1}, deque([1]), Counter([1]), {1: 2}, defaultdict(int, {1: 2})])
def test_attributes_are_those_of_the_class(value):
    check(attributes, value)


def test_an_argument_is_the_same_object_as_a_result():
    given = frozenset([1, 2])
    assert njit(lambda f: f)(given) is given
    # A global is a constant, of which Python gets a copy.
    assert njit(lambda: PRIMES)() == PRIMES


@pytest.mark.parametrize("function, why", [
    (lambda f: f.add(1), r"add\(frozenset\[int64\], int64\)"), (lambda f: f.clear(), "frozenset"), (lambda f: f.pop(), "frozenset"),
    (lambda f: {f: 1}, r"keys of type frozenset\[int64\] are not supported"),
])
def test_what_is_refused(function, why):
    with pytest.raises(TypingError, match=why):
        njit(function)(frozenset([1]))


def test_a_frozen_set_of_several_types_is_no_constant():
    mixed = frozenset([1, "a"])
    with pytest.raises(TypingError, match="frozen set"):
        njit(lambda: 1 in mixed)()


def python_sees(f):
    with objmode(n="int64"):
        n = len(f) * 10 + isinstance(f, frozenset)
    return n


def test_python_blocks_take_frozen_sets():
    assert njit(python_sees)(frozenset([1, 2])) == 21
