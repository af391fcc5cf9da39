"""Floats that are stored as integers of 8 and 16 bits: the low bits of what fits 32 bits, and 0 for what does not."""
import numpy as np
import pytest

from rumba import njit

VALUES = [0.0, -0.5, 1.9, -1.0, 255.0, 256.0, 300.7, -129.0, 65535.0, 65537.5, 2.0**31 - 1, 2.0**31 - 0.5, 2.0**31, -(2.0**31), -(2.0**31) - 1,
          2.0**32 + 5, 3e9, -3e9, 2.0**53, 1e300, -1e300, np.inf, -np.inf, np.nan]


def stores(x, out):
    for i in range(len(x)):
        out[i] = x[i]


def scaled(x, factor, out):
    for i in range(len(x)):
        v = x[i] * factor
        out[i] = 255 if v > 255 else v


def whole(x, out):
    for i in range(len(x)):
        out[i] = float(x[i]) if x[i] != 7 else 0.25


def constants(out):
    for i in range(len(out)):
        for c in (3e9, -1e300, 300.5, float("nan"), 2.0**32 + 5):
            out[i] = c
            out[i] += 1


def expected(values, dtype):
    """What an instruction of 32 bits gives."""
    fits = np.abs(values) < 2.0**31
    return np.where(fits, values, 0.0).astype(np.int32).astype(dtype)


@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.uint16, np.int16])
@pytest.mark.parametrize("source", [np.float64, np.float32])
def test_stores(dtype, source):
    f, g = njit(stores), njit(scaled)
    for count in (1, 3, len(VALUES), 10 * len(VALUES)):
        with np.errstate(all="ignore"):
            x = np.resize(np.array(VALUES), count).astype(source)
        out = np.ones(count, dtype)
        f(x, out)
        np.testing.assert_array_equal(out, expected(x.astype(np.float64), dtype))
        for factor in (1.0, -2.5, 1e9):
            g(x, factor, out)
            with np.errstate(all="ignore"):
                v = x * factor
            np.testing.assert_array_equal(out, expected(np.where(v > 255, 255.0, v), dtype))


@pytest.mark.parametrize("source", [np.uint32, np.int64, np.uint64, np.int32])
def test_integers_that_were_floats(source):
    x = np.array([0, 7, 255, 256, 2**31 - 1, 2**31 - 300], np.int64)
    if source is not np.int32:
        x = np.append(x, [2**31, 2**31 + 5, 3_000_000_001])
    x = np.resize(x.astype(source), 40)
    out = np.ones(40, np.uint8)
    njit(whole)(x, out)
    values = np.where(x != 7, x.astype(np.float64), 0.25)
    np.testing.assert_array_equal(out, expected(values, np.uint8))


def test_constants():
    out = np.zeros(9, np.uint8)
    njit(constants)(out)
    np.testing.assert_array_equal(out, np.full(9, 1, np.uint8))
