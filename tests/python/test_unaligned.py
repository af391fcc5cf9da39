"""Arrays whose items lie anywhere in memory: read, written, handed out, against NumPy."""
import numpy as np
import pytest
from leaks import nothing_leaks  # noqa: F401  the fixture

import rumba
from rumba import njit

DTYPES = ["i2", "i4", "u8", "f4", "f8", "c8", "c16"]


def off_by_one(dtype, count):
    """An array whose first item is one byte after an aligned address."""
    room = np.zeros(count * np.dtype(dtype).itemsize + 16, "u1")
    array = room[1:1 + count * np.dtype(dtype).itemsize].view(dtype)
    array[:] = np.arange(count)
    assert not array.flags.aligned
    return array


@pytest.mark.parametrize("dtype", DTYPES)
def test_items_are_read_and_written(dtype):
    @njit
    def double(a):
        total = a[0] - a[0]
        for i in range(len(a)):
            a[i] = a[i] + a[i]
            total += a[i]
        return total

    a, b = off_by_one(dtype, 1000), np.arange(1000).astype(dtype)
    assert double(a) == double(b)
    assert a.tobytes() == b.tobytes()


def test_the_type_says_it():
    a = off_by_one("f8", 10)
    assert str(rumba.typeof(a)) == "unaligned array(float64, 1d, C)"
    a.flags.writeable = False
    assert str(rumba.typeof(a)) == "unaligned readonly array(float64, 1d, C)"
    assert repr(rumba.typeof(a)) == "Array(float64, 1, 'C', True, aligned=False)"

    @njit
    def first(a):
        return a[0]

    first(a)
    assert str(first.signatures[0][0]) == "unaligned readonly array(float64, 1d, C)"
    with pytest.raises(TypeError, match="No matching definition"):
        njit("f8(f8[::1])")(lambda a: a[0])(off_by_one("f8", 3))


def test_they_come_back_and_are_copied():
    @njit
    def views(a):
        return a, a[::2], a.copy(), a[1:]

    a = off_by_one("f8", 9)
    same, every_other, copy, rest = views(a)
    assert same is a
    assert every_other.tolist() == a[::2].tolist() and every_other.base is not None
    assert not every_other.flags.aligned and np.shares_memory(every_other, a)
    assert copy.flags.aligned and copy.tolist() == a.tolist()
    assert rest.tolist() == a[1:].tolist()


def test_aligned_and_unaligned_meet():
    @njit
    def either(a, b, which):
        if which:
            c = a
        else:
            c = b
        b[:] = a
        return c[1]

    a, b = off_by_one("f8", 5), np.zeros(5)
    assert either(a, b, True) == either(a, b, False) == 1.0
    assert b.tolist() == a.tolist()
