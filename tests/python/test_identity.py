"""`is` and `is not` of containers: those of different types are different objects."""
import numpy as np
import pytest
from support import check


def lists(n):
    a, b = [n], [n + 0.5]
    return a is b, a is not b, a is a


def sets(n):
    a, b = {n}, {"x"}
    return a is b, a is not b, a is a


def with_an_empty_one(n):
    a, b = {n}, set()
    return a is b, a is not b, len(b)


def dicts(n):
    a, b = {n: 1}, {n: "x"}
    return a is b, a is not b, a is a


def of_two_kinds(n):
    return [n] is {n}, {n} is not {n: n}


def adds_nothing(n):
    sets = [{n}]
    sets[0] |= set().copy()
    return sets


@pytest.mark.parametrize("function", [lists, sets, with_an_empty_one, dicts, of_two_kinds, adds_nothing])
def test_identity(function):
    check(function, 3)


@pytest.mark.parametrize("length", [0, 1, 3])
def test_arrays_beside_none(length):
    array, other = np.zeros(length), np.ones(length)
    functions = [
        lambda a, b: a in (a, None),
        lambda a, b: a in (None, a),
        lambda a, b: a in (b, None),
        lambda a, b: None in (a, None),
        lambda a, b: a in [None, b, None],
        lambda a, b: (a, None).count(a),
        lambda a, b: (None, a, None, b).index(None),
        lambda a, b: (None, a, b).index(b),
    ]
    for function in functions:
        check(function, array, other)
