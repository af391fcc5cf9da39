"""Containers that calls give, and that hold more than what they are made of: their items are converted."""
import pytest
from leaks import nothing_leaks  # noqa: F401
from rumba.errors import TypingError
from rumba import njit
from support import check, check_all


def lists(p, s):
    a, b, c, d = list(p), sorted(s), list(reversed(p)), p.copy()
    for each in (a, c, d):
        each.append(None)
    b.append(None)
    pairs = list(zip(s, p))
    pairs.append((None, 1))
    return a, b, c, d, pairs


def aliases(p):
    a = list(p)
    b = a
    b.append(None)
    a[0] = None
    return a, b, a is b


def mapped(p):
    a = list(map(lambda x: x + 1, p))
    a.append(None)
    return a, sorted(map(lambda x: {"a": x}, [p[0]]), key=lambda d: "b")


def dicts(p, d):
    a, b, c, e = dict(zip(p, p)), dict(d), d.copy(), dict(a=1, b=2)
    a[7] = None
    b["u"] = c["v"] = e["w"] = None
    return list(a.items()), list(b.items()), list(c.items()), list(e.items())


def of_containers(n):
    a, b, c = dict([("a", [])]), dict(a=[]), list(([], []))
    a["b"] = b["b"] = [n]
    c.append([n])
    return list(a.items()), list(b.values()), c


@njit
def made(n):
    if n == 0:
        return n, dict(zip("xy", [None]))
    if n == 1:
        return n, {"b": "xyz"}
    return None


def results(n):
    x = made(n)
    if x is None:
        return None
    return x[0], list(x[1].items())


def results_of_lists(n):
    if n == 0:
        return n, list(zip("a", [1]))
    return n, [("b", None)]


def merged(d, n):
    a = dict(d, b=n)
    a["c"] = n / 2
    return list(dict(a, z=1.5).items()), list(dict([("k", n)], z=n).items())


def starred(p):
    *a, _ = (p, 0)
    _, *b = (0,)
    at = [[], p][len(p) - 1]
    return at in a * 2, [["q"]] in a * 2, (b + b).copy()


def extended(p):
    p[1].extend(list(([],)))
    return p


@pytest.mark.parametrize("function, args", [
    (lists, ([1, 2], "hello")), (aliases, ([1],)), (mapped, ([1, 2],)), (dicts, ([1, 2], {"a": 1})), (of_containers, (3,)),
    (results, (0,)), (results, (1,)), (results, (2,)), (results_of_lists, (0,)), (results_of_lists, (1,)),
    (merged, ({"a": 1.0}, 4.0)), (starred, ([[""]],)), (starred, ([["q"], ["r"]],)), (extended, ([[[1]], [[2]]],)),
])
def test_items_of_other_types_come_in_later(function, args):
    check(function, *args)


def test_a_number_becomes_a_float_as_in_a_display():
    def f(p):
        a, s = list(p), set(p)
        a.append(0.5)
        s.add(0.5)
        return a, sorted(s)

    assert repr(njit(f)([1, 2])) == "([1.0, 2.0, 0.5], [0.5, 1.0, 2.0])"


def test_what_may_be_an_argument_is_not_copied():
    @njit
    def same(p):
        return p

    def f(p):
        a = same(p)
        a.append(None)
        return a

    with pytest.raises(TypingError):
        njit(f)([1, 2])


def unpacked_calls(p):
    _, *e = (p,)
    for a, b in map(lambda q: (e[-1], q), p):
        p[0] += a + b
    return p


def unpacked_expressions(p):
    _, *e = (0,)
    for i, (a, b) in enumerate((e[-1], q) for q in p):
        p[0] += a + b + i
    return p


@pytest.mark.parametrize("function", [unpacked_calls, unpacked_expressions])
def test_an_iterator_that_always_raises_gives_nothing_to_unpack(function):
    check_all(function, [([1, 2],), ([0],)])


def through_reversed(c):
    l = [[1, 2], [3, 4]]
    for x in reversed(l):
        x[1] = c if c > 1 else None
    return l


def through_reversed_literals(c):
    for x in reversed([[], [1]]):
        x[1] = c if c > 1 else None


def test_items_of_an_iterator_grow_where_they_are_made():
    check_all(through_reversed, [(1,), (2,)])
    check_all(through_reversed_literals, [(1,), (2,)])


def branches_in_a_written_out_loop(p1, p2, p3, p4):
    n = 0
    for x in [({} if p4 else None) or p2, {} if p1 else None]:
        n += 1 if ("c" if p4 else None) is None else len("xyz")
    return n


def test_branches_of_a_loop_that_is_written_out():
    check(branches_in_a_written_out_loop, False, {}, 2, 0)


def appended_after_a_starred_name(c):
    *a, _ = "a"
    x, *b = (a,)
    b.append(x)
    for _ in b:
        c += 1
    return c


def test_a_loop_over_a_list_that_a_call_changes_is_not_written_out():
    check(appended_after_a_starred_name, 1)
