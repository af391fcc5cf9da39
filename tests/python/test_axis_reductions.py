"""Reductions along an axis against NumPy, with the same bits: few and many columns, short and long lines, empty arrays, any layout."""
import random
import warnings

import numpy as np
import pytest
from leaks import nothing_leaks  # noqa: F401  the fixture

from rumba import njit

LENGTHS = [0, 1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 40, 130]
DTYPES = [np.float64, np.float32, np.int64, np.int32, np.uint8, np.bool_, np.complex128]
FUNCTIONS = ["sum", "mean", "prod", "min", "max", "any", "all", "count_nonzero", "argmin", "argmax", "ptp"]


def items(rng, shape, dtype):
    found = np.array([rng.gauss(0, 9) for _ in range(int(np.prod(shape)))]).reshape(shape)
    if dtype is np.bool_:
        return found > 0
    if dtype is np.complex128:
        return found + 1j * found[::-1]
    found = abs(found) if dtype is np.uint8 else found
    if found.size and rng.random() < 0.2 and np.issubdtype(dtype, np.floating):
        found.flat[rng.randrange(found.size)] = np.nan
    return found.astype(dtype)


def outcome(function, array):
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            return np.asarray(function(array))
    except (ValueError, TypeError) as error:
        return type(error), str(error)


def same(found, wanted):
    if isinstance(found, tuple) or isinstance(wanted, tuple):
        return found == wanted
    # The bits of NaN depend on the order of operands, which addition leaves open.
    return (found.dtype, found.shape) == (wanted.dtype, wanted.shape) and np.array_equal(found, wanted, equal_nan=found.dtype.kind in "fc")


@pytest.mark.parametrize("name", FUNCTIONS)
def test_along_an_axis(name):
    rng = random.Random(name)
    for ndim in (2, 3):
        axis, space = rng.randrange(-1, ndim), {"np": np}
        exec(f"def f(a): return np.{name}(a, axis={axis})", space)
        compiled = njit(space["f"])
        for dtype in rng.sample(DTYPES, 3):
            if (name, dtype) in (("ptp", np.bool_), ("prod", np.complex128)):
                # NumPy refuses the one. It multiplies complex numbers in an order of its own.
                continue
            for _ in range(8):
                array = items(rng, tuple(rng.choices(LENGTHS, k=ndim)), dtype)
                array = rng.choice([array, array, array, np.asfortranarray(array)])
                wanted = outcome(space["f"], array)
                assert same(outcome(compiled, array), wanted), (name, dtype, array.shape, array.strides, axis)


def test_of_nothing():
    for name in ("min", "max", "argmin", "argmax", "ptp"):
        space = {"np": np}
        exec(f"def f(a): return np.{name}(a, axis=1)", space)
        compiled = njit(space["f"])
        for shape in ((0, 0), (3, 0), (0, 3)):
            wanted = outcome(space["f"], np.zeros(shape))
            assert same(outcome(compiled, np.zeros(shape)), wanted) or isinstance(wanted, tuple), (name, shape)
            assert isinstance(outcome(compiled, np.zeros(shape)), tuple) == isinstance(wanted, tuple), (name, shape)
