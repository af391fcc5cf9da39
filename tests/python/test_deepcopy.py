"""`copy.deepcopy` of containers in each other: what is one and the same stays so."""
import copy
from collections import Counter, defaultdict, deque

import numpy as np
import pytest
from leaks import nothing_leaks  # noqa: F401
from support import check

from rumba import errors, njit


def lists(n):
    a = [[1], [2, n]]
    b = copy.deepcopy(a)
    b[0].append(5)
    return a, b


def shared(n):
    inner = [n]
    a = [inner, inner, [n]]
    b = copy.deepcopy(a)
    b[0].append(7)
    return a, b, b[0] is b[1], b[0] is b[2]


def shared_between_types(n):
    inner = [n]
    a = ({1: inner}, [inner, [2]], inner)
    b = copy.deepcopy(a)
    b[2].append(9)
    return a[1:], b[1:], b[0][1], b[0][1] is b[2], b[1][0] is b[2]


def dicts(n):
    a = {"x": [1.5], "y": [n * 0.5]}
    b = copy.deepcopy(a)
    b["x"].append(2.5)
    b["z"] = []
    return list(a.items()), list(b.items())


def deep(n):
    a = [[[n], [n]], [[1]]]
    b = copy.deepcopy(a)
    b[0][0][0] = 100
    b[1].append([3])
    return a, b


def sets_and_deques(n):
    a = [({n}, deque([1, n], maxlen=3))]
    b = copy.deepcopy(a)
    b[0][0].add(50)
    b[0][1].append(60)
    b[0][1].append(70)
    return [sorted(x) for x, _ in a], [list(y) for _, y in a], [sorted(x) for x, _ in b], [list(y) for _, y in b]


def texts(n):
    return copy.deepcopy([("a", [str(n)]), ("b", [])])


def empty(n):
    a = [[n]]
    a.clear()
    return copy.deepcopy(a), copy.deepcopy({1: [n]})[1]


def optional(n):
    a = [[n, None], []]
    b = copy.deepcopy(a)
    b[1].append(None)
    return a, b, copy.deepcopy(deque([n, None], 3)) == deque([n, None])


def never_filled(n):
    _, *rest = (n,)
    return copy.deepcopy((n, (rest, 0.5))), copy.deepcopy([[], []])


def counters(n):
    words = defaultdict(list)
    words["a"].append(n)
    a = [(Counter([n, n]), words)]
    b = copy.deepcopy(a)
    b[0][0][n] += 1
    b[0][1]["b"].append(5)
    b[0][1]["a"].append(6)
    return a[0][0][n], len(a[0][1]), b[0][0][n], sorted(b[0][1].items()), copy.deepcopy(deque([Counter({(0, ""): n})]))[0][(0, "")]


@pytest.mark.parametrize("function", [never_filled, counters, optional, lists, shared, shared_between_types, dicts, deep, sets_and_deques, texts, empty])
def test_containers(function):
    check(function, 3)


def test_arrays():
    def copies(n):
        x = np.ones(3)
        a = [x, x, np.zeros(2), x[:2]]
        b = copy.deepcopy(a)
        b[0][0] = n
        return float(a[0][0]), float(b[0][0]), float(b[1][0]), b[0] is b[1], float(b[3][0]), b[0] is x

    check(copies, 5.0)


def test_arguments():
    @njit
    def changed(a):
        b = copy.deepcopy(a)
        b[0].append(1)
        return b

    given = [[1], [2]]
    assert changed(given) == [[1, 1], [2]] and given == [[1], [2]]


def test_identity():
    def same(n):
        a, b = [n], [n]
        return id(a) == id(a), id(a) == id(b), id(a) != 0, id({n}) != id(a)

    check(same, 3)
    with pytest.raises(errors.TypingError):
        njit(lambda x: id(x))(3)
