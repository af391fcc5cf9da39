"""`rumba.unsafe`: what Numba keeps in modules called `unsafe`, compared with what it is in Python."""
import numpy as np
import pytest
from leaks import nothing_leaks  # noqa: F401  for each test here
from rumba import errors, njit
from rumba.intrinsics import literally
from rumba.unsafe import (
    build_full_slice_tuple,
    leading_zeros,
    memcpy_region,
    to_fixed_tuple,
    trailing_zeros,
    tuple_setitem,
)
from rumba.unsafe.refcount import get_refcount, length_of_iterator


def outcome(function, *args):
    try:
        return function(*args)
    except Exception as error:
        return type(error), str(error)


@pytest.mark.parametrize("items", [(), (1,), (1, 2), (1, 2, 3, 4), (1.5, 2, True), ("a", "b", "c")])
def test_tuples_with_another_item(items):
    compiled = njit(lambda items, at, value: tuple_setitem(items, at, value))
    value = items[0] if items else 1
    for at in range(-len(items) - 2, len(items) + 2):
        assert outcome(compiled, items, at, value) == outcome(tuple_setitem, items, at, value)


def test_tuples_in_a_loop():
    @njit
    def scattered(items, places, values):
        for at, value in zip(places, values):
            items = tuple_setitem(items, at, value)
        return items

    assert scattered((0, 0, 0, 0), (2, 0, 3), (7, 8, 9)) == (8, 0, 7, 9)
    assert njit(lambda items: tuple_setitem(items, 1, 0.5))((1, 2, 3)) == (1, 0.5, 3)
    arrays = np.arange(3), np.arange(4)
    got = njit(lambda items, other: tuple_setitem(items, -1, other))(arrays, arrays[0])
    assert got[0] is arrays[0] and got[1] is arrays[0]


def test_slices_for_every_axis():
    whole = njit(lambda a, n: a[build_full_slice_tuple(literally(n))])
    a = np.arange(6).reshape(2, 3)
    for n in (1, 2):
        np.testing.assert_array_equal(whole(a, n), a[build_full_slice_tuple(n)])
    with pytest.raises(errors.TypingError, match=r"\*tuple_size\* argument must be a constant"):
        njit(lambda a, n: a[build_full_slice_tuple(n + 1)])(a, 1)


def test_items_of_vectors():
    first = njit(lambda a: (to_fixed_tuple(a, length=1), to_fixed_tuple(a, 3), to_fixed_tuple(a, 0)))
    for a in (np.arange(3.0), np.arange(10)[::-2], np.array([True, False, True])):
        assert first(a) == tuple(to_fixed_tuple(a, count) for count in (1, 3, 0))
    with pytest.raises(IndexError, match="index 2 is out of bounds"):
        first(np.arange(2))
    with pytest.raises(errors.TypingError, match="Not supported on array.ndim=2"):
        first(np.ones((2, 2)))
    with pytest.raises(errors.TypingError, match=r"\*length\* argument must be a constant"):
        njit(lambda a, n: to_fixed_tuple(a, n + 1))(np.arange(3), 1)


@pytest.mark.parametrize("kind", [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64, int])
def test_zeros_of_integers(kind):
    compiled = njit(lambda x: (leading_zeros(x), trailing_zeros(x)))
    info = np.iinfo(np.int64 if kind is int else kind)
    powers = [1 << bit for bit in range(info.bits)]
    for value in [0, info.max, info.min, *powers, *(-power for power in powers), *(power - 1 for power in powers), 42]:
        if info.min <= value <= info.max:
            x = kind(value)
            assert compiled(x) == (leading_zeros(x), trailing_zeros(x))
    assert compiled(kind(0)) == (info.bits, info.bits)


@pytest.mark.parametrize("function", [leading_zeros, trailing_zeros])
def test_zeros_of_what_is_no_integer(function):
    for value, name in ((1.5, "float64"), (1j, "complex128"), (True, "bool")):
        with pytest.raises(errors.TypingError, match=f"{function.__name__} is only defined for integers.*'{name}'"):
            njit(lambda x: function(x))(value)


def test_bytes_are_copied():
    @njit
    def copied(to, at, source, begin, count):
        memcpy_region(to.ctypes.data, at, source.ctypes.data, begin, count)

    source = np.arange(10, dtype=np.int8)
    for at, begin, count in ((4, 1, 5), (0, 0, 10), (3, 9, 0)):
        got, wanted = np.zeros(10, np.int8), np.zeros(10, np.int8)
        copied(got, at, source, begin, count)
        memcpy_region(wanted.ctypes.data, at, source.ctypes.data, begin, count, 1)
        np.testing.assert_array_equal(got, wanted)
    copied(source, 1, source, 0, 9)
    assert list(source) == [0, 0, 1, 2, 3, 4, 5, 6, 7, 8]


def test_names_of_numba():
    from rumba.numba.core.unsafe.bytes import memcpy_region as copy
    from rumba.numba.cpython.unsafe.numbers import leading_zeros as leading
    from rumba.numba.cpython.unsafe.tuple import tuple_setitem as setitem
    from rumba.numba.np.unsafe.ndarray import to_fixed_tuple as fixed

    assert (copy, leading, setitem, fixed) == (memcpy_region, leading_zeros, tuple_setitem, to_fixed_tuple)
    from rumba.numba.np.unsafe.ndarray import empty_inferred

    with pytest.raises(NotImplementedError, match="Rumba does not have `"):
        empty_inferred(3)
    with pytest.raises(errors.TypingError, match="Rumba does not have `"):
        njit(lambda: empty_inferred(3))()


def test_counts_are_printed(capfd):
    from rumba.numba.core.unsafe.refcount import dump_refcount

    @njit
    def f(n):
        a = np.zeros(n)
        both = (a, a)
        dump_refcount(a)
        dump_refcount(both)
        return both

    f(2)
    lines = capfd.readouterr().out.splitlines()
    assert [line for line in lines if line.startswith("dump")] == [
        "dump refct of array(float64, 1d, C)", "dump refct of UniTuple(array(float64, 1d, C) x 2)"]
    assert [line.rpartition(" = ")[0] for line in lines if not line.startswith("dump")] == [
        " | array(float64, 1d, C) refct"] * 3


def test_holders_of_memory():
    @njit
    def f(n):
        items = [np.zeros(n)]
        return get_refcount(items[0]), get_refcount(items)

    assert min(f(3)) >= 1
    with pytest.raises(errors.NumbaError, match="does not hold one piece of counted memory, but 0"):
        njit(lambda x: get_refcount(x))(1)


def test_what_an_iterator_has_left():
    def f(a):
        return (length_of_iterator(iter(range(a[0]))), length_of_iterator(iter(a)), length_of_iterator(iter((1, 2, 3))),
                length_of_iterator(enumerate(a)))

    a = np.arange(4, 9)
    assert njit(f)(a) == f(a) == (4, 5, 3, 5)
