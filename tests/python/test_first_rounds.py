"""Loops whose first rounds count a place from the end: the same results, items and exceptions as in Python, for lengths from 0 on."""
import numpy as np
import pytest

from rumba import njit

LENGTHS = (0, 1, 2, 3, 4, 9, 40)


def upwind(x, out):
    for i in range(len(x)):
        out[i] = x[i] - 0.25 * (x[i] - x[i - 1])
    return 0.0


def shoelace(x, out):
    area = 0.0
    for i in range(len(x)):
        area += x[i - 1] * out[i] - x[i] * out[i - 1]
    return area


def two_back(x, out):
    i, s = 0, 0.0
    while i < len(x):
        s += x[i - 2] * x[i - 1]
        out[i] = s
        i += 1
    return s + i


def leaves(x, out):
    """A `break`, an `else`, several back edges, and a counter that is read after the loop."""
    i = -5
    for i in range(len(x)):
        last = x[i - 1]
        if last > 0.9:
            break
        if last < 0.3:
            continue
        out[i] = last
    else:
        return -1.0
    return i + last


def rows(x, out):
    total = 0.0
    a = x[:len(x) // 3 * 3].reshape(-1, 3)
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            total = 0.5 * total + a[i, j - 1] - a[i - 1, j]
    return total


def every_other(x, out):
    s = 0.0
    for i in range(0, len(x), 2):
        s = s / 2 + x[i - 1]
    return s


def from_one(x, out):
    s = 0.0
    for i in range(1, len(x) + 1):
        s = s / 2 + x[i - 2]
    return s


def asked(x, out):
    for i in range(len(x)):
        if i > 0:
            out[i] = x[i - 1]
    return 0.0


def changes_its_end(x, out):
    n = len(x)
    i = 0
    while i < n:
        if x[i - 1] > 0.8:
            n -= 1
        i += 1
    return float(n)


def over_two_ends(x, out):
    s = 0.0
    for i in range(min(len(x), len(out))):
        s += x[i - 1] * out[i - 2]
    return s


def outcome(function, x, out):
    try:
        return function(x, out), out
    except IndexError as error:
        return str(error).split(" is out of")[0], out


@pytest.mark.parametrize("function", [upwind, shoelace, two_back, leaves, rows, every_other, from_one, asked, changes_its_end, over_two_ends])
def test_first_rounds(function):
    compiled = njit(function)
    for length in LENGTHS:
        for shorter in (0, 1, 3):
            x = np.random.default_rng(length).random(length)
            outs = [np.arange(float(max(length - shorter, 0))) for _ in range(2)]
            ours, theirs = outcome(compiled, x, outs[0]), outcome(function, x, outs[1])
            assert ours[0] == theirs[0], (length, shorter)
            np.testing.assert_array_equal(ours[1], theirs[1])
