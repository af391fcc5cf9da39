"""`hash` of what has none, and of NaN. (That of numbers, tuples and strings stands in their own tests.)"""
import math

import numpy as np
import pytest

from leaks import nothing_leaks  # noqa: F401
from rumba import njit, typed, types


@njit
def hashed(value):
    return hash(value)


@pytest.mark.parametrize("value, shown", [
    ([1], "list"), ({1}, "set"), ((1, [2]), "list"), ((1, (2.5, {3})), "set"), (np.ones(4), "array(float64, 1d, C)"), (slice(1, 2), "slice"),
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
    """Python's depends on where the object lies; here there is none, and each is another one."""
    for value in (math.nan, complex(math.nan, 1.0), (1, math.nan)):
        assert len({hashed(value) for _ in range(10)}) > 1
