"""A program that test_debugging.py runs in a debugger. Its line numbers stand there."""
from collections import namedtuple

import numpy as np
from rumba import njit

Point = namedtuple("Point", "x y")
record = np.dtype([("a", np.int16), ("b", np.float64)], align=True)


@njit(debug=True)
def inner(x, y):
    z = x + y
    return z


@njit(debug=True)
def work(n, scale, flag, a, p, r, text):
    total = 0
    pair = (n, scale)
    same = (1, 2, 3)
    mixed = (1, "constant", 2.5, n)
    c = scale + 2j
    b = a * 2
    items = [1, 2, n]
    first = r[1]
    items.append(4)
    found = None
    if n > 2:
        found = n
    for i in range(n):
        total += inner(i, scale)
        k = i
        k = total
    d = np.ones((2, 3))[:, ::2]
    more = len(items) + len(text) + d.sum() + c.real + same[0] + pair[0] + first.b + p.y + k
    return total + more + b[0] + flag + mixed[3], found


@njit(debug=True)
def numbers(n):
    for i in range(n):
        square = i * i
        yield square


@njit
def loop(n):
    total = 0
    for x in numbers(n):
        total += x
    return total


def run():
    r = np.array([(1, 0.5), (2, 2.5)], dtype=record)
    work(3, 1.5, True, np.arange(4.0), Point(1, 2.5), r, "hello")
    loop(3)


if __name__ == "__main__":
    run()
