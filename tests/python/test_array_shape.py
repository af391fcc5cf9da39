"""Other shapes for the same items, against NumPy: values, types, exceptions, and whether memory is shared."""
import numpy as np
import pytest
from array_cases import compare, layouts
from leaks import nothing_leaks  # noqa: F401  the fixture

from rumba import njit

RESHAPES = [
    lambda a: a.reshape(6, 4), lambda a: a.reshape((4, -1)), lambda a: a.reshape(-1), lambda a: np.reshape(a, (3, 8)),
    lambda a: np.reshape(a, 24), lambda a: a.reshape(5, -1), lambda a: a.reshape(-1, -1), lambda a: a.reshape(()),
    lambda a: a.reshape(2, 1, 3, 1, 4), lambda a: a.reshape(2, 12), lambda a: a.reshape(6, 2, 2), lambda a: a.ravel(),
    lambda a: np.ravel(a), lambda a: a.flatten(), lambda a: a.reshape(1, 24, 1), lambda a: a.reshape(2 ** 40, 2 ** 40),
]
TRANSPOSES = [
    lambda a: a.transpose(), lambda a: np.transpose(a), lambda a: a.transpose(None), lambda a: a.transpose(2, 0, 1),
    lambda a: a.transpose((1, -1, 0)), lambda a: np.transpose(a, (1, 2, 0)), lambda a: np.transpose(a, axes=(2, 1, 0)),
    lambda a: np.transpose(a, (1, 1, 0)), lambda a: np.transpose(a, (1, 3, 0)), lambda a: np.transpose(a, (1, 0)),
    lambda a: np.swapaxes(a, 0, 2), lambda a: a.swapaxes(0, -2), lambda a: np.swapaxes(a, 0, 3),
    lambda a: np.swapaxes(a, -4, 1), lambda a: np.moveaxis(a, 0, 2), lambda a: np.moveaxis(a, 2, 0),
    lambda a: np.moveaxis(a, 1, -1), lambda a: np.moveaxis(a, 1, 3), lambda a: np.moveaxis(a, -4, 1),
]
TURNS = [
    lambda a: np.flip(a), lambda a: np.flip(a, 1), lambda a: np.flip(a, -3), lambda a: np.flip(a, 3),
    lambda a: np.flipud(a), lambda a: np.fliplr(a), lambda a: np.atleast_1d(a), lambda a: np.atleast_2d(a),
    lambda a: np.atleast_3d(a), lambda a: np.broadcast_to(a, (5, 2, 3, 4)), lambda a: np.broadcast_to(a, (2, 3, 4)),
    lambda a: np.broadcast_to(a, (2, 3, 5)), lambda a: np.broadcast_to(a, (3, 4)), lambda a: np.broadcast_to(a, ()),
    lambda a: np.broadcast_to(a, (-1, 2, 3, 4)),
]
TYPES = [
    lambda a: a.view(np.int64), lambda a: a.view(np.int32), lambda a: a.view(np.complex128), lambda a: a.view("i2"),
    lambda a: a.view(np.dtype("u1")), lambda a: a.astype(np.int32), lambda a: a.astype("c8"), lambda a: a.astype(bool),
    lambda a: a.astype(np.int32, order="F"), lambda a: a.astype(np.float64, copy=False), lambda a: a.astype(np.int8),
]
ITEMS = [
    lambda a: a.item(), lambda a: a.item(3), lambda a: a.item(-1), lambda a: a.item(24), lambda a: a.item(1, 2, 3),
    lambda a: a.item(1, 2, 4), lambda a: a.item(1, 2), lambda a: 3.0 in a, lambda a: 77 in a,
    lambda a: (np.shape(a), np.ndim(a), np.size(a), np.isscalar(a), np.isscalar(3), np.shape(3), np.ndim(2.5), np.size(1)),
    lambda a: (a.flags.c_contiguous, a.flags.f_contiguous, a.flags.contiguous, a.flags["F"], a.flags.writeable),
    lambda a: (a.nbytes, a.dtype.itemsize, a.dtype.alignment, a.dtype.kind == "f", a.dtype == np.dtype("f8")),
]
ALL = RESHAPES + TRANSPOSES + TURNS + TYPES + ITEMS


@pytest.mark.parametrize("function", ALL, ids=range(len(ALL)))
def test_three_dimensions(function):
    for a in layouts((2, 3, 4)):
        compare(function, a)


@pytest.mark.parametrize("axis", [-5, -4, -1, 0, 1, 3, 4])
def test_dimensions_more_and_less(axis):
    for a in layouts((2, 3, 4)):
        compare(lambda a, axis: np.expand_dims(a, axis), a, axis)
    for a in layouts((1, 3)):
        compare(lambda a, axis: np.squeeze(a, axis), a, axis)
    for a in layouts((1, 3)):
        compare(lambda a, axis: a.squeeze(axis), a, axis)
    compare(lambda a, axis: np.squeeze(a, axis), np.ones(1), axis)


SMALL = [
    lambda a: np.atleast_1d(a), lambda a: np.atleast_2d(a), lambda a: np.atleast_3d(a), lambda a: np.flip(a),
    lambda a: np.flipud(a), lambda a: np.fliplr(a), lambda a: a.reshape(1, -1), lambda a: a.reshape(-1),
    lambda a: a.ravel(), lambda a: a.flatten(), lambda a: np.broadcast_to(a, (2, 6)), lambda a: np.broadcast_to(a, 6),
    lambda a: np.broadcast_to(a, 2), lambda a: a.view(np.int64), lambda a: a.view(np.int32), lambda a: a.item(),
    lambda a: np.expand_dims(a, 0), lambda a: np.expand_dims(a, 1), lambda a: np.transpose(a), lambda a: a.reshape(()),
    lambda a: np.atleast_1d(a, 3), lambda a: a.T, lambda a: a.real, lambda a: a.imag,
    lambda a: (a.flags.c_contiguous, a.flags.f_contiguous),
]


@pytest.mark.parametrize("function", SMALL, ids=range(len(SMALL)))
def test_no_and_one_dimension(function):
    compare(function, np.array(4.0))
    for a in layouts((6,)):
        compare(function, a)


EMPTY = [
    lambda a: a.reshape(0), lambda a: a.reshape(0, 5), lambda a: a.reshape(4, -1), lambda a: a.reshape(0, -1),
    lambda a: a.reshape(1), lambda a: a.ravel(), lambda a: a.flatten(), lambda a: np.flip(a), lambda a: np.flip(a, 0),
    lambda a: a.reshape(2 ** 32, 2 ** 32), lambda a: a.view(np.int32), lambda a: a.view(np.complex128),
    lambda a: a.item(), lambda a: a.item(0), lambda a: 3 in a, lambda a: a.astype(np.int8), lambda a: a.T,
    lambda a: (a.flags.c_contiguous, a.flags.f_contiguous),
]


@pytest.mark.parametrize("function", EMPTY, ids=range(len(EMPTY)))
def test_nothing(function):
    for a in (np.zeros(0), np.zeros((0, 3)), np.zeros((3, 0)), np.zeros((3, 0)).T):
        compare(function, a)


def test_views_keep_their_memory_alive():
    @njit
    def parts(n):
        a = np.arange(n).reshape(2, -1)
        b = a.T.reshape(-1)
        return np.swapaxes(a, 0, 1), a.ravel()[1:], b, np.broadcast_to(a[0], (2, n // 2)), np.expand_dims(a, 0)

    one, two, three, four, five = parts(6)
    assert one.tolist() == [[0, 3], [1, 4], [2, 5]] and two.tolist() == [1, 2, 3, 4, 5]
    assert three.tolist() == [0, 3, 1, 4, 2, 5] and four.tolist() == [[0, 1, 2]] * 2 and five.shape == (1, 2, 3)
    one[0, 1] = 9
    assert two[2] == 9 and not four.flags.writeable


def test_unpacking():
    def two(a):
        x, y = a
        return x, y

    for length in (0, 1, 2, 3):
        compare(two, np.arange(length))
        compare(two, np.ones((length, 2)))
    compare(two, np.ones((2, 2, 2)).T)


@pytest.mark.parametrize("dtype", ["?", "i1", "u2", "i4", "u8", "f4", "f8", "c8", "c16"])
def test_dtypes(dtype):
    a = np.array([0, 1, 2, 100, 3, 7]).astype(dtype)
    for other in ("?", "i1", "u1", "i2", "u4", "i8", "u8", "f4", "f8", "c8", "c16"):
        target = np.dtype(other)
        compare(lambda a: a.astype(target), a)
    compare(lambda a: a.reshape(2, 3).T.ravel(), a)
    compare(lambda a: a.dtype, a)
    compare(lambda a: (a.dtype.itemsize, a.dtype.alignment, a.dtype.kind == "f", a.dtype.kind == "c"), a)


def test_floats_beyond_integers():
    a = np.array([1e10, -1e10, 3e9, -3.7, 300.5, -129.0, 2.0 ** 62, -(2.0 ** 63)])
    for target in (np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16):
        compare(lambda a: a.astype(target), a)


COMMON = [
    lambda a, b: np.broadcast_arrays(a, b), lambda a, b: np.broadcast_arrays(a, b, 4),
    lambda a, b: np.broadcast_arrays(4, a, np.ones((5, 1, 1)), b), lambda a, b: np.broadcast_shapes(a.shape, b.shape),
    lambda a, b: np.broadcast_shapes(3, a.shape, (), b.shape), lambda a, b: np.atleast_2d(a, b, 3, a),
]


@pytest.mark.parametrize("function", COMMON, ids=range(len(COMMON)))
def test_common_shapes(function):
    arrays = [np.ones(3), np.ones((2, 1)), np.ones(4), np.ones((2, 3)).T, np.array(2.0), np.ones((0, 1))]
    for a in arrays:
        for b in arrays:
            compare(function, a, b)


def test_any_strides():
    as_strided = np.lib.stride_tricks.as_strided
    compare(lambda a: as_strided(a, (3, 2), (8, 8)), np.arange(5.0))
    compare(lambda a: as_strided(a, strides=(8,)), np.arange(5.0))
    compare(lambda a: as_strided(a, shape=(2,)), np.arange(5.0))


def test_views_that_are_not_aligned_are_refused():
    compare(lambda a: a.view(np.int32), np.zeros(12, "u1")[4:])
    with pytest.raises(ValueError, match="not be aligned"):
        njit(lambda a: a.view(np.int32))(np.zeros(13, "u1")[1:])
    with pytest.raises(ValueError, match="not be aligned"):
        njit(lambda a: a.view(np.int32))(np.zeros((2, 6), "u1")[:, :4])


def test_real_and_imaginary_parts():
    records = np.array([(1.5, 2j), (2.5, 3j)], [("real", "f4"), ("imag", "c8")])
    for a in (np.arange(3), np.ones((2, 3), "c8").T, np.zeros(2, "?"), records):
        compare(lambda a: a.real, a)
        compare(lambda a: a.imag, a)
        compare(lambda a: np.real(a), a)


@pytest.mark.parametrize("function", [
    lambda a: a.reshape(np.int32(6), np.uint8(4)), lambda a: a.reshape((np.int32(6), -1)),
    lambda a: np.reshape(a, (np.int8(24), 1)), lambda a: a.reshape((np.int32(3), -1), order="F"),
    lambda a: a.reshape((np.int32(3), -5, -1)), lambda a: a.view(), lambda a: a.view(None), lambda a: a.T.view(),
    lambda a: a.item((0, 1)), lambda a: a.item((1, -1)), lambda a: a.item((1, 99)),
])
def test_lengths_and_places_of_different_integers(function):
    for a in layouts((6, 4)):
        compare(function, a)


@pytest.mark.parametrize("function", [
    lambda a: np.expand_dims(a, (0, 1)), lambda a: np.expand_dims(a, (0, -1)), lambda a: np.expand_dims(a, (0,)),
    lambda a: np.expand_dims(a, (0, 3)), lambda a: a.view(),
])
def test_numbers_with_more_dimensions(function):
    compare(function, np.array(2.5))


def test_axes_in_lists():
    @njit
    def known(a):
        return (a.transpose([1, 0, 2]), np.transpose(a, [-1, 0, 1]), np.flip(a, [0, -1]), np.expand_dims(a, [0, 2]), np.roll(a, [1, 2], [0, 1]),
                np.roll(a, 1, [0, 2]), np.broadcast_to(a[0, 0], [3, 4]))

    a = np.arange(24).reshape(2, 3, 4)
    for one, other in zip(known(a), known.py_func(a)):
        assert (one.shape, one.dtype, one.tolist()) == (other.shape, other.dtype, other.tolist())

    @njit
    def given(a, axes):
        return a.transpose(axes), np.transpose(a, axes)

    for axes in ([0, 1, 2], [2, 0, 1], [-1, 0, 1], [0, 0, 1], [0, 1], [0, 1, 2, 3], [0, 1, 3]):
        try:
            expected = given.py_func(a, axes)
        except ValueError as error:
            with pytest.raises(type(error)) as found:
                given(a, axes)
            assert str(found.value) == str(error)
        else:
            for one, other in zip(given(a, axes), expected):
                assert (one.shape, one.strides, one.tolist()) == (other.shape, other.strides, other.tolist())
