"""`typed.Set` from Python and in compiled code."""
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leaks import nothing_leaks  # noqa: F401
from rumba import errors, njit, typeof, types
from rumba.typed import Dict, List, Set

few = settings(max_examples=30, deadline=None)


@few
@given(st.lists(st.tuples(st.integers(0, 6), st.integers(-4, 4)), max_size=30))
def test_a_set_works_like_pythons(steps):
    mine, theirs = Set.empty(types.int64), set()
    for what, item in steps:
        for items in (mine, theirs):
            if what < 3:
                items.add(item)
            elif what == 3:
                items.discard(item)
            elif what == 4:
                items.update([item, item + 1])
            elif what == 5 and item in items:
                items.remove(item)
            elif what == 6 and item == 0:
                items.clear()
    assert mine == theirs and sorted(mine) == sorted(theirs) and len(mine) == len(theirs)
    assert mine.copy() == mine and all(item in mine for item in theirs) and 99 not in mine
    assert mine & {1, 2} == theirs & {1, 2} and mine | {7} == theirs | {7} and mine - {1} == theirs - {1}


def test_untyped_sets():
    s = Set()
    assert (len(s), list(s), 1 in s, str(s), repr(s)) == (0, [], False, "{}", "SetType[undefined]({})")
    s.discard(1)
    s.clear()
    assert s == set() and s.copy() == s
    for act in (lambda: s.remove(1), s.pop):
        with pytest.raises(KeyError):
            act()
    with pytest.raises(errors.TypingError, match="Cannot determine Numba type of"):
        njit(lambda s: len(s))(s)
    s.add("a")
    assert typeof(s) == types.SetType(types.unicode_type) and s == {"a"} and "a" in s
    assert repr(s) == "SetType[unicode_type]({a})"


def test_compiled_code_works_on_the_same_set():
    @njit
    def change(s, item):
        s.add(item)
        s.discard(0)
        return s

    s = Set([0, 1])
    again = change(s, 5)
    assert s == {1, 5} and again == s and isinstance(again, Set)
    again.add(6)
    assert s == {1, 5, 6}


def test_sets_made_in_compiled_code():
    @njit
    def made(n):
        a, b, c = Set.empty(types.int32, 4), Set(), Set([(1, "x"), (2, "y")])
        for i in range(n):
            a.add(i % 3)
            b.add(str(i))
        return a, b, c, len(a), "1" in b, [item for item in b]

    a, b, c, length, has_one, items = made(4)
    assert (a, b, c, length, has_one, items) == ({0, 1, 2}, {"0", "1", "2", "3"}, {(1, "x"), (2, "y")}, 3, True, ["0", "1", "2", "3"])
    assert [typeof(s).item_type for s in (a, b, c)] == [
        types.int32, types.unicode_type, types.Tuple((types.int64, types.unicode_type))]


def test_equality():
    @njit
    def same(a, b):
        return a == b

    a, b = Set([1, 2, 3]), Set([3, 2, 1])
    assert same(a, b) and a == b
    b.add(4)
    assert not same(a, b) and a != b and a != 5


def test_sets_in_other_containers():
    @njit
    def f(s):
        d = Dict.empty(types.unicode_type, typeof_set)
        d["a"] = s
        d["a"].add(9.5)
        items = List()
        items.append(s)
        return d, items

    s = Set([1.5])
    typeof_set = typeof(s)
    d, items = f(s)
    assert s == {1.5, 9.5} and d["a"] == s and items[0] == s


def test_signatures_and_names():
    @njit("int64(SetType(int64), int64)")
    def count(s, item):
        return len(s) + (item in s)

    assert count(Set([1, 2]), 2) == 3 and str(count.signatures[0][0]) == "SetType[int64]"


def test_pickling_keeps_types():
    s = Set([np.float32(1.5)])
    again = pickle.loads(pickle.dumps(s))
    assert again == s and typeof(again) == types.SetType(types.float32) and pickle.loads(pickle.dumps(Set())) == set()


def test_what_is_refused():
    with pytest.raises(errors.TypingError, match="at most 1 argument"):
        Set([1], [2])
    with pytest.raises(errors.TypingError, match="not iterable"):
        Set(3)
    with pytest.raises(errors.TypingError, match="is forbidden"):
        Set.empty(types.List(types.int64))
    with pytest.raises(TypeError, match="cannot be made"):
        Set.empty(types.float64[:])
    with pytest.raises(KeyError):
        Set([1]).remove(2)
    with pytest.raises(errors.TypingError):
        njit(lambda s: s.add("a"))(Set([1]))
    assert njit(lambda s: isinstance(s, set))(Set([1])) is False
