"""Arrays joined to one, against NumPy."""
import numpy as np
import pytest
from array_cases import compare
from leaks import nothing_leaks  # noqa: F401  the fixture

from rumba import njit
from rumba.errors import TypingError


def operands():
    x = np.arange(24).reshape(2, 3, 4)
    return [x, x * 1.5, np.asfortranarray(x) + 1, x[::-1], x[:, :, ::-1].astype("u1")]


@pytest.mark.parametrize("axis", [-4, -1, 0, 1, 2, 3])
def test_along_an_axis(axis):
    for a in operands():
        for b in operands():
            compare(lambda a, b, axis: np.concatenate((a, b), axis), a, b, axis)
        compare(lambda a, axis: np.stack((a, a[::-1], a), axis=axis), a, axis)
        compare(lambda a, axis: np.concatenate((a, a[:1], a[:, 1:]), axis=axis), a, axis)


STACKS = [
    lambda a, b: np.hstack((a, b)), lambda a, b: np.vstack([a, b]), lambda a, b: np.dstack((a, b, b)),
    lambda a, b: np.concatenate([a, b]), lambda a, b: np.column_stack((a, b)), lambda a, b: np.stack((a, b)),
]


@pytest.mark.parametrize("function", STACKS, ids=range(len(STACKS)))
def test_stacks(function):
    pairs = [(np.ones(3), np.zeros(2)), (np.ones(3), np.zeros(3)), (np.ones((2, 3)), np.ones((2, 2))),
             (np.ones((2, 3)), np.ones((4, 3))), (np.array(1.0), np.array(2)), (np.ones((2, 3)), np.ones((2, 3)).T),
             (np.ones(0), np.zeros(2, "i4")), (np.arange(6).reshape(1, 2, 3), np.ones((1, 2, 3)))]
    for a, b in pairs:
        compare(function, a, b)


def test_layouts():
    join = njit(lambda a, b: np.concatenate((a, b)))
    rows, columns = np.ones((2, 3)), np.ones((3, 2)).T
    assert join(rows, columns).flags.c_contiguous and join(columns, columns).flags.f_contiguous


def test_other_numbers_of_dimensions():
    with pytest.raises(TypingError, match="same number of dimensions"):
        njit(lambda a, b: np.concatenate((a, b)))(np.ones(2), np.ones((2, 2)))


@pytest.mark.parametrize("shape", [(2, 4), (4, 2), (4, 3), (0,), (0, 2), 5, (-1, 2)])
def test_resize(shape):
    for a in (np.array([[1, 2], [3, 4]]), np.array([[1, 2], [3, 4]]).T, np.zeros(0), 4, 2.5):
        compare(lambda a, shape: np.resize(a, shape), a, shape)
