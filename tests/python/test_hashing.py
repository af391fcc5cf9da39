"""`hash` of what has none, and of NaN. (That of numbers, tuples and strings stands in their own tests.)"""
import ctypes
import math
import sys

import numpy as np
import pytest

from leaks import nothing_leaks  # noqa: F401
from rumba import njit, typed, types


@njit
def hashed(value):
    return hash(value)


@pytest.mark.parametrize("value, shown", [
    ([1], "list"), ({1}, "set"), ((1, [2]), "list"), ((1, (2.5, {3})), "set"), (np.ones(4), "array(float64, 1d, C)"),
])
def test_what_has_no_hash(value, shown):
    with pytest.raises(TypeError) as raised:
        hashed(value)
    assert str(raised.value) == f"unhashable type: '{shown}'"


def test_typed_containers_have_no_hash():
    for value in (typed.Dict.empty(types.int64, types.int64), typed.List.empty_list(types.int64)):
        with pytest.raises(TypeError) as raised:
            hashed(value)
        assert str(raised.value) == f"unhashable type: '{types.typeof(value)}'"


def test_functions_have_no_hash():
    @njit
    def of_function():
        return hash(np.cos)

    with pytest.raises(TypeError, match="No __hash__ is defined for object of type"):
        of_function()


def test_the_exception_comes_when_the_call_runs():
    @njit
    def sometimes(items, asked):
        return hash(items) if asked else len(items)

    assert sometimes([1, 2], False) == 2
    with pytest.raises(TypeError, match="unhashable type: 'list'"):
        sometimes([1, 2], True)


def test_hashes_of_nan():
    """Python's depends on the address of the object; here there is none, and each NaN is a different one."""
    for value in (math.nan, complex(math.nan, 1.0), (1, math.nan)):
        assert len({hashed(value) for _ in range(10)}) > 1


@pytest.mark.parametrize("value", [
    slice(None), slice(1), slice(1, 2), slice(-1, None), slice(1, 2, 3), slice(None, None, -1), slice(0, -2, 7), (slice(1, 2), 3)])
def test_slices_have_hashes_since_python_3_12(value):
    if sys.version_info < (3, 12):
        with pytest.raises(TypeError) as raised:
            hashed(value)
        assert str(raised.value) == "unhashable type: 'slice'"
    else:
        assert hashed(value) == hash(value)


def test_slices_that_are_made_have_hashes():
    @njit
    def made(start, stop, step):
        return hash(slice(start, stop)), hash(slice(None, stop, step)), hash(slice(start, None)), hash((slice(stop), 1))

    @njit
    def written():
        return hash(slice(1, 2)), hash(slice(None, 5, -1))

    if sys.version_info >= (3, 12):
        assert made(1, 2, 3) == made.py_func(1, 2, 3)
        assert written() == written.py_func()


def test_none_and_what_may_be_none_have_the_hash_that_python_gives():
    def found(n, pair):
        x = n if n else None
        text = "abc" if n else None
        return hash(None), hash((None, 1)), hash(x), hash((x, 2.5)), hash(text), hash(pair)

    compiled = njit(found)
    for n in range(3):
        assert compiled(n, (None, n)) == found(n, (None, n))


def test_members_of_strings_that_extensions_read():
    @njit
    def members(text):
        return text._data, text._length, text._kind, text._hash == hash(text)

    for text, kind in (("hello", 1), ("h\xe9", 1), ("\u4e2d\u6587", 2), ("\U0001f600a", 4)):
        data, *rest = members(text)
        assert rest == [len(text), kind, True]
        assert ctypes.string_at(data, kind * len(text)) == text.encode({1: "latin-1", 2: "utf-16-le", 4: "utf-32-le"}[kind])
