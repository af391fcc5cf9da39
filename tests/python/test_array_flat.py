"""`a.flat` by slices and places, and assignments to `a.flat`, `a.real`, `a.imag`, against NumPy."""
import numpy as np
import pytest
from array_cases import compare, layouts
from leaks import nothing_leaks  # noqa: F401  the fixture

from rumba import njit
from rumba.errors import UnsupportedError

PLACES = [slice(1, 5), slice(None), slice(None, None, -1), slice(7, 0, -2), slice(-3, None), slice(20, 30), slice(-30, 2, 3),
          np.array([1, 2, -1]), np.array([[1, 2], [3, 0]]), np.array([0], np.uint8), np.array([2, 99]), np.array([-99]),
          np.zeros(0, int), [2, 1], np.arange(12) % 3 == 0, np.array([True, False])]


@pytest.mark.parametrize("places", PLACES, ids=str)
def test_several_items(places):
    def put(a, places, value):
        a = a.copy()
        a.flat[places] = value
        return a

    for shape in ((12,), (4, 3), (2, 3, 2)):
        for a in layouts(shape):
            compare(lambda a, places: a.flat[places], a, places, memory=False)
            for value in (7, 2.5, np.array([10, 20]), np.arange(6.0).reshape(3, 2), np.zeros(0)):
                compare(put, a, places, value)


def test_constants_and_lists():
    def put(a):
        a.flat[1:9:2] = [7, 8, 9]
        a.flat[[0, -1]] = (1.5, 2.5)
        return a

    for a in layouts((4, 3)):
        compare(lambda a: a.flat[2:7], a)
        compare(put, a.copy())
    compare(lambda a: a.flat[:], np.array(3.5))


def test_all_items():
    def put(a, value):
        a.flat = value
        return a

    def put_tuple(a):
        a.flat = (1, 2.5)
        return a

    for shape in ((), (5,), (4, 3), (0, 3), (2, 3, 2)):
        for a in layouts(shape):
            for value in (3, 2.5, np.arange(4), np.arange(40.0), np.zeros(0), np.float32(1.5), np.array(4)):
                compare(put, a.copy(), value)
            compare(put_tuple, a.copy())
    compare(put, np.zeros(4, np.int8), 2.7)
    compare(put, np.zeros((2, 2), np.int8), np.array([1.5, -2.5]))
    a = np.arange(6.0).reshape(2, 3)
    njit(put)(a, a[:, ::-1])
    assert a.tolist() == [[2, 1, 0], [5, 4, 3]]


def test_parts():
    def real(a, value):
        a.real = value
        return a

    def imag(a, value):
        a.imag = value
        return a

    def tuples(a):
        a.real = (1, 2, 3)
        a.imag = 4
        return a

    for shape in ((3,), (4, 3), (2, 3, 3)):
        for a in layouts(shape, "c16"):
            for value in (3, 2.5, np.arange(3), np.arange(3.0)):
                compare(real, a.copy(), value)
                compare(imag, a.copy(), value)
            compare(tuples, a.copy())
        for a in layouts(shape):
            compare(real, a.copy(), 4)
    compare(real, np.zeros((2, 3), "c8"), np.zeros(2))


def test_what_an_array_keeps():
    def shape(a):
        a.shape = (2, 3)

    def kind(a):
        a.dtype = np.int64

    def imag(a):
        a.imag = 3

    def flat(a):
        a.flat = 1

    readonly = np.zeros(6)
    readonly.flags.writeable = False
    for function, given, message in (
            (shape, np.zeros(6), r"a = a\.reshape\(shape\)"), (kind, np.zeros(6), r"a = a\.view\(dtype\)"),
            (imag, np.zeros(6), "assignment to an attribute"), (flat, readonly, "readonly: write to a copy")):
        with pytest.raises(UnsupportedError, match=message):
            njit(function)(given)
