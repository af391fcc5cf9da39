"""Tracebacks of compiled code mark the line and the columns that those of plain Python mark."""
import traceback

import numpy as np
import pytest
from rumba import njit


def index(values, n):
    total = 0.0
    for i in range(n + 1):
        total += values[i] * 2
    return total


def division(values, n):
    return 1 + 10 // (n - 3) + len(values)


def key(values, n):
    table = {0: 1.5}
    table[1] = table[0] + table[n]
    return table


def over_lines(values, n):
    return (values[0] +
            values[
                n
            ])


def raised(values, n):
    if n == 3: raise ValueError("three")
    return values


def äöü(values, n):
    ä = "ü"; return len(ä) + values[n]


@pytest.mark.parametrize("function", [index, division, key, over_lines, raised, äöü])
def test_the_place_is_that_of_plain_python(function):
    places = []
    for called in (function, njit(function)):
        with pytest.raises(Exception) as caught:
            called(np.ones(3), 3)
        entry = traceback.extract_tb(caught.value.__traceback__)[-1]
        places.append((entry.name, entry.lineno, entry.end_lineno, entry.colno, entry.end_colno))
    assert places[0] == places[1]


def test_a_call_that_became_part_of_its_caller():
    inner = njit(index)
    outer = njit(lambda values: inner(values, 5))
    with pytest.raises(IndexError) as caught:
        outer(np.ones(3))
    entry = traceback.extract_tb(caught.value.__traceback__)[-1]
    assert (entry.name, entry.line[entry.colno - 8:entry.end_colno - 8]) == ("index", "values[i]")
