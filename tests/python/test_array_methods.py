"""Methods of arrays, and functions like them, against NumPy: bytes, other types, copies, bounds, counts; and what their errors say."""
import warnings

import numpy as np
import pytest
from array_cases import compare, layouts
from leaks import nothing_leaks  # noqa: F401  the fixture

from rumba import njit
from rumba.errors import TypingError

TEXTS = np.array(["Hello", "", "world", "abc", "Hello"])
BYTES = np.array([b"xy", b"", b"z", b"xy"])
DATES = np.array(["2001-01-01", "NaT", "2000-01-01", "NaT", "1969-01-01", "1970-01-01"], "M8[D]")
PACKED = np.dtype([("u", np.int16), ("v", np.int8)])
PAIR = np.dtype([("a", np.int8), ("b", np.int8)])


@pytest.fixture(autouse=True)
def quietly():
    """NumPy says that imaginary parts go; what compiled code does it does silently."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


# Bytes.

@pytest.mark.parametrize("shape", [(), (0,), (5,), (3, 8), (2, 3, 4)])
def test_bytes_of_items(shape):
    for a in layouts(shape, "i4"):
        compare(lambda a: a.tobytes(), a)
        compare(lambda a: a.tobytes("C"), a)
        compare(lambda a: a.tobytes(order="F"), a)
    for a in (TEXTS, BYTES, DATES, np.zeros(3, PACKED), np.ones(3, bool)):
        compare(lambda a: a.tobytes(), a)


def test_bytes_are_bytes():
    compare(lambda a: a.tobytes() + b"end", np.arange(3, dtype="u1"))
    compare(lambda a: (len(a.tobytes()), a.tobytes()[8], a.tobytes()[1:3], a.tobytes() == b"x"), np.arange(3))
    compare(lambda a: a.tobytes("A"), np.arange(6).reshape(2, 3).T)

    def later(a):
        made = a.tobytes()
        a[0] = 9
        return made
    assert njit(later)(np.arange(3, dtype="u1")) == b"\0\1\2"
    with pytest.raises(TypingError, match="tobytes"):
        njit(lambda a: a.tobytes("A"))(np.arange(8)[::2])


def test_arrays_and_bytes_in_one_function():
    def both(a):
        return np.zeros(2), b"ab" + a
    compare(both, b"c")


# Identity: an array is its parts.

def test_identity():
    def inside(a):
        other, copy, shorter = a, a.copy(), a[1:]
        return other is a, other is not a, copy is a, copy is not a, shorter is a, a.T is a
    for a in layouts((3, 4)):
        compare(inside, a)
    compare(lambda a, b: (a is b, a is not b), np.arange(3), np.arange(3))
    compare(lambda a, b: (a is b, a is not b), np.arange(3), np.arange(3.0))
    a = np.arange(3)
    same = njit(lambda a, b: a is b)
    assert same(a, a) is True and same(a, a[:]) is False
    # What Python would make a new object for is the same array here.
    assert njit(lambda a: a[:] is a)(a) is True


# Views of another type.

@pytest.mark.parametrize("dtype", [
    np.int8, np.int16, np.uint32, np.float32, np.int64, np.complex64, np.complex128, PAIR, PACKED,
    np.dtype("M8[D]"), np.dtype("S3"), np.dtype("U2")], ids=str)
def test_views(dtype):
    def view(a):
        return a.view(dtype)
    for a in (np.arange(24, dtype="i1"), np.arange(24, dtype="i1").reshape(3, 8), np.arange(24, dtype="i1").reshape(3, 8).T,
              np.arange(16, dtype="i4")[::2], np.array(42, "i4"), np.array(["abcdef"]), np.zeros((4, 4)).T[::2, ::2],
              np.zeros((3, 1))[::2], np.zeros((0, 3))[:, ::2], np.zeros(4, PAIR), np.zeros((2, 6), PACKED),
              np.zeros(3, "S6"), np.zeros(3, "M8[D]")):
        compare(view, a, memory=False)


def test_conversions_that_there_are_not():
    with pytest.raises(TypingError, match="cannot convert from int32 to Record"):
        njit(lambda a: a.astype(PAIR))(np.arange(3, dtype="i4"))
    with pytest.raises(TypingError, match="array.astype if dtype is a string it must be constant"):
        njit(lambda a, name: a.astype(name))(np.arange(3), "f4")
    compare(lambda a: a.astype("f4"), np.arange(3))


# Copies and orders.

def test_copies():
    for a in layouts((3, 4)):
        compare(lambda a: np.copy(a), a)
    compare(lambda: np.copy((1, 2)))
    compare(lambda: np.copy([1.5, 2.5]))
    compare(lambda a: np.copy(a), 6)
    compare(lambda a: np.copy(a), 2.5j)
    for function in (np.copy, np.ascontiguousarray, np.asfortranarray):
        with pytest.raises(TypingError, match='The argument "a" must be array-like'):
            njit(lambda a: function(a))("hello")


def test_what_is_copied_may_be_written():
    a = np.arange(6).reshape(2, 3)
    readonly = a.copy()
    readonly.flags.writeable = False
    for each in (a, readonly, readonly.T, a.T, np.broadcast_to(np.zeros(2), (5, 2)), np.broadcast_to(np.zeros(2), (5, 2)).T):
        compare(lambda a: np.ascontiguousarray(a), each)
        compare(lambda a: np.asfortranarray(a), each)


# Bounds and rounding.

def test_without_bounds():
    for a in layouts((2, 3)):
        compare(lambda a: np.clip(a, None, None), a)
        compare(lambda a: a.clip(None, None), a)
    compare(lambda a: np.clip(a, None, None), 3)
    compare(lambda a, out: (np.clip(a, None, None, out), out), np.arange(3), np.zeros(3))


@pytest.mark.parametrize("function, args, message", [
    (lambda a: np.clip(a, 0, 10), (None,), 'The argument "a" must be array-like'),
    (lambda a: np.clip(1, a, 10), ("a",), 'The argument "a_min" must be a number'),
    (lambda a: np.clip(1, 1, a), ("b",), 'The argument "a_max" must be a number'),
    (lambda a: np.clip(5, 1, 10, a), (6,), 'The argument "out" must be an array if it is provided'),
    (lambda a: np.round(a), (None,), 'The argument "a" must be array-like'),
    (lambda a: np.around(5, 0, a), (6,), 'The argument "out" must be an array if it is provided'),
    (lambda a: np.where(a, 2, 3), (None,), 'The argument "condition" must be array-like'),
    (lambda a: np.where(1, a, 3), ("a",), 'The argument "x" must be array-like if provided'),
    (lambda a: np.where(1, 2, a), ("a",), 'The argument "y" must be array-like if provided'),
    (lambda a: np.where(1, a, a), (None,), 'Argument "x" or "y" cannot be None'),
    (lambda a: np.frombuffer(a), (None,), 'Argument "buffer" must be buffer-like'),
    (lambda a: np.frombuffer(b"12345678", a), ("i4",), "it must be a string constant"),
    (lambda a: sorted([3, 1], key=a), ("a",), "'key' must be None or a function"),
    (lambda a: sorted([3, 1], reverse=a), ("a",), "an integer is required for 'reverse'"),
])
def test_messages(function, args, message):
    with pytest.raises(TypingError, match=message):
        njit(function)(*args)


def test_rounding():
    for value in (-3.0, -2.5, 1.5, 2.25, np.float32(-2.25), -30, 25, np.int32(-35), np.uint8(15), 2.5 - 2.5j, np.complex64(1.25j)):
        for digits in (1, 0, -1):
            compare(lambda a, digits: np.round(a, digits), value, digits)
    # NumPy reads a truth value as a number here.
    compare(lambda a: np.round(a, True), 3.25)


@pytest.mark.parametrize("item", ["f4", "f8", "c8", "c16", "i4"])
def test_rounding_into(item):
    a = (np.arange(-8, 8) * 1.375 * (1 - 1j if item[0] == "c" else 1)).astype(item)

    def rounded(a, digits, out):
        np.round(a, digits, out)
        return out
    # NumPy does not write integers that it has divided.
    for digits in (0, 1, -1) if item != "i4" else (0, 1):
        compare(rounded, a, digits, np.zeros_like(a), memory=False)
        compare(rounded, a, digits, np.zeros(16, "c16" if item[0] == "c" else "f8"), memory=False)
        for shape in ((15,), (2, 16), ()):
            compare(rounded, a, digits, np.zeros(shape, item), memory=False)


# Counted up.

def test_dtypes_of_counts():
    i1, i2, i4, i8, u1, u4, u8, f4, c8 = (np.dtype(name).type for name in "i1 i2 i4 i8 u1 u4 u8 f4 c8".split())
    for args in ((i1(5),), (u4(3),), (u8(5),), (f4(5),), (c8(3),), (4 + 4j,), (3 + 1j,), (1j,), (4 + 2j, 10)):
        compare(lambda *args: np.arange(*args), *args)
    for args in ((i1(0), i1(5), i1(1)), (i1(0), i2(5), i4(1)), (i8(0), i1(5), i1(1)), (u8(0), u8(5), u8(1)),
                 (u1(0), f4(5), 1), (u8(0), i8(3), 1), (0, 4, 1 + 1j), (0, 4 - 4j, 1 - 1j)):
        compare(lambda a, b, c: np.arange(a, b, c), *args)


# One or the other.

def test_a_choice_of_numbers_is_an_array():
    for a in (0, 1, True, 2.5, 0j, np.array(0), np.array(2.5), np.array(np.nan)):
        compare(lambda a: np.where(a, 4, 2.5), a)
        compare(lambda a: np.where(a, a, a), a)
        compare(lambda a: np.where(a, np.int8(3), np.float32(2)).ndim, a)
        compare(lambda a: np.where(a, 4, 2.5) + 1, a)
    compare(lambda a: np.where(a, 4, 2.5), np.arange(3))


# What is not zero: of texts, what is not empty.

@pytest.mark.parametrize("a", [TEXTS, BYTES, DATES, DATES - DATES[2]], ids=["U", "S", "M", "m"])
def test_what_is_not_zero(a):
    for shape in ((a.size,), (1, a.size), (2, a.size // 2)):
        a = np.resize(a, shape)
        compare(lambda a: a.nonzero(), a)
        compare(lambda a: (np.nonzero(a), np.where(a), np.flatnonzero(a), np.count_nonzero(a)), a)
        compare(lambda a: np.count_nonzero(a, axis=0), a)


def test_without_dimensions_there_are_no_places():
    for function in (lambda a: a.nonzero(), lambda a: np.nonzero(a), lambda a: np.where(a)):
        with pytest.raises(TypingError, match="Calling nonzero on 0d arrays is not allowed"):
            njit(function)(np.array(1))


# Sums of truth values, along no axis, along too many.

@pytest.mark.parametrize("item", ["?", "i4", "f8", "c16"])
def test_sums_as_truth_values(item):
    for a in (np.array([0, 0, 3, 0, 1]).astype(item), np.zeros(3, item), np.ones((2, 3), item), np.eye(3, 4).astype(item)):
        compare(lambda a: (np.sum(a, dtype=np.bool_), np.prod(a, dtype=np.bool_)), a)
        compare(lambda a: (a.cumsum(dtype=np.bool_), a.cumprod(dtype=np.bool_)), a)
        for axis in range(-a.ndim, a.ndim):
            compare(lambda a, axis: (a.sum(axis, np.bool_), a.prod(axis, np.bool_)), a, axis)
            compare(lambda a, axis: (a.cumsum(axis, np.bool_), a.cumprod(axis, np.bool_)), a, axis)
    compare(lambda a: a.sum(axis=(0, 1), dtype=np.bool_), np.ones((2, 3, 4), item))
    compare(lambda a: a.sum(axis=(0, 2), dtype=np.bool_), np.zeros((2, 3, 4), item))


def test_along_no_axis():
    for item in ("?", "i4", "u1", "f4", "c16"):
        for a in layouts((2, 3), item):
            compare(lambda a: (a.sum(axis=()), a.prod(axis=()), a.mean(axis=())), a)
            compare(lambda a: (a.min(axis=()), a.max(axis=()), a.any(axis=()), a.all(axis=())), a)
            compare(lambda a: np.sum(a, axis=(), keepdims=True), a)
            assert njit(lambda a: a.sum(axis=()))(a).flags.f_contiguous == a.sum(axis=()).flags.f_contiguous


@pytest.mark.parametrize("axes", [(0, 0), (0, -2), (1, 2), (0, 1, 5), (1, 1, 5), (0, 1, 1), (-3, 0, 1), (0, 1, 0, 1)])
def test_axes_that_cannot_be(axes):
    for function in (lambda a, axes: np.sum(a, axis=axes), lambda a, axes: a.max(axis=axes)):
        compare(function, np.arange(6).reshape(2, 3), axes)


# Truth.

@pytest.mark.parametrize("a", [
    np.array([1.5]), np.array([0]), np.array([[True]]), np.array(0j), np.array(2), np.zeros(0), np.zeros((2, 0)), np.ones(2), np.ones((1, 2)),
    np.array([np.nan]), np.array(["a"]), np.array([""]), np.array([np.timedelta64(0, "s")]), np.arange(4)[1:2], np.zeros((1, 1), "u1"),
])
def test_truth_of_arrays(a):
    for function in (lambda a: bool(a), lambda a: not a, lambda a: 1 if a else 2, lambda a: 1 if (a == a) else 2, lambda a: [1] * 2 if a is None or a else [0]):
        try:
            wanted = function(a)
        except ValueError as error:
            with pytest.raises(ValueError) as raised:
                njit(function)(a)
            assert raised.value.args == error.args
        else:
            assert njit(function)(a) == wanted


def test_logical_not_is_of_items():
    for values in (np.array([1, 0]), np.zeros((1, 1)), np.array([True])):
        np.testing.assert_array_equal(njit(lambda a: np.logical_not(a))(values), np.logical_not(values))
    assert njit(lambda a: np.logical_not(a))(0.0) == np.logical_not(0.0)


# The classes of truth values.

@njit
def truths(a):
    return np.bool_(a), np.bool_(a[:1]), bool(a[:1]), np.bool_(a[0]), a.dtype == bool, a.dtype == np.bool_, a.dtype == float, a.astype(bool)


@pytest.mark.parametrize("dtype", [np.bool_, np.int8, np.uint64, np.float32, np.float64, np.complex128])
def test_the_class_of_numpy_makes_arrays(dtype):
    """`bool` and `np.bool_` are two classes: the one asks an array for its truth, the other one each item."""
    for values in [0, 1, 2], [[0, -1], [3, 0]]:
        with np.errstate(all="ignore"):
            a = np.array(values).astype(dtype)
        wanted = [part for part in truths.py_func(a if a.ndim == 1 else a.ravel())]
        found = truths(a if a.ndim == 1 else a.ravel())
        assert all(np.array_equal(x, y) for x, y in zip(found, wanted, strict=True))
        assert found[0].dtype == np.bool_
    with pytest.raises(ValueError, match="ambiguous"):
        njit(lambda a: bool(a))(np.arange(2))


def test_classes_of_truth_values():
    @njit
    def f(x, items):
        match x:
            case bool():
                found = 1
            case _:
                found = 2
        return (found, type(x) is bool, isinstance(x, bool), bool(), list(map(bool, items)), list(filter(bool, items)),
                np.zeros(2, bool).sum(), np.ones(2, np.bool_).sum())

    for x in True, 5, 2.5:
        assert f(x, [0, 3, 1]) == f.py_func(x, [0, 3, 1])


# None beside arrays.

def test_no_item_is_none():
    @njit
    def f(a):
        return a == None, None == a, a != None, None != a  # noqa: E711

    for a in np.arange(3), np.zeros((2, 0)), np.array([[1.5, np.nan]]):
        for found, wanted in zip(f(a), f.py_func(a), strict=True):
            np.testing.assert_array_equal(found, wanted)
            assert found.dtype == wanted.dtype


def test_an_array_that_may_be_none_beside_none():
    @njit
    def f(a, present):
        b = a if present else None
        return b == None, None != b  # noqa: E711

    assert f(np.arange(3), False) == (True, False)
    with pytest.raises(TypeError, match="compared with None by `is`"):
        f(np.arange(3), True)
