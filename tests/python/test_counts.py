"""How often compiled code counts who uses memory: the static number of count operations of thirty functions.

`BLESS=1` rewrites tests/counts.txt. Fewer is better; zero is what loops over arguments have.
"""
import os
import re
from pathlib import Path

import numpy as np

from rumba import njit

GOLDEN = Path(__file__).parents[1] / "counts.txt"


def total(x):
    s = 0.0
    for i in range(len(x)):
        s += x[i]
    return s


def total_of_items(x):
    s = 0.0
    for value in x:
        s += value
    return s


def axpy(x, y):
    for i in range(len(x)):
        y[i] += 2.0 * x[i]


def row_sums(a, x):
    for i in range(a.shape[0]):
        row = a[i]
        s = 0.0
        for j in range(len(row)):
            s += row[j]
        x[i] = s


def rows_as_items(a):
    s = 0.0
    for row in a:
        s += row[0]
    return s


def stencil(a, b):
    for i in range(1, a.shape[0] - 1):
        for j in range(1, a.shape[1] - 1):
            b[i, j] = a[i - 1, j] + a[i + 1, j]


def same(x):
    return x


def view(x):
    return x[1:]


def view_of_view(x):
    return x[1:][1:]


def transposed(a):
    return a.T


def first_items(x, y):
    return x[0], y[0]


def both(x, y):
    return x, y


def chosen(x, y):
    if x[0] < y[0]:
        return x
    return y


def last_assigned(x, y):
    z = x
    if x[0] < 0:
        z = y
    return z[0]


def new(x):
    return np.zeros(len(x))


def new_filled(x):
    out = np.empty(len(x))
    for i in range(len(x)):
        out[i] = x[i] * x[i]
    return out


def temporary(x):
    t = np.zeros(4)
    t[0] = x[0]
    return t[0]


def temporary_in_loop(x):
    s = 0.0
    for i in range(len(x)):
        t = np.zeros(2)
        t[0] = x[i]
        s += t[0]
    return s


def swapped(x):
    old, new = np.zeros(4), np.ones(4)
    for _ in range(10):
        old, new = new, old
    return old[0] + x[0]


def time_steps(x):
    u = x.copy()
    for _ in range(5):
        v = np.empty_like(u)
        for i in range(len(u)):
            v[i] = u[i] * 0.5
        u = v
    return u


def two_new(x):
    return np.zeros(2), np.ones(3)


def view_of_new(x):
    return np.zeros(4)[1:]


def maybe_new(x):
    if x[0] > 0:
        return np.zeros(3)
    return x.copy()


def stored_slice(x, y):
    y[1:3] = x[0:2]


def masked(x, mask):
    return x[mask]


def raised(x):
    t = np.zeros(3)
    if x[0] > 5:
        raise ValueError("large")
    return t[0]


@njit
def helper(x):
    return x[0] + x[1]


@njit
def maker(n):
    return np.zeros(n)


def calls(x, y):
    return helper(x) + helper(y)


def called_with_new(x):
    return helper(np.ones(3))


def calls_a_maker(x):
    return maker(len(x))[0]


def passes_a_view(x):
    return helper(x[1:])


KERNELS = [total, total_of_items, axpy, row_sums, rows_as_items, stencil, same, view, view_of_view, transposed, first_items,
           both, chosen, last_assigned, new, new_filled, temporary, temporary_in_loop, swapped, time_steps, two_new,
           view_of_new, maybe_new, stored_slice, masked, raised, calls, called_with_new, calls_a_maker, passes_a_view]

ARGUMENTS = {"x": np.arange(6.0), "y": np.arange(1.0, 7.0), "a": np.ones((4, 4)), "b": np.ones((4, 4)),
             "mask": np.array([True, False] * 3)}


def counted(function):
    """The static numbers of references that are counted and given up."""
    compiled = njit(function)
    code = function.__code__
    compiled(*(ARGUMENTS[name].copy() for name in code.co_varnames[:code.co_argcount]))
    [unit] = compiled._units()
    text = unit.stage("explicit")
    ops = re.findall(r"^    (incref|decref) ", text, re.MULTILINE)
    return f"{function.__name__:18} {ops.count('incref'):2} increfs {ops.count('decref'):2} decrefs"


def test_counts_are_as_few_as_they_were():
    """The golden file, line by line."""
    assert len(KERNELS) == 30
    lines = [counted(kernel) for kernel in KERNELS]
    text = "\n".join(lines) + "\n"
    if os.environ.get("BLESS"):
        GOLDEN.write_text(text)
    assert text == GOLDEN.read_text()
