"""Containers of different or no type that meet: in displays, as defaults, as outcomes of one expression, as results, beside CPython."""
import copy
import enum
import operator

import pytest

from beside import plain
from leaks import nothing_leaks  # noqa: F401
from rumba import errors, njit


def agree(function, *args):
    """Compares results, and what the arguments hold afterwards, with CPython's."""
    ours, theirs = copy.deepcopy(args), copy.deepcopy(args)
    expected = function(*theirs)
    compiled = njit(function)
    assert repr(plain(compiled(*ours))) == repr(expected)
    assert repr(plain(list(ours))) == repr(list(theirs))
    assert repr(plain(compiled(*copy.deepcopy(args)))) == repr(expected)


def got(d, k):
    return d.get(k, [])


def got_and_changed(d, k):
    found = d.get(k, [])
    found.append(5)
    return found, d


def got_and_gone_through(d, k):
    total = 0
    for x in d.get(k, []):
        total += x
    return total, len(d.get(k, [])), len(d.get(k, list()))


def popped(d, k):
    return d.pop(k, []), d


def set_by_default(d, k):
    d.setdefault(k, []).append(3)
    return d.setdefault(k + 1, []), d


@pytest.mark.parametrize("function", [got, got_and_changed, got_and_gone_through, popped, set_by_default])
@pytest.mark.parametrize("key", [1, 2])
def test_an_empty_list_is_the_default_of_a_dict(function, key):
    agree(function, {1: [1, 2]}, key)


def of_dict(d, k):
    return d.get(k, {})


def of_set(d, k):
    return d.get(k, set())


def of_tuple(d, k):
    return d.get(k, (0, []))


def of_tuple_popped(d, k):
    return d.pop(k, (0, [])), d


@pytest.mark.parametrize("function, held", [
    (of_dict, {1: 2}), (of_set, {7}), (of_tuple, (1, [2])), (of_tuple_popped, (1, [2])),
])
@pytest.mark.parametrize("key", [1, 2])
def test_other_empty_containers_are_defaults(function, held, key):
    agree(function, {1: held}, key)


@pytest.mark.parametrize("function", [
    lambda n: {0: [1], 1: [], 2: [0]}[n],
    lambda n: [[1], [], [0]][n],
    lambda n: [[], [1], []][n],
    lambda n: [[1.0], [2.5], []][n],
    lambda n: ([1], [], [0])[n],
    lambda n: [([], 1), ([2], 3), ([], 4)][n],
    lambda n: [{}, {1: 2}, {}][n],
    lambda n: [set(), {1}, set()][n],
    lambda n: [[[]], [[1]], []][n],
    lambda n: {0: {}, 1: {1: []}, 2: {3: [2]}}[n],
    lambda n: [[1], None, []][n],
    lambda n: [[] if i % 2 else [i] for i in range(n)],
    lambda n: {i: [] if i % 2 else [i] for i in range(n)},
    lambda n: [] if n else [1],
    lambda n: ({} if n else {1: 2}, set() if n else {1}),
])
def test_displays_with_empty_containers(function):
    for n in range(3):
        agree(function, n)


def changed_in_display(n):
    rows = [[1], [], [0]]
    rows[1].append(3)
    rows[n].append(4)
    return rows[n], rows


def test_what_a_display_shows_is_what_it_holds():
    for n in range(3):
        agree(changed_in_display, n)


def test_lists_of_integers_and_of_floats_hold_floats():
    def mixed(s):
        return {s: [1], s + "x": [1.5]}

    def chosen(n):
        return [[1], [2.5], [0]][n], ([1], [2.5])[n]

    assert plain(njit(mixed)("a")) == mixed("a")
    assert [njit(chosen)(n) for n in range(2)] == [chosen(n) for n in range(2)]


@pytest.mark.parametrize("function", [
    lambda n: [[1, 2], [1, None]][n],
    lambda n: {0: [1, 2], 1: [None]}[n],
    lambda n: [{1: 2}, {1: None}][n],
    lambda n: [(1, [2]), (1, [None])][n],
    lambda n: [1, 2] if n else [1, None],
])
def test_items_that_may_be_none_beside_others(function):
    for n in range(2):
        agree(function, n)


def test_a_list_from_outside_beside_another_keeps_its_type():
    def both(items):
        return [items, [None, 1]]

    def joined(items, n):
        return items if n else [2.5]

    def default(d, k):
        return d.get(k, [7.5])

    agree(both, [1, 2])
    for function, args in ((joined, ([1], 0)), (default, ({1: [1]}, 2))):
        with pytest.raises(errors.TypingError, match=r"cannot become|Cannot unify") as error:
            njit(function)(*args)
        assert "internal" not in str(error.value)


@njit
def put(items, value):
    items.append(value)


@njit
def put_two(items, value):
    put(items, value)
    put(items, value)


def test_a_callee_says_what_its_argument_holds():
    def filled(n):
        items, others = [], []
        put(items, n)
        put_two(others, n / 2)
        return items, others

    def in_display(n):
        rows = [[1], [2]]
        return rows + [[]], [[]] + rows

    def extended(rows):
        rows += [[]]
        rows.extend([[], [3]])
        return rows

    assert njit(filled)(3) == ([3], [1.5, 1.5])
    agree(in_display, 1)
    agree(extended, [[1]])


def test_what_cannot_be_given_to_a_callee_is_told_at_the_call():
    @njit
    def fails(items):
        put(items, 2.5)

    with pytest.raises(errors.TypingError, match="cannot become"):
        fails([1, 2])


def keys_differ(n):
    return {"a": 1} if n else {"b": 2}


def keys_or_none(n):
    return {"a": 1} if n else {}


def keys_returned(n):
    if n:
        return {"a": 1}
    return {"b": 2}


def keys_looked_up(n):
    d = {"a": 1}
    if n:
        d = {"b": 2}
    return d["b" if n else "a"], len(d), list(d)


def keys_changed(n):
    d = {"a": 1} if n else {"b": 2}
    d["c"] = 3
    return d


def keys_or_missing(n):
    return {"a": 1} if n else None


@pytest.mark.parametrize("function", [
    keys_differ, keys_or_none, keys_returned, keys_looked_up, keys_changed, keys_or_missing,
    lambda n: [{"a": 1}, {"b": 2}][n], lambda n: ({"a": 1}, {"b": 2})[n], lambda n: {0: {"a": 1}, 1: {"b": 2}}[n],
])
def test_dicts_of_other_constant_keys(function):
    for n in range(2):
        agree(function, n)


def test_a_dict_of_constant_keys_beside_one_from_outside():
    def joined(d, n):
        return {"a": 1} if n else d

    for n in range(2):
        agree(joined, {"z": 3}, n)


def test_items_of_tuples_in_containers_keep_their_types():
    def shown(n):
        pairs = [([[2.5]], [[1]]), ([[0.5]], [])]
        pairs.append(([], [[n]]))
        return pairs, {n: ([1.5], [n])}

    agree(shown, 3)


# Tuples and lists of containers are gone through, compared and indexed as what all of their items hold.

@pytest.mark.parametrize("function", [
    lambda n: list(map(lambda x: x, ([1], []))),
    lambda n: list(zip([[], [1]], [[2], []])),
    lambda n: list(enumerate(([], [[n]]))),
    lambda n: list(reversed([["b"], []])),
    lambda n: [len(x) for x in (([], [1]), ([2.5], []))[n]],
    lambda n: [x for x in ([], [1], [2, 3])],
    lambda n: ([], 1) if n else ([1], 2),
    lambda n: [([], 1), ([1, 2], 2)][n],
    lambda n: max(([1], 3), ([1, n], 2)),
    lambda n: [[1], [], [0]][n],
    lambda n: sorted([[(2, [n])], []]),
    lambda n: [x is None for x in map(lambda y: y, ([n], None))],
    lambda n: (None, ([], 7))[n],
    lambda n: any([]) or all([]) and list(filter(None, [])) == [],
])
def test_items_become_what_all_of_them_hold(function):
    for n in range(2):
        agree(function, n)


@pytest.mark.parametrize("function", [
    lambda s: {"a": 1, "b": 2} == {s: 1, "b": 2},
    lambda s: s in {"a": 1},
    lambda s: {"a": [1]}.get(s, [2]),
    lambda s: {"a": 1, "b": 2}[s],
    lambda s: [({"a": 1}, 2), ({s: 3}, 4)][1][0][s],
    lambda s: any([len(d) > 1 for d in ({"a": 1}, {"a": 1, "b": s == "a"})]),
])
def test_dicts_of_constant_keys_become_others_by_need(function):
    agree(function, "a")


def test_lists_of_known_length_become_others_by_need():
    def by_sorting():
        found = sorted((3, 2))
        found.append(1)
        return found

    def by_star():
        first, *rest = (1, 2, 3)
        rest.append(first)
        return rest

    def in_tuples(n):
        found = ([1], 2) if n else ([1, 2], 3)
        found[0].append(5)
        return found

    agree(by_sorting)
    agree(by_star)
    agree(in_tuples, 0)
    agree(in_tuples, 1)


def test_functions_of_operator_compare_lists():
    agree(lambda a, b: (operator.lt(a, b), operator.ge(a, b), a < b), [[1], [2]], [[1], [3]])


def test_a_value_that_is_not_in_a_list_is_named():
    for values, value in (([1], 2), ([(1, "a")], (2, "a")), ([[1]], [2]), (["a"], "b")):
        with pytest.raises(ValueError) as expected:
            values.index(value)
        with pytest.raises(ValueError) as found:
            njit(lambda values, value: values.index(value))(values, value)
        assert str(found.value) == str(expected.value)


def test_what_iterators_give_becomes_what_it_meets():
    """The request for an item goes through the iterator to where the item is made."""
    def mapped(d):
        for made in map(lambda x: {"a": x, "b": 3}, [1, 2]):
            made.update(made)
            d["q"] = made
        return d

    def generated(d):
        for a, b in zip([{"a": 1}], ({"b": 2} for x in "ab")):
            d["a"], d["b"] = a, b
        return d

    def nexts(n):
        return next(iter([None, ({(1, "a"): 3}, "b")])) or ({(2, ""): 1, (1, ""): None}, "a")

    def enumerated(d):
        for at, (key, value) in enumerate({"x": {"b": 1, "a": 2}}.items()):
            d[key] = value
            value["z"] = at
        return d

    def filtered(n):
        return [[n], *filter(lambda x: len(x) < n, [[], []])]

    def values(n):
        return list({"a": [1, n], "b": []}.values()), [x for x in {"a": {n}, "b": set()}.values()]

    def several(n):
        return list(map(lambda x, y: (x, y), [n, 2], {"a": [n], "b": []}.values()))

    for function in (mapped, generated, enumerated):
        agree(function, {"a": {"b": 1}})
    for function in (nexts, filtered, values, several):
        agree(function, 2)


def test_items_of_tuples_in_tuples_keep_their_own_types():
    def gone_through(n):
        return [n for x in (n for y in [([1], 1), ([], None)])], [n for y in (n for x in [(1, [1]), (None, [])])]

    def listed(n):
        return list(zip((([1], n), ([], None)), [1, 2]))

    agree(gone_through, 3)
    agree(listed, 3)


def test_dicts_of_known_keys_that_come_out_of_others_may_change():
    def chosen(n):
        count = 0
        for d, x in ((["b"], ({"a": (7, "a"), "b": (-4, "x")}, 0.0))[1], {"a": ({"b": (-4, "ab")}, 0.0)}.get("b", ({"": (3, "b")}, 0.0))):
            if n:
                d["q"] = (1, "")
            count += len(d)
        return count

    agree(chosen, 0)
    agree(chosen, 1)


def test_containers_of_other_kinds_are_never_equal():
    def compared(n):
        return ([n] == range(n), {n: 1} != range(n), {n} == range(n), {"a": n} == None, None in ({"a": "b"}, {"b": "b", "": "a"}),  # noqa: E711
                [n] == {n: 1}, {n} == [n], range(n) != [n])

    agree(compared, 3)


def test_unpacking_an_empty_list_raises():
    def unpacked(n):
        first, *rest = [None, None][n] or []
        return first

    with pytest.raises(ValueError, match=r"not enough values to unpack \(expected at least 1, got 0\)"):
        njit(unpacked)(1)

    def taken(n):
        *rest, = []
        return rest

    assert njit(taken)(1) == []

    def optional(n):
        first, *rest = {2: [(True, n)], 3: None}.get(n) or []
        second, third = [n, 5] if n > 1 else None
        return first, rest, second, third

    agree(optional, 2)
    for n in (3, 4):
        with pytest.raises(ValueError, match="expected at least 1, got 0"):
            njit(optional)(n)

    with pytest.raises(TypeError, match="None"):
        njit(lambda n: [x for x, y in [[n, 1] if n else None]])(0)


def test_containers_meet_in_a_shared_variable():
    def of_two_displays(n):
        a = [1, 3]
        read = lambda: a  # noqa: E731
        a.reverse()
        if n:
            a = [2.5]
        return read()

    def of_a_starred_target(n):
        *a, b = (1, 3)
        read = lambda: a  # noqa: E731
        if n:
            a = [2.5]
        return read()

    def of_nothing_known(n):
        a = []
        a.reverse()
        a = ["ab" for _ in map(lambda _: a, range(n))]
        return a

    def by_another_function(n):
        a = [1]

        def store():
            nonlocal a
            a = [n * 0.5]

        if n:
            store()
        a.append(2)
        return a

    def removed_from(n):
        *a, b = (n,)
        for _ in (a for _ in range(3)):
            del a[1:]
        return a

    for function in (of_two_displays, of_a_starred_target, of_nothing_known, by_another_function, removed_from):
        compiled = njit(function)
        for n in (0, 3):
            assert compiled(n) == function(n)


class Kind(enum.Enum):
    A = 1


@pytest.mark.parametrize("text", ['b"a"', "Kind.A"])
@pytest.mark.parametrize("other", ["n", "1.5", "True", '"a"', "[n]", "{n: 1}", "(n, 2)", "{n}", "None", "range(n)", "frozenset((n,))", '["a"]'])
def test_bytes_and_members_are_equal_to_nothing_of_other_kinds(text, other):
    space = {"Kind": Kind}
    exec(f"def compared(n):\n    p, q = {text}, {other}\n    return p == q, q == p, p != q, q != p", space)
    agree(space["compared"], 3)


@pytest.mark.parametrize("key", ['"a"', 'b"a"', "n", "(n, 2)", "None", "True"])
@pytest.mark.parametrize("held", ["{1: 2}", "{1, 3}", '{"a": 1}', '{"a", "b"}', "{(3, 2): 1}", "frozenset((1, 3))"])
def test_keys_of_other_kinds_are_not_there(key, held):
    space = {}
    exec(f"def looked_for(n):\n    held = {held}\n    return {key} in held, {key} not in held, len(held)", space)
    agree(space["looked_for"], 3)


@pytest.mark.parametrize("key", ["([n],)", "({n: 1}, 2)", "(1, ({n}, 2))"])
def test_keys_that_cannot_be_are_not_said_to_be_absent(key):
    space = {}
    exec(f"def looked_for(n):\n    return {key} in {{1: 2}}", space)
    with pytest.raises(TypeError):
        space["looked_for"](3)
    with pytest.raises((TypeError, errors.TypingError)):
        njit(space["looked_for"])(3)
