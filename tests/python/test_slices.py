"""Slices as values: as arguments, made in compiled code, as indices, returned; their attributes and `indices`."""
import itertools
import sys

import numpy as np
import pytest
from leaks import nothing_leaks  # noqa: F401  the fixture
from test_arrays import same

import rumba
from rumba import njit, types
from rumba.errors import TypingError
from rumba.intrinsics import literally

BOUNDS = (None, -7, -1, 0, 2, 5, sys.maxsize, -sys.maxsize - 1)
STEPS = (None, 1, 2, -1, -3, sys.maxsize, -sys.maxsize - 1)
ALL = [slice(*parts) for parts in itertools.product(BOUNDS, BOUNDS, STEPS)]


@njit
def parts(s):
    return s.start, s.stop, s.step


@njit
def itself(s):
    return s


@njit
def pick(a, index):
    return a[index]


@njit
def bounds(s, n):
    return s.indices(n)


def test_types():
    pick(np.arange(3), slice(1))
    pick(np.arange(3), slice(1, 2, 3))
    texts = [str(signature[1]) for signature in pick.signatures]
    assert texts[-2:] == ["slice<a:b>", "slice<a:b:c>"]
    assert rumba.typeof(slice(1, 2)) is types.slice2_type and rumba.typeof(slice(None, None, -1)) is types.slice3_type
    fixed = njit("i8[:](i8[::1], slice2)".replace("slice2", "slice2_type"))(pick.py_func)
    assert fixed(np.arange(4), slice(1, None)).tolist() == [1, 2, 3]


def test_arguments():
    a = np.arange(6)
    for s in ALL:
        same(pick(a, s), a[s])
        # A step of 1 is the same as none; the least integer is as far outside as the one above it.
        again = itself(s)
        same(a[again], a[s])
        assert again.start == s.start or s.start == -sys.maxsize - 1


def test_attributes_are_integers():
    high, low = sys.maxsize, -sys.maxsize - 1
    assert parts(slice(None)) == (0, high, 1)
    assert parts(slice(2, 3)) == (2, 3, 1)
    assert parts(slice(None, None, -2)) == (high, low, -2)
    assert parts(slice(1, None, -1)) == (1, low, -1)
    assert parts(slice(np.int8(1), True, np.uint8(2))) == (1, 1, 2)


def test_the_least_integer():
    low = -sys.maxsize - 1

    @njit
    def written():
        return slice(-2**63, None).start, slice(None, -2**63).stop, slice(None, None, -2**63).step, slice(-2**63, 3).indices(5)

    assert written() == (low, low, low, slice(low, 3).indices(5))
    a = np.arange(4)
    for cut in (lambda a: a[-2**63:], lambda a: a[:-2**63], lambda a: a[:-2**63:-1], lambda a: a[-2**63:3:2]):
        same(njit(cut)(a), cut(a))


def test_indices():
    for s in ALL:
        if low_parts(s):
            continue
        for length in (0, 1, 5, sys.maxsize):
            assert bounds(s, length) == s.indices(length)
    for s, length in [(slice(None), -1), (slice(None, None, 0), 3), (slice(None, None, 0), -1)]:
        with pytest.raises(ValueError) as expected:
            s.indices(length)
        with pytest.raises(ValueError) as error:
            bounds(s, length)
        assert str(error.value) == str(expected.value)
    with pytest.raises(ValueError, match="slice step cannot be zero"):
        pick(np.arange(3), slice(None, None, 0))


def low_parts(s):
    return -sys.maxsize - 1 in (s.start, s.stop, s.step)


def test_constructor():
    @njit
    def make(*args):
        return slice(*args)

    @njit
    def use(a, args):
        return a[slice(*args)]

    a = np.arange(10)
    for count in (1, 2, 3):
        for args in itertools.product((None, -2, 0, 1, 3), repeat=count):
            assert make(*args) == slice(*args)
            if count < 3 or args[2] != 0:
                same(use(a, args), a[slice(*args)])
    for args in [(), (1, 2, 3, 4), (1.5,), ("a",)]:
        with pytest.raises(TypingError):
            make(*args)


def test_known_slices():
    fixed, whole = slice(1, 3), slice(None)
    several = (slice(1, None), 0, None, ...)

    @njit
    def known(a):
        s = slice(2, None)
        t = slice(None, None, -1)
        return a[s], a[t], a[fixed], a[whole], (1, 2, 3, 4)[fixed], s, fixed

    @njit
    def with_tuple(a):
        return a[several]

    a = np.arange(5)
    for got, expected in zip(known(a), known.py_func(a)):
        if isinstance(expected, slice):
            assert got == expected
        else:
            same(got, expected)
    b = np.arange(24).reshape(2, 3, 4)
    same(with_tuple(b), b[several])


def test_layout_is_kept_without_a_step():
    a = np.arange(10)
    for function, layout in [(njit(lambda a, i: a[slice(i, 5)]), "C"), (njit(lambda a, i: a[slice(i, 5, None)]), "C"),
                             (njit(lambda a, i: a[slice(i, 5, i)]), "A")]:
        same(function(a, 2), function.py_func(a, 2))
        assert function.nopython_signatures[0].return_type.layout == layout


def test_tuples_of_what_indexes():
    a = np.arange(24).reshape(2, 3, 4)
    indices = [(slice(None), 1), (0, ..., slice(1, None)), (None, slice(0, 1), ..., None), (..., slice(None, None, -2)),
               (np.int8(1), slice(None)), (), (1, np.array([0, 2]), slice(None, None, 2)), (slice(None), np.uint32(2), 3)]
    for index in indices:
        same(pick(a, index), a[index])

    @njit
    def made(a, i):
        first = slice(i, None)
        index = (first, ..., i)
        b = a[index]
        a[index] = 7
        return b, a[(first, None)], a[index[0]]

    wanted, got = a.copy(), a.copy()
    for one, other in zip(made(got, 1), made.py_func(wanted, 1)):
        same(one, other)
    same(got, wanted)


def test_where_slices_meet():
    @njit
    def chosen(a, flag, i):
        s = slice(i, None) if flag else slice(None, None, 2)
        for _ in range(i):
            s = slice(1, 4)
        return a[s]

    a = np.arange(8)
    for flag, i in itertools.product((True, False), (0, 1)):
        same(chosen(a, flag, i), chosen.py_func(a, flag, i))


def test_bounds_that_may_be_none():
    @njit
    def tail(a, n, flag):
        start = n if flag else None
        return a[start:], a[slice(None, start)]

    a = np.arange(8)
    for n, flag in itertools.product((0, 3, -2), (True, False)):
        for got, expected in zip(tail(a, n, flag), tail.py_func(a, n, flag)):
            same(got, expected)


def test_slices_that_are_no_slices_of_integers():
    pick(np.arange(3), slice(1))
    for wrong in (slice(1.5), slice(0, "a"), slice(None, None, 1j)):
        with pytest.raises(TypeError, match="slice indices must be integers or None or have an __index__ method"):
            pick(np.arange(3), wrong)
    with pytest.raises(TypingError):
        bounds(slice(1), 2.5)


def test_literally():
    @njit
    def f(s):
        return literally(s)

    for s in (slice(1, 4, 2), slice(1, 2), slice(1), slice(None, 1, 1), slice(None)):
        assert f(s) == s
    with pytest.raises(ValueError, match="Int value is too large"):
        f(slice(None, None, 2**70))
