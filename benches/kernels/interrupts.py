"""Loops that Ctrl-C can stop: fifteen that count and five that do not. Each takes a number that says how much it does."""
import numpy as np


def total(a):
    s = 0
    for i in range(a.shape[0]):
        s += a[i]
    return s


def float_total(x):
    s = 0.0
    for i in range(x.shape[0]):
        s += x[i]
    return s


def axpy(x, y):
    for i in range(x.shape[0]):
        y[i] += 0.5 * x[i]
    return y[0]


def dot(x, y):
    s = 0.0
    for i in range(x.shape[0]):
        s += x[i] * y[i]
    return s


def clip(x, y):
    for i in range(x.shape[0]):
        y[i] = min(max(x[i], 0.25), 0.75)
    return y[0]


def prefix(x, y):
    s = 0.0
    for i in range(x.shape[0]):
        s += x[i]
        y[i] = s
    return s


def stencil(x, y):
    for i in range(1, x.shape[0] - 1):
        y[i] = 0.25 * x[i - 1] + 0.5 * x[i] + 0.25 * x[i + 1]
    return y[1]


def histogram(a, counts):
    for i in range(a.shape[0]):
        counts[a[i] & 255] += 1
    return counts[0]


def backwards(a, b):
    for i in range(a.shape[0] - 1, -1, -3):
        b[i] = a[i] * 3 + 1
    return b[0]


def items(a):
    s = 0
    for value in a:
        s ^= value
    return s


def listed(n):
    values = [i & 1023 for i in range(n)]
    s = 0
    for value in values:
        s += value
    return s


def rows(m):
    s = 0
    for i in range(m.shape[0]):
        for j in range(m.shape[1]):
            s += m[i, j]
    return s


def stencil_rows(m, n):
    for i in range(1, m.shape[0] - 1):
        for j in range(1, m.shape[1] - 1):
            n[i, j] = 0.25 * (m[i - 1, j] + m[i + 1, j] + m[i, j - 1] + m[i, j + 1])
    return n[1, 1]


def product(a, b, c):
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            s = 0.0
            for k in range(a.shape[1]):
                s += a[i, k] * b[k, j]
            c[i, j] = s
    return c[0, 0]


def expression(x, y):
    return (x * 2.0 + y * y)[0]


def collatz(n):
    longest = 0
    start = 1
    while start < n:
        at, steps = start, 0
        while at != 1:
            at = at // 2 if at % 2 == 0 else 3 * at + 1
            steps += 1
        longest = max(longest, steps)
        start += 1
    return longest


def divisors(n):
    s = 0
    at = 1
    while at < n:
        a, b = n, at
        while b != 0:
            a, b = b, a % b
        s += a
        at += 1
    return s


def random(n):
    x, s = 88172645463325252, 0
    while n != 0:
        x ^= x << 13
        x ^= x >> 7
        x ^= x << 17
        s += x & 1
        n -= 1
    return s


def roots(n):
    s = 0.0
    value = 1.0
    while value < n:
        root = value
        while abs(root * root - value) > 1e-9 * value:
            root = 0.5 * (root + value / root)
        s += root
        value += 1.0
    return s


def searches(x, n):
    s = 0
    at = 0
    while at < n:
        low, high = 0, x.shape[0]
        wanted = (at * 7919 % 1000) / 1000.0
        while low < high:
            middle = (low + high) // 2
            if x[middle] < wanted:
                low = middle + 1
            else:
                high = middle
        s += low
        at += 1
    return s


def arguments(n):
    """For each loop what it is called with."""
    x, y = np.linspace(0.0, 1.0, n), np.ones(n)
    a, b = np.arange(n), np.zeros(n, np.int64)
    side = int(n ** 0.5)
    m, k = np.ones((side, side)), np.zeros((side, side))
    edge = int(n ** (1 / 3)) * 2
    counted = {
        total: (a,), float_total: (x,), axpy: (x, y), dot: (x, y), clip: (x, y), prefix: (x, y), stencil: (x, y),
        histogram: (a, np.zeros(256, np.int64)), backwards: (a, b), items: (a,), listed: (n,),
        rows: (np.ones((side, side), np.int64),), stencil_rows: (m, k),
        product: (np.ones((edge, edge)), np.ones((edge, edge)), np.zeros((edge, edge))), expression: (x, y),
    }
    others = {
        collatz: (n // 50,), divisors: (n // 10,), random: (n,), roots: (n // 20,), searches: (x, n // 20),
    }
    return counted, others
