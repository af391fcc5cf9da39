"""`is` and `is not` of containers: those of different types are different objects."""
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
