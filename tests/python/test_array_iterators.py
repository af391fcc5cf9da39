"""Walks over arrays: `flat`, `ndenumerate`, `ndindex`, `nditer`, rows and reversed rows, against NumPy."""
import numpy as np
import pytest
from array_cases import compare, layouts
from leaks import nothing_leaks  # noqa: F401  the fixture

from rumba import njit

SHAPES = [(), (5,), (0,), (2, 3), (0, 3), (3, 0), (2, 3, 4), (1, 3, 1)]


def flat(a):
    total = 1.0
    for x in a.flat:
        total = total * 1.5 + x
    return total, len(a.flat), a.size


def enumerated(a):
    total = 1.0
    for index, x in np.ndenumerate(a):
        for at in index:
            total = total * 1.25 + at
        total = total * 1.5 + x
    return total


def indices(a):
    total = 1.0
    for index in np.ndindex(a.shape):
        total = total * 1.5 + a[index]
        for at in index:
            total = total * 1.25 + at
    return total


def one(a):
    total = 1.0
    for x in np.nditer(a):
        total = total * 1.5 + x.item()
    return total


@pytest.mark.parametrize("function", [flat, enumerated, indices, one])
@pytest.mark.parametrize("shape", SHAPES)
def test_all_items(function, shape):
    for a in layouts(shape):
        compare(function, a)


def test_memory_as_it_lies():
    a = np.arange(24.0).reshape(2, 3, 4)
    for view in (a.transpose(1, 0, 2), a[:, ::-1], a[::-1, :, ::-2], a.transpose(2, 0, 1)[::2], a[:, :1].T):
        compare(one, view)


def together(a, b):
    total = 1.0
    for x, y in np.nditer((a, b)):
        total = total * 1.5 + x.item() * 3 + y[()]
    return total


def test_several_arrays():
    others = [*layouts((2, 3)), *layouts((3,)), np.array(2.0), np.ones((2, 1)), np.ones(4), np.ones((3, 3)), np.ones((0, 3))]
    for a in layouts((2, 3)):
        for b in others:
            compare(together, a, b)
            compare(together, b, a)
        compare(together, a, 2.5)
        compare(together, 3, a)


def test_items_of_flat():
    def read(a, at):
        return a.flat[at]

    def write(a, at):
        a.flat[at] = 77
        return a

    for a in layouts((2, 3)):
        for at in (0, 1, 4, 5, -1, -6, 6, -7):
            compare(read, a, at)
            compare(write, a.copy(), at)
    compare(read, np.array(3.5), 0)
    compare(read, np.zeros((0, 2)), 0)


def test_counted_indices():
    def count(n, m):
        total = 0
        for i, j in np.ndindex(n, m):
            total = total * 3 + i + 10 * j
        for (i,) in np.ndindex(n):
            total += i
        for none in np.ndindex():
            total += 1000 + len(none)
        return total

    for n, m in ((2, 3), (0, 3), (3, 0), (-1, 2), (1, 1)):
        compare(count, n, m)


def test_walks_are_their_own_iterators():
    def ahead(a):
        walk = a.flat
        total = next(walk) * 100
        for x in walk:
            total += x
        for x in walk:
            total += 1000
        return total

    for a in layouts((2, 3)):
        compare(ahead, a)


def test_rows():
    def rows(a):
        total = 1.0
        for row in a:
            total = total * 1.5 + row[0]
        for row in reversed(a):
            total = total * 1.5 + row[-1]
        return total

    for a in layouts((3, 2)):
        compare(rows, a)


def test_memory_stays_while_it_is_walked_through():
    @njit
    def walk(n):
        total = 0.0
        for x in np.ones(n).flat:
            total += x
        for index, x in np.ndenumerate(np.ones((n, 2))):
            total += x * index[1]
        for x, y in np.nditer((np.ones(n), np.ones((2, n)))):
            total += x.item() + y.item()
        return total

    assert walk(5) == 5 + 5 + 20


@njit
def stop_early(a):
    for x, y in np.nditer((a.copy(), a)):
        if x.item() > 1:
            raise ValueError("enough")
    return 0


def test_exceptions_free():
    with pytest.raises(ValueError, match="enough"):
        stop_early(np.arange(4.0))


@pytest.mark.parametrize("a", [*layouts((3, 4)), *layouts((2, 3, 2), "i8")])
def test_builtin_sum_of_rows(a):
    compare(lambda a: sum(a), a)
    compare(lambda a: sum(a, 2.5), a)
    with pytest.raises(ValueError, match="a sum of no rows"):
        njit(lambda a: sum(a[:0]))(a)
