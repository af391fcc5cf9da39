"""Dicts beside CPython's: results, exceptions, and what the caller's dicts hold afterwards."""
import functools
import threading
from collections import namedtuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import beside
from leaks import nothing_leaks  # noqa: F401
from rumba import errors, njit
from support import check
from rumba.typed import Dict

few = settings(max_examples=50, deadline=None)
ints = st.integers(-6, 6)
words = st.text("abé☃", max_size=3)
Point = namedtuple("Point", "x y")


def plain(value):
    """A value with Python's dicts for those of compiled code."""
    if isinstance(value, Dict):
        return dict(value.items())
    if isinstance(value, tuple):
        return tuple(plain(item) for item in value)
    return value


compare = functools.partial(beside.compare, shown=lambda value: repr(plain(value)))


@njit
def work(steps, keys):
    """A number says what is done with the key beside it."""
    d = {}
    seen = []
    for at in range(len(steps)):
        step, key = steps[at], keys[at]
        if step < 4:
            d[key] = d.get(key, 0) + at
        elif step == 4:
            seen.append(d.pop(key, -1))
        elif step == 5 and key in d:
            del d[key]
        elif step == 6 and d:
            seen.append(d.popitem()[1])
        elif step == 7:
            seen.append(d.setdefault(key, at))
        elif step == 8:
            d.update({key: -at})
        elif step == 9 and at % 7 == 0:
            d.clear()
    total = 0
    for value in d.values():
        total = total * 3 + value
    return total, len(d), seen, [key for key in d], [item for item in d.items()]


def check_work(steps, keys):
    count = min(len(steps), len(keys))
    if count:
        compare(work, steps[:count], keys[:count])


steps = st.lists(st.integers(0, 9), max_size=60)


@few
@given(steps, st.lists(ints, max_size=60))
def test_integer_keys(steps, keys):
    check_work(steps, keys)


@few
@given(steps, st.lists(words, max_size=60))
def test_string_keys(steps, keys):
    check_work(steps, keys)


@few
@given(steps, st.lists(st.floats(-2, 2) | st.sampled_from([0.0, -0.0, 1.0, float("inf")]), max_size=60))
def test_float_keys(steps, keys):
    check_work(steps, keys)


@few
@given(steps, st.lists(st.tuples(ints, words), max_size=60))
def test_tuple_keys(steps, keys):
    check_work(steps, keys)


def test_keys_of_other_types():
    compare(work, [0, 1, 7, 4], [True, False, True, True])
    compare(work, [0, 1, 7, 4], [Point(1, 2.5), Point(1, 2.0), Point(1, 2.5), Point(0, 0.0)])
    compare(work, [0, 1, 7, 4], [1j, 2j, 1j, 0j])
    for dtype in (np.int8, np.uint8, np.int32, np.float32, np.uint64):
        keys = list(np.array([1, 2, 1, 120], dtype))
        assert work([0, 1, 0, 4], keys)[:2] == work.py_func([0, 1, 0, 4], keys)[:2]


@njit
def large(count, step):
    d = {}
    for i in range(count):
        d[i * step] = i
    for i in range(0, count, 3):
        del d[i * step]
    total = 0
    for i in range(count):
        total += d.get(i * step, -1)
    for key, value in d.items():
        total += (key ^ value) % 1000003
    return total, len(d)


def test_many_keys():
    for count, step in ((20000, 1), (5000, 1 << 32), (5000, 1 << 48), (3000, -7919)):
        compare(large, count, step)


def test_displays_and_comprehensions():
    def made(n, s):
        a = {1: 2.5, n: 4.0}
        b = {i: (i, s) for i in range(n) if i % 2}
        c = {**a, **{7: 1.5}, 1: 0.5}
        d = {"x": 1, s: 2}
        e = {"x": n, "y": n + 1}
        e["z"] = 5
        return a, b, c, d, e, dict(a), dict([(1, s)]), a | {2: 8.0}, {"p": 1, "q": 2}[s]

    for n, s in ((5, "p"), (1, "q")):
        compare(njit(made), n, s)


def test_values_of_all_kinds():
    @njit
    def kinds(n):
        lists, tuples, arrays, deep, nested = {}, {}, {}, {}, {}
        for i in range(n):
            if i % 3 not in lists:
                lists[i % 3] = []
            lists[i % 3].append(i)
            tuples[i] = (i, str(i))
            arrays[i] = np.full(2, i)
            deep.setdefault(i % 2, []).append([i])
            nested.setdefault(i % 2, {})[i] = str(i)
        total = 0
        for array in arrays.values():
            total += int(array.sum())
        texts = [nested[k][v] for k in nested for v in nested[k]]
        return [lists[k] for k in lists], [tuples[k] for k in tuples], total, [deep[k] for k in deep], texts

    compare(kinds, 9)


def test_exceptions():
    @njit
    def missing(d, key):
        return d[key]

    @njit
    def remove(d, key):
        del d[key]

    @njit
    def pop(d, key):
        return d.pop(key)

    @njit
    def empty(d):
        d.popitem()
        return d.popitem()

    for function in (missing, remove, pop):
        compare(function, {1: 2}, 7)
        compare(function, {"a": 2}, "☃b")
        compare(function, {(1, "x"): 2}, (2, "y"))
        compare(function, {2.5: 1}, 1.5)
        compare(function, {1: "x"}, 1)
    compare(empty, {1: 2})


def test_changes_while_it_is_gone_through():
    @njit
    def grows(d):
        for key in d:
            d[key + 100] = 1

    @njit
    def shrinks(d):
        for key, value in d.items():
            d.pop(key)

    @njit
    def replaces(d):
        for key in d:
            d[key] += 1
        return len(d)

    for function in (grows, shrinks, replaces):
        compare(function, {1: 2, 3: 4})


def test_comparison_and_membership():
    @njit
    def compared(a, b):
        values = 2 in a.values(), (1, 2) in a.items(), 1 in a.keys(), 5 not in a
        return a == b, a != b, a == a.copy(), a is b, bool(a), not b, values

    for a, b in (({1: 2}, {1: 2}), ({1: 2, 3: 4}, {3: 4, 1: 2}), ({1: 2}, {1: 3}), ({1: 2}, {2: 2})):
        compare(compared, a, b)
    same = {1: 2}
    assert compared(same, same)[3]


def test_what_is_not_there_is_none():
    @njit
    def found(d, key):
        value = d.get(key)
        if value is None:
            return -1
        return value

    compare(found, {1: 5}, 1)
    compare(found, {1: 5}, 2)


def test_the_callers_dict():
    @njit
    def change(d, fail):
        d[10] = 1
        if fail:
            return d[77]
        return 0

    @njit
    def look(d):
        return len(d)

    for fail in (False, True):
        compare(change, {1: 2}, fail)

    class Watched(int):
        pass

    key = Watched(5)
    kept = {key: 1}
    look(kept)
    assert next(iter(kept)) is key
    d = {1: 2}

    @njit
    def two(a, b):
        a[3] = 4
        return b[3], a is b

    assert two(d, d) == (4, True) and d == {1: 2, 3: 4}

    @njit
    def same(d):
        return d

    assert same(d) is d


def test_nested_arguments():
    @njit
    def nested(lists, dicts):
        lists["a"].append(5)
        lists["new"] = [1]
        dicts[0]["k"] = 9
        return len(lists), len(dicts)

    compare(nested, {"a": [1, 2], "b": []}, [{"k": 1}, {"z": 2}])
    inner = [1]
    outer = {"a": inner}
    nested(outer, [{"k": 1}])
    assert outer["a"] is inner and inner == [1, 5]


def test_what_cannot_be():
    @njit
    def look(d):
        return len(d)

    with pytest.raises(TypeError, match="value of key 2 is float64, not int64"):
        look({1: 1, 2: 2.5})
    with pytest.raises(TypeError, match="key 'x' is unicode_type, not int64"):
        look({1: 1, "x": 1})
    kept = {1: 1, 2: 2, 3: 2.5}
    with pytest.raises(TypeError):
        look(kept)
    assert kept == {1: 1, 2: 2, 3: 2.5}

    @njit
    def unhashable(n):
        d = {}
        d[[n]] = 1

    with pytest.raises(errors.TypingError, match="unhashable type: 'list'"):
        unhashable(1)

    @njit
    def mixed(n):
        d = {1: 2}
        d["a"] = 3

    with pytest.raises(errors.TypingError, match="cannot hold"):
        mixed(1)


def test_a_dict_in_two_threads():
    @njit(nogil=True)
    def count(d, n):
        total = 0
        for i in range(n):
            total += d.get(i % 100, 0)
        return total

    d = njit(lambda n: {i: i for i in range(n)})(100)
    results = []
    threads = [threading.Thread(target=lambda: results.append(count(d, 100000))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(results)) == 1


# A search for a key that was searched for already is left out: not where the table may have changed.


@njit
def again(keys):
    d = {}
    for key in keys:
        if key in d:
            d[key] += 1
        else:
            d[key] = 1
    return d


@njit
def counted(keys):
    d = {}
    for key in keys:
        d[key] = d.get(key, 0) + len(keys)
        d[key] += d[key]
    return d


@njit
def between(keys, k, other):
    """What was found is gone, moved or another's when it is asked for again."""
    d = {key: key * 10 for key in keys}
    e = {key: -key for key in keys}
    seen = []
    if k in d:
        del d[k]
        seen.append(d.get(k, -1))
        d[k] = 5
    if k in d:
        d.clear()
        if k in d:
            seen.append(-2)
        d[k] = 6
    x = d[k]
    for n in range(50):
        d[n + 100] = n
    d[k] = x + 1
    found = k in d
    k = other
    if found:
        d[k] = 7
    if k in e:
        d[k] = e[k] + d[k]
    return d, e, seen


@njit
def guarded(d, key):
    d[key] += 1
    while key in d and d[key] < 4:
        d[key] += 1
    return d[key]


@njit
def once(items):
    s = {0}
    first = []
    for item in items:
        if item not in s:
            s.add(item)
            first.append(item)
    return first, len(s)


@few
@given(st.lists(ints, max_size=30), ints, ints)
def test_repeated_searches(keys, k, other):
    for function in again, counted:
        compare(function, keys)
        compare(function, [str(key) * 3 for key in keys])
        compare(function, [(key, key % 2) for key in keys])
    compare(between, [*keys, k], k, other)
    compare(guarded, {key: key for key in [99, *keys]}, k)
    compare(once, keys)


def displays_in_displays(n):
    names = {**{**{"b": [""], "a": []}, "": ["ab"]}, "c": ["ab"]}
    inner = {n: names for _ in range(2)}
    names["a"].append("x")
    return inner[n]["a"], {**{"a": n, **{"b": n}}, **{**{"a": 3}, "c": 4}}[min("a", "b")]


def test_displays_in_displays():
    check(displays_in_displays, 3)


@pytest.mark.parametrize("body", [
    'd = {"a": 1}; d.update(c=3, a=5); d.update({"z": 1}, q=2); d.update([("u", 8)], v=9)', "d = {}; d.update(x=1.5)",
    'd = {"a": 1}; d.update(**{"k": 4}); d.update()', 'd = dict(b=1); d.update(dict(c=2), **{"b": 3})'])
def test_update_by_names(body):
    space = {}
    exec("def program():\n    " + "\n    ".join(body.split("; ")) + "\n    return d", space)
    assert dict(njit(space["program"])()) == space["program"]()
