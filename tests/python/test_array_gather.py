"""Indices that are arrays: places and masks, read and written, against NumPy."""
import itertools

import numpy as np
import pytest
from leaks import nothing_leaks  # noqa: F401  the fixture
from test_arrays import arrays, check


def get(a, index):
    return a[index]


def put(a, index, value):
    a[index] = value


PLACES = [np.array([0, 2, 1, 2]), np.array([-1, 0]), np.array([[0, 1], [2, -2]]), np.array([], np.int64), np.array(1), np.array([3, 4]),
          np.array([0, -9]), np.array([0, 2], np.uint8), np.array([0, 1, 2])[::-1], np.array([1, 1], np.int32)]


@pytest.mark.parametrize("index", PLACES, ids=[str(index.tolist()) + str(index.dtype) for index in PLACES])
@pytest.mark.parametrize("ndim", [1, 2, 3])
def test_places(ndim, index):
    for a in arrays("f8", ndim):
        check(get, a, index)
        check(put, a, index, 7)
        shape = index.shape + a.shape[1:]
        check(put, a, index, np.arange(np.prod(shape, dtype=int)).reshape(shape) * 1.5)
        check(put, a, index, np.ones(a.shape[1:]))


def masks(a):
    flat = np.arange(a.size).reshape(a.shape)
    yield from (flat % 3 == 0, flat < 0, flat >= 0)
    if a.ndim > 1:
        yield flat[:, 0] % 2 == 0
        yield (flat % 2 == 0).T


@pytest.mark.parametrize("ndim", [1, 2])
def test_masks(ndim):
    for a in arrays("i4", ndim):
        for mask in masks(a):
            check(get, a, mask)
            check(put, a, mask, 9)
            if mask.ndim == a.ndim:
                for count in (mask.sum(), 1, 2):
                    check(put, a, mask, np.arange(count) + 100)


def test_masks_of_another_shape():
    a = np.arange(6.0).reshape(2, 3)
    for shape in ((3,), (2, 2), (3, 3)):
        check(get, a, np.ones(shape, bool))
        check(put, a, np.ones(shape, bool), 1)


def test_shared_memory():
    def shift(a):
        a[np.arange(1, len(a))] = a[:-1]

    def own_places(a):
        a[a] = a[::-1]

    def own_mask(a):
        a[a] = False

    check(shift, np.arange(6.0))
    check(own_places, np.array([2, 0, 1, 3]))
    check(own_mask, np.array([True, False, True]))


def test_nothing_is_written_where_a_place_is_outside():
    def put_places(a, index):
        a[index] = 5.0

    check(put_places, np.zeros(3), np.array([0, 1, 3]))


def test_kernels():
    def histogram(values, small):
        counts = np.zeros(10, np.int64)
        for value in values[small]:
            counts[value] += 1
        return counts

    def permuted(a, order):
        b = a[order]
        c = np.empty_like(a)
        c[order] = b
        return b, c

    values = np.arange(50) % 13
    check(histogram, values, values < 10)
    for order in itertools.islice(itertools.permutations(range(4)), 0, 24, 5):
        check(permuted, np.arange(4.0), np.array(order))
