"""`operator.itemgetter`, `attrgetter` and `methodcaller`: made in compiled code, or before it and used as globals."""
import operator
from collections import namedtuple
from operator import itemgetter

import numpy as np
import pytest

from beside import compare
from leaks import nothing_leaks  # noqa: F401
from rumba import errors, njit

Point = namedtuple("Point", "x y")
SECOND, BOTH, LAST = itemgetter(1), itemgetter(1, 0), itemgetter(-1)
BY_NAME, HEAD = itemgetter("b"), itemgetter(slice(0, 2))
X, Y_X, NESTED = operator.attrgetter("x"), operator.attrgetter("y", "x"), operator.attrgetter("real.imag")
UPPER, REPLACED = operator.methodcaller("upper"), operator.methodcaller("replace", "a", "b")
PAIRS = [(1, "b"), (3, "a"), (2, "c"), (2, "a")]
POINTS = [Point(1.5, "q"), Point(0.5, "p")]


@pytest.mark.parametrize("function, arguments", [
    (lambda p: sorted(p, key=itemgetter(1)), (PAIRS,)),
    (lambda p: sorted(p, key=SECOND), (PAIRS,)),
    (lambda p: sorted(p, key=operator.itemgetter(1, 0), reverse=True), (PAIRS,)),
    (lambda p: (max(p, key=BOTH), min(p, key=itemgetter(0))), (PAIRS,)),
    (lambda p: [BOTH(x) for x in p], (PAIRS,)),
    (lambda p: list(map(SECOND, p)), (PAIRS,)),
    (lambda p: max(p.items(), key=itemgetter(1)), ({"a": 3, "b": 7},)),
    (lambda p: (BY_NAME(p), itemgetter("a")(p)), ({"a": 3, "b": 7},)),
    (lambda p: BY_NAME(p), ({"a": 3},)),
    (lambda p: (LAST(p), HEAD(p)), ([4, 5, 6],)),
    (lambda p: LAST(p), ([],)),
    (lambda p, k: [itemgetter(k)(x) for x in p], ([[1, 2], [3, 4]], 1)),
    (lambda p, k: sorted(p, key=itemgetter(k)), ([[1, 2], [3, 0]], 1)),
    (lambda p: itemgetter(0, 2, 1, 0)(p), ((1, "x", 2.5),)),
    (lambda p: sorted(p, key=X), (POINTS,)),
    (lambda p: [Y_X(x) for x in p], (POINTS,)),
    (lambda p: [operator.attrgetter("y")(x) for x in p], (POINTS,)),
    (lambda p: NESTED(p), (2 + 3j,)),
    (lambda p: operator.attrgetter("shape", "ndim")(p), (np.ones((2, 3)),)),
    (lambda p: [UPPER(x) for x in p], (["ab", "c"],)),
    (lambda p: list(map(REPLACED, p)), (["ab", "ca"],)),
    (lambda p, q: operator.methodcaller("replace", "a", q)(p), ("banana", "o")),
    (lambda p: sorted(p, key=operator.methodcaller("lower")), (["b", "A", "C"],)),
    (lambda p: operator.methodcaller("count", 2)(p), ([2, 1, 2],)),
])
def test_getters(function, arguments):
    compare(njit(function), *arguments)


def test_a_getter_is_compiled_once():
    @njit
    def first(p):
        return SECOND(p)

    @njit
    def second(p):
        return SECOND(p)

    assert (first((1, 2)), second((3, 4))) == (2, 4)


def test_what_has_no_such_attribute_is_a_typing_error():
    with pytest.raises(errors.TypingError):
        njit(lambda p: X(p))((1, 2))
    with pytest.raises(errors.TypingError):
        njit(lambda p, name: operator.attrgetter(name)(p))(Point(1, 2), "x")
