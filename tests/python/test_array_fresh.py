"""New arrays of a shape and arrays of what is at hand, with every argument that NumPy's functions take, against NumPy."""
import numpy as np
import pytest
from array_cases import compare, layouts
from leaks import nothing_leaks  # noqa: F401  the fixture

from rumba import njit
from rumba.errors import TypingError

SHAPES = [
    lambda n: np.zeros([n, 2]), lambda n: np.zeros([n]), lambda n: np.ones((n, 2), None), lambda n: np.ones(n, dtype=None),
    lambda n: np.zeros(np.array(n)), lambda n: np.zeros((np.uint8(n), 2)), lambda n: np.zeros(()), lambda n: np.zeros(-n),
    lambda n: np.zeros([2, -n], np.int8), lambda n: np.zeros((n, 2), "i2", "F"), lambda n: np.full([n, 2], 7),
    lambda n: np.full(n, 2, dtype=None), lambda n: np.full((2, n), (1, 2, n)), lambda n: np.full((2, n), [1.5, 2, n]),
    lambda n: np.full((2, n), [1.5, 2, n], "i4"), lambda n: np.full(n, [1, 2]), lambda n: np.full((n, 2), 1.5, order="F"),
    lambda n: np.full((n, 2), np.arange(2, dtype=np.int8)), lambda n: np.full(n, True), lambda n: np.full(n, 2j, "c8"),
    lambda n: np.empty([n, 2], "M8[s]").shape, lambda n: np.zeros(n, "S3"), lambda n: np.ones((n, 4), np.complex64, "C"),
    lambda n: np.zeros((n, 0, 2 ** 62, 2 ** 62)).shape, lambda n: np.zeros((2 ** 40, 2 ** 40)),
    lambda n: np.eye(n, dtype=None), lambda n: np.identity(n, None), lambda n: np.eye(n, dtype=np.complex64(1)),
    lambda n: np.arange(0.0, n, 0.0), lambda n: np.array(range(n)), lambda n: np.array(range(n, 20, 4), np.float32),
    lambda n: np.asarray(range(-n, n, 2)),
]


@pytest.mark.parametrize("function", SHAPES, ids=range(len(SHAPES)))
def test_shapes_and_items(function):
    compare(function, 3)


LIKES = [
    lambda a: np.zeros_like(a, None), lambda a: np.zeros_like(a, shape=(2, 2)), lambda a: np.zeros_like(a, shape=4),
    lambda a: np.ones_like(a, np.int8, shape=[2, 3]), lambda a: np.ones_like(a, subok=False),
    lambda a: np.full_like(a, 3, shape=(3,)), lambda a: np.full_like(a, 2.7, "i4"),
    lambda a: np.full_like(a, 5, None, order="C"), lambda a: np.zeros_like(a, "u1", "F"),
    lambda a: np.empty_like(a, shape=(2, 5), dtype=np.int16).shape, lambda a: np.empty_like(prototype=a, order="A").shape,
]


@pytest.mark.parametrize("function", LIKES, ids=range(len(LIKES)))
def test_like_others(function):
    for shape in ((), (5,), (4, 3), (0, 3), (2, 3, 4)):
        for a in layouts(shape):
            compare(function, a)
        if shape:
            compare(lambda a: np.full_like(a, np.arange(a.shape[-1])), a)
    for number in (3, 2.5, True):
        compare(function, number)


def test_like_lists():
    for function in (
            lambda: np.zeros_like([1, 2]), lambda: np.ones_like((1, 2.5)), lambda: np.full_like([[1, 2], [3, 4]], 2.5),
            lambda: np.full_like((1, 2), (3, 4)), lambda: np.zeros_like([1, 2], shape=(2, 3), order="F")):
        compare(function)


@pytest.mark.parametrize("order", ["C", "F"])
def test_where_items_lie(order):
    made = njit(lambda: (
        np.zeros((2, 3), order=order), np.ones((2, 3), np.int8, order), np.empty((2, 3, 4), order=order),
        np.full((2, 3), 1, order=order), np.asarray(np.ones((2, 3)), order=order)))()
    for a in made:
        assert a.flags[f"{order}_CONTIGUOUS"] and not a.flags["C" if order == "F" else "F"]
    for given in layouts((4, 3)):
        for wanted in (order, "K", "A"):
            for function in (
                    lambda a: np.zeros_like(a, order=wanted), lambda a: np.full_like(a, 2, order=wanted),
                    lambda a: np.ones_like(a, shape=(3, 4), order=wanted)):
                if wanted == order or given.flags.forc and given.strides[0] > 0:
                    assert njit(function)(given).strides == function(given).strides


ARRAYS = [
    lambda a: np.array([a, a], dtype=np.float32), lambda a: np.array((a, a), "i2"), lambda a: np.array((a, a[::-1])),
    lambda a: np.array((a[0], [1, 2, 3])), lambda a: np.array((a[0], (1, 2, 3), a[1])), lambda a: np.array([a[0], a[1]], "f4"),
    lambda a: np.array(([1, 2, 3], [4, 5.5, 6])), lambda a: np.array(((1, 2), [3, 4]), np.int8), lambda a: np.asarray(a, "f4"),
    lambda a: np.asarray(a, dtype=None), lambda a: np.array((a[0, 0], 2)), lambda a: np.array((a, a[1:])),
    lambda a: np.ascontiguousarray(a, np.float32), lambda a: np.asfortranarray(a, dtype="i4"), lambda a: np.array(a, copy=False),
    lambda a: np.ascontiguousarray(a, a.dtype), lambda a: np.array(a.flat), lambda a: np.asarray(a.flat, np.int8),
    lambda a: np.asarray(a.flat).copy(), lambda a: a.flat.copy(),
]


@pytest.mark.parametrize("function", ARRAYS, ids=range(len(ARRAYS)))
def test_arrays_of_arrays(function):
    for a in layouts((4, 3)):
        compare(function, a, memory=False)
    with pytest.raises(TypingError, match="does not have a regular shape"):
        njit(lambda a: np.array((a, a[0])))(a)


def test_lists_of_lists():
    lists = [[[1, 2], [3, 4]], [(1, 2.5), (3, 4.5)], ([1, 2], [3.5, 4.5]), ((1.5, 2), (3.5, 4.5)), ((), ()), ([1, 2], [3, 4])]
    for given in lists:
        compare(lambda x: np.array(x), given)
        compare(lambda x: np.array(x, dtype=np.complex64), given)
    with pytest.raises(ValueError, match="inhomogeneous shape"):
        njit(lambda x: np.array(x))(([1, 2], [3]))


@pytest.mark.parametrize("name,args", [
    ("zeros", "3"), ("ones", "3"), ("empty", "3"), ("full", "3, 4"), ("zeros_like", "a"), ("full_like", "a, 3"),
    ("array", "a"), ("eye", "3"), ("identity", "3"), ("asarray", "a")])
def test_names_of_items_have_to_be_known(name, args):
    space = {"np": np}
    exec(f"def f(a, dtype): return np.{name}({args}, dtype=dtype)", space)
    with pytest.raises(TypingError, match="dtype is a string it must be a string constant"):
        njit(space["f"])(np.ones(3), "i4")
    with pytest.raises(TypingError, match="must be a data-type if it is provided, int64"):
        njit(space["f"])(np.ones(3), 4)


def test_shapes_that_cannot_be():
    for function, message in (
            (lambda n: np.zeros(np.array([n, 2])), "not known how many dimensions"),
            (lambda n: np.zeros(2.5), "must be an integer or a tuple of integers, not float64"),
            (lambda n: np.full(n, "x"), "cannot fill an array with"), (lambda n: np.array(None), "must be array-like"),
            (lambda n: np.zeros(n, order="X"), "the order of np.zeros must be a constant")):
        with pytest.raises(TypingError, match=message):
            njit(function)(3)
