"""`astype` of datetimes and timedeltas, to other units and to numbers, against NumPy."""
import itertools

import numpy as np
import pytest
from leaks import nothing_leaks  # noqa: F401

from rumba import njit
from rumba.errors import TypingError

UNITS = ("Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns")
RNG = np.random.default_rng(7)


def times(letter, unit):
    """Times from 1900 to 2100, and none."""
    days = np.concatenate([RNG.integers(-25000, 47000, 40), [0, -1, 59, -25508, 11016]]).astype("m8[D]")
    if letter == "m8":
        counts = days.astype(np.int64) % 400 - 200 if unit in "YM" else days.astype(f"m8[{unit}]").astype(np.int64) + RNG.integers(-9, 9, days.size)
        made = counts.astype(f"m8[{unit}]")
    else:
        made = (np.datetime64("1970-01-01") + days).astype(f"M8[{unit}]") + RNG.integers(-5, 5, days.size).astype(np.int64)
    made[3] = "NaT"
    return made


def same(found, expected):
    assert found.dtype == expected.dtype and found.shape == expected.shape and np.array_equal(found.view("i8"), expected.view("i8"))


@pytest.mark.parametrize("letter", ["M8", "m8"])
def test_units(letter):
    for unit, other in itertools.product(UNITS, UNITS):
        array = times(letter, unit)
        function = eval(f"lambda a: a.astype('{letter}[{other}]')")
        if letter == "m8" and (unit in "YM") != (other in "YM"):
            with pytest.raises(TypingError):
                njit(function)(array)
            continue
        compiled = njit(function)
        same(compiled(array), array.astype(f"{letter}[{other}]"))
        same(compiled(array[::2]), array[::2].astype(f"{letter}[{other}]"))
        table = array[:40].reshape(5, 8).T
        same(compiled(table), table.astype(f"{letter}[{other}]"))
        scalar = compiled(array[5])
        assert scalar == array[5].astype(f"{letter}[{other}]") and scalar.dtype == np.dtype(f"{letter}[{other}]")


@pytest.mark.parametrize("letter", ["M8", "m8"])
@pytest.mark.parametrize("dtype", ["i8", "f8", "i4", "f4", "c16"])
def test_numbers(letter, dtype):
    for unit in ("D", "s"):
        array = times(letter, unit)
        if dtype == "i4":
            array = array[np.abs(array.astype(np.int64)) < 2**31]
        function = eval(f"lambda a: a.astype('{dtype}')")
        if dtype == "c16":
            with pytest.raises(TypingError):
                njit(function)(array)
            continue
        expected = array.astype(dtype)
        found = njit(function)(array)
        assert found.dtype == expected.dtype and np.array_equal(found, expected)
        assert njit(function)(array[4]) == array[4].astype(dtype)
        back = eval(f"lambda a: a.astype('{letter}[{unit}]')")
        same(njit(back)(expected.astype(np.int64)), expected.astype(np.int64).astype(f"{letter}[{unit}]"))


def test_first_days_of_months():
    days = np.arange("1968-01-01", "2032-01-01", dtype="M8[D]")
    same(njit(lambda a: a.astype("M8[M]"))(days), days.astype("M8[M]"))
    first = njit(lambda a: (a - a.astype("M8[M]")).astype(np.int64) + 1)
    assert np.array_equal(first(days), (days - days.astype("M8[M]")).astype(np.int64) + 1)
    assert njit(lambda a: a.astype("M8[Y]").astype(np.int64) + 1970)(days)[-1] == 2031


def test_times_at_equal_distances():
    date, span = np.datetime64, np.timedelta64
    with_step, plain = njit(lambda a, b, c: np.arange(a, b, c)), njit(lambda a, b: np.arange(a, b))
    for a, b, c in [(date("2020-01-01"), date("2020-02-01"), span(7, "D")), (date("2020-01-01"), date("2020-01-02"), span(7, "h")),
                    (date("2020-02-01"), date("2020-01-01"), span(-7, "D")), (date("2020-02-01"), date("2020-01-01"), span(7, "D")),
                    (span(3, "s"), span(10, "s"), span(2, "s")), (date("2020-01"), date("2020-01-05"), span(1, "D"))]:
        same(with_step(a, b, c), np.arange(a, b, c))
        same(plain(a, b), np.arange(a, b))
    for c, message in [(span(0, "D"), "step cannot be zero"), (span("NaT", "D"), "cannot use NaT")]:
        with pytest.raises(ValueError, match=message):
            with_step(date("2020-01-01"), date("2020-02-01"), c)
