"""Lists in order beside CPython's: where comparisons contradict each other, as with NaN, the order is that of the algorithm,
which is another one since Python 3.13."""
import math
import random

import numpy as np
import pytest

from beside import compare
from leaks import nothing_leaks  # noqa: F401
from rumba import njit

nan = math.nan


@njit
def forwards(items):
    return sorted(items)


@njit
def backwards(items):
    return sorted(items, reverse=True)


@njit
def in_place(items, reverse):
    items.sort(reverse=reverse)
    return items


@njit
def by_key(items, reverse):
    return sorted(items, key=lambda item: -item, reverse=reverse)


@njit
def by_pairs(items, reverse):
    return sorted(items, key=lambda item: (item, 1), reverse=reverse)


def lists(count, kinds, share):
    """Floats with a number of distinct values and a share of NaN, with existing sorted runs."""
    rng = random.Random(count * 1000 + kinds)
    items = [nan if rng.random() < share else float(rng.randrange(kinds)) for _ in range(count)]
    yield items
    third = count // 3
    yield sorted(items[:third]) + items[third:2 * third] + sorted(items[2 * third:], reverse=True)
    yield sorted(items, key=lambda item: item != item and 3 or item)
    yield sorted(items, key=lambda item: item != item and 3 or item, reverse=True)


def check(items):
    for function in (forwards, backwards):
        compare(function, items)
    for function in (in_place, by_key):
        for reverse in (False, True):
            compare(function, items, reverse)


def test_the_shortest():
    rng = random.Random(5)
    check([3.0, nan, 1.0, 2.0])
    for count in range(2, 8):
        for _ in range(60):
            check([rng.choice((nan, 0.0, -0.0, 1.0, 2.0, 3.0)) for _ in range(count)])


@pytest.mark.parametrize("count", [10, 40, 63, 64, 65, 100, 128, 500, 1111, 5000])
def test_nan(count):
    for kinds in (3, 20, 10 * count):
        for share in (0.01, 0.1, 0.5):
            for items in lists(count, kinds, share):
                check(items)


def test_narrow_floats():
    @njit
    def narrow(a, reverse):
        items = [np.float32(x) for x in a]
        items.sort(reverse=reverse)
        return [float(x) for x in items]

    for items in lists(200, 30, 0.2):
        for reverse in (False, True):
            compare(narrow, np.array(items), reverse)


def test_keys_that_are_pairs():
    """Where no runs are merged."""
    for count in (3, 8, 20, 63):
        for items in lists(count, 10, 0.2):
            for reverse in (False, True):
                compare(by_pairs, items, reverse)


@pytest.mark.parametrize("count", [2, 3, 4, 7, 12, 16, 17, 40])
def test_tuples(count):
    for share in (0.2, 0.6):
        for items in lists(count, 5, share):
            for function in (forwards, backwards):
                compare(function, tuple(items))
            compare(by_key, tuple(items), False)
            compare(by_key, tuple(items), True)


@njit
def stable(items, reverse):
    return sorted(items, key=lambda item: item[0], reverse=reverse)


@njit
def whole(items, reverse):
    return sorted(items, reverse=reverse)


@pytest.mark.parametrize("kinds", ["numbers", "texts", "pairs"])
def test_equal_keys_keep_their_order(kinds):
    rng = random.Random(9)
    make = {"numbers": float, "texts": str, "pairs": lambda number: (number, 1)}[kinds]
    for count in (0, 1, 2, 5, 30, 64, 130, 1000, 3000):
        for variety in (2, 10, 5 * count + 1):
            items = [(make(rng.randrange(variety)), place) for place in range(count)] or [(make(1), 0)]
            for way in (items, sorted(items), sorted(items, reverse=True), sorted(items[:count // 2]) + items[count // 2:]):
                for reverse in (False, True):
                    compare(stable, way, reverse)
                    compare(whole, way, reverse)


def test_what_is_empty_for_certain():
    @njit
    def nothing():
        items = [x for x in ()]
        items.sort()
        return (sorted([]), sorted(reversed([])), list(reversed([])), list(reversed(())), len(items), [*reversed([])],
                sum(reversed([])), any(reversed([])), all(reversed(())), sorted([], key=lambda x: -x), list(filter(None, [])),
                max([], default=3), min(reversed([]), default=1), list(iter(())), any(x for x in ()))

    compare(nothing)


def test_the_largest_of_nothing():
    @njit
    def largest():
        return max([])

    @njit
    def smallest():
        return min(reversed(()))

    compare(largest)
    compare(smallest)
