"""Floats beside integers: thresholds, signs, counts. `CLASSES` says what each is called with.

The functions are plain Python; benches/hand_written.py compiles them with each package.
"""
import numpy as np


def count_above(a, limit):
    count = 0
    for i in range(a.size):
        if a[i] > limit:
            count += 1
    return count


def clip_to_unit(a, out):
    for i in range(a.size):
        x = a[i]
        if x < 0:
            x = 0
        elif x > 1:
            x = 1
        out[i] = x


def above_own_limit(a, limits):
    count = 0
    for i in range(a.size):
        if a[i] >= limits[i]:
            count += 1
    return count


def sum_between(a, low, high):
    total = 0.0
    for x in a:
        if low <= x < high:
            total += x
    return total


def first_below(a, limit):
    for i in range(a.size):
        if a[i] < limit:
            return i
    return -1


def negatives_of_array(a):
    return np.any(a < 0), np.sum(a < 0)


def rectified(a):
    return np.where(a > 0, a, 0)


def inside_of_array(a, low, high):
    return (a >= low) & (a <= high)


def equal_to_array(a, numbers):
    return np.count_nonzero(a == numbers)


def _normal():
    return np.random.default_rng(1).normal(size=20000)


CLASSES = {
    "floats beside integers": {
        count_above: lambda: (_normal(), 1),
        clip_to_unit: lambda: (_normal(), np.empty(20000)),
        above_own_limit: lambda: (_normal(), np.random.default_rng(2).integers(-2, 3, 20000)),
        sum_between: lambda: (_normal(), -1, 1),
        first_below: lambda: (_normal(), -9),
        negatives_of_array: lambda: (_normal(),),
        rectified: lambda: (_normal(),),
        inside_of_array: lambda: (_normal(), -1, 1),
        equal_to_array: lambda: (np.round(_normal()), np.arange(20000) % 3),
    },
}
