"""`itertools` in compiled code, beside CPython's."""
import itertools
import operator

import numpy as np
import pytest
from leaks import nothing_leaks  # noqa: F401
from rumba import njit

CASES = {
    "count": lambda n: [x for x, _ in zip(itertools.count(3, 2), range(n))],
    "count of floats": lambda n: list(itertools.islice(itertools.count(0.5, 0.25), n)),
    "repeat": lambda n: list(itertools.repeat("a", n)),
    "repeat without end": lambda n: [x for x, _ in zip(itertools.repeat(n), range(n))],
    "cycle": lambda n: [x for x, _ in zip(itertools.cycle([1, 2, 3]), range(n))],
    "chain": lambda n: list(itertools.chain(range(n), [7, 8], (1, 2))),
    "chain of strings": lambda n: list(itertools.chain("ab", ["cd"] * n)),
    "chain of nothing": lambda n: [n for _ in itertools.chain([1][n:], [2])],
    "chain.from_iterable": lambda n: list(itertools.chain.from_iterable([[1], [2, n], []])),
    "islice": lambda n: list(itertools.islice(itertools.count(), n)),
    "islice with a step": lambda n: list(itertools.islice(range(100), 3, 20, n + 1)),
    "islice without an end": lambda n: list(itertools.islice([1, 2, 3, 4], n, None)),
    "accumulate": lambda n: list(itertools.accumulate([1, 2, n])),
    "accumulate strings": lambda n: list(itertools.accumulate(["a", "b"] * n)),
    "accumulate with a function": lambda n: list(itertools.accumulate([1, 2, n], operator.mul)),
    "accumulate from": lambda n: list(itertools.accumulate([1, 2, n], lambda a, b: a * b, initial=10)),
    "starmap": lambda n: list(itertools.starmap(pow, [(2, n), (3, 2)])),
    "takewhile": lambda n: list(itertools.takewhile(lambda x: x < n, itertools.count())),
    "dropwhile": lambda n: list(itertools.dropwhile(lambda x: x < n, [0, 1, 7, 1, 0])),
    "filterfalse": lambda n: list(itertools.filterfalse(lambda x: x % 2, range(n))),
    "filterfalse of None": lambda n: list(itertools.filterfalse(None, [0, 1, n])),
    "compress": lambda n: list(itertools.compress("abcd", [1, 0, n, True])),
    "pairwise": lambda n: list(itertools.pairwise(range(n))),
    "product of one": lambda n: list(itertools.product(range(n))),
    "product": lambda n: list(itertools.product(range(n), "ab")),
    "product of three": lambda n: list(itertools.product(range(n), "ab", [1.5])),
    "in loops": lambda n: sum([a * b for a, b in itertools.product(range(n), range(n))]),
    "one in another": lambda n: list(itertools.islice(itertools.chain(itertools.repeat(0, n), itertools.count(1)), 2 * n)),
}


@pytest.mark.parametrize("name", CASES)
def test_as_in_python(name):
    compiled = njit(CASES[name])
    for n in (0, 1, 4):
        assert compiled(n) == CASES[name](n)


@pytest.mark.parametrize("stop", [-1, -5])
def test_what_is_no_number_of_items(stop):
    take = njit(lambda n: list(itertools.islice([1, 2], n)))
    with pytest.raises(ValueError, match="Stop argument for islice"):
        take(stop)


def test_python_gets_one():
    @njit
    def pairs(array):
        return itertools.pairwise(array)

    assert list(pairs(np.arange(4))) == [(0, 1), (1, 2), (2, 3)]
