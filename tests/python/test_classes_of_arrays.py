"""Types as values: `types.float64[:, ::1]` in compiled code, and types that are passed to functions."""
import itertools

import numpy as np
import pytest
from rumba import njit, types
from rumba.numba import typed

from leaks import nothing_leaks  # noqa: F401  a fixture

UNIT, ANY = slice(None, None, 1), slice(None)


def list_of(ty, index):
    def make():
        return typed.List.empty_list(ty[index])
    return make


@pytest.mark.parametrize("ty", [types.float64, types.uint8, types.bool_, types.complex64])
@pytest.mark.parametrize("index", [
    UNIT, ANY, *itertools.product((UNIT, ANY), repeat=2), (ANY, ANY, UNIT), (UNIT, ANY, ANY), (ANY, ANY, ANY), (UNIT, ANY, UNIT)])
def test_a_type_of_arrays_is_the_one_that_python_makes(ty, index):
    assert njit(list_of(ty, index))()._dtype == ty[index]


@pytest.mark.parametrize("index", [(ANY, UNIT, ANY), slice(1, None), slice(None, None, 2), 3])
def test_other_subscripts_are_refused(index):
    with pytest.raises(Exception, match="No implementation of function operator.getitem"):
        njit(list_of(types.float64, index))()


def test_written_in_compiled_code():
    @njit
    def rows(n):
        made = typed.List.empty_list(types.float64[:, ::1])
        for at in range(n):
            made.append(np.full((2, 3), 1.0 * at))
        return made

    assert [row.sum() for row in rows(3)] == [0.0, 6.0, 12.0]


def test_types_are_arguments():
    @njit
    def convert(value, ty):
        return ty(value), np.zeros(2, ty).dtype.itemsize

    assert convert(3.7, types.int32) == (3, 4)
    assert convert(3, types.float32) == (3.0, 4)
    assert len(convert.signatures) == 2


def test_addresses_are_compared():
    from rumba import carray, cfunc

    @cfunc(types.boolean(types.CPointer(types.float64), types.CPointer(types.float64)))
    def same(a, b):
        return a is b and not (a is not b) and carray(a, 1)[0] == carray(b, 1)[0]

    x, y = np.ones(2), np.ones(2)
    pointer = [one.ctypes.data_as(same.ctypes.argtypes[0]) for one in (x, y)]
    assert same.ctypes(pointer[0], pointer[0])
    assert not same.ctypes(*pointer)
