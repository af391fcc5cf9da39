"""Functions that test_ahead builds into a module: plain Python, for which the child process has an oracle.

`SIGNATURES` says what each is built for, `CASES` gives the arguments of calls as functions that make them anew.
"""
import math

import numpy as np

try:
    from rumba import njit, prange
except ImportError:
    def njit(*args, **options):
        return args[0] if args and callable(args[0]) else lambda function: function

    prange = range

WEIGHTS = np.array([0.5, 0.25, 0.125])
GRID = np.arange(12.0).reshape(3, 4) / 7
MIXED = GRID[::-1, ::2]
SCALE = 3


def add(a, b):
    return a + b


def scaled(x, factor=2.5, *, shift=1):
    """Doc of scaled."""
    return x * factor * SCALE + shift


def halves(a):
    return a * 0.5 + np.sqrt(a), a.astype(np.float32)


def nothing(flag):
    if flag:
        return None
    return 1.5


def maybe(x):
    return -1.0 if x is None else x * 2


def divide(a, b):
    return a / b


def check(n):
    if n > 3:
        raise ValueError("too large", n)
    if n < 0:
        raise KeyError(f"negative: {n}")
    return n


def total(a):
    result = 0.0
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            result = result * 0.5 + a[i, j]
    return result


def fill(out, value):
    for i in range(out.size):
        out[i] = value * i


def made(n):
    return np.arange(n) * 0.5


def view(a):
    return a[1:-1]


def same(a):
    return a


def pair(t):
    a, (b, c) = t
    return (c, b + a), -a


def greet(name):
    return "héllo " + name.upper() + "!"


def words(text):
    return len(text.split()), text.replace("a", "€")


@njit
def helper(n):
    return 1 if n < 2 else helper(n - 1) + helper(n - 2)


def fibonacci(n):
    return helper(n)


def library(a):
    return np.sort(a), np.cumsum(a), np.median(a), math.erf(a[0]), np.argsort(a)


def solve(a, b):
    return np.linalg.solve(a, b)


def product(a, b):
    return a @ b


def squares(n):
    return [i * i for i in range(n)]


def append(items):
    items.append(items[0] + 1.5)
    return len(items)


def counts(n):
    found = {}
    for i in range(n):
        found[i % 3] = found.get(i % 3, 0) + 1
    return found[0], found[1]


def draws(seed):
    np.random.seed(seed)
    return np.random.random(), np.random.normal()


def mixed(i, j):
    return MIXED[i, j]


def weighted(a):
    result = 0.0
    for i in range(3):
        result += a[i] * WEIGHTS[i]
    return result


def table():
    return GRID


@njit(parallel=True)
def spread(a):
    result = 0
    for i in prange(a.size):
        result += a[i] * i
    return result


def shown(n, a):
    print("shown", n, a, (n, 1.5), None, "é", sep="|")
    print(a.sum(), [n, n])


def spin(n):
    result = 0
    for i in range(n):
        result = result * 3 ^ i
    return result


def inverse(z):
    return 1 / z


def bits(a, b):
    return (a << 3) ^ b


SIGNATURES = {
    "halves": ["Tuple((float16[::1], float32[::1]))(float16[::1])"],
    "add": ["int64(int64, int64)", "float64(float64, float64)", "complex128(complex128, complex128)",
            "float64[::1](float64[::1], float64[::1])"],
    "scaled": ["float64(float64, float64, int64)"],
    "nothing": ["optional(float64)(boolean)"],
    "maybe": ["float64(optional(float64))"],
    "divide": ["float64(float64, float64)"],
    "check": ["int64(int64)"],
    "total": ["float64(float64[:, ::1])", "float64(float64[:, :])", "float64(int32[::1, :])"],
    "fill": ["void(float64[:], float64)"],
    "made": ["float64[::1](int64)"],
    "view": ["int32[:](int32[:])"],
    "same": ["float64[:](float64[:])"],
    "pair": ["Tuple((Tuple((float64, int64)), int64))(Tuple((int64, Tuple((int64, float64)))))"],
    "greet": ["unicode_type(unicode_type)"],
    "words": ["Tuple((int64, unicode_type))(unicode_type)"],
    "fibonacci": ["int64(int64)"],
    "library": ["(float64[::1],)"],
    "solve": ["float64[::1](float64[:, ::1], float64[::1])"],
    "product": ["float64[:, ::1](float64[:, ::1], float64[:, ::1])"],
    "squares": ["List(int64, True)(int64)"],
    "append": ["int64(List(float64, True))"],
    "counts": ["(int64,)"],
    "draws": ["(int64,)"],
    "weighted": ["float64(float64[::1])"],
    "table": [()],
    "mixed": ["float64(int64, int64)"],
    "spread": ["int64(int64[::1])"],
    "shown": ["void(int64, float64[::1])"],
    "spin": ["int64(int64)"],
    "inverse": ["complex128(complex128)"],
    "bits": ["uint8(uint8, uint8)"],
}

CASES = {
    "halves": [lambda: (np.array([0.1, 1.5, 2.25, 65504], "f2"),), lambda: (np.empty(0, "f2"),)],
    "add": [lambda: (1, 2), lambda: (1.5, 2), lambda: (1j, 2.0), lambda: (np.float64(2), np.float32(1.5)),
            lambda: (np.array([1.0, 2.0]), np.array([0.5, -0.0])), lambda: (2**63 - 1, 0), lambda: (True, 2)],
    "scaled": [lambda: (2.0,), lambda: (2.0, 4.0), lambda: ((1.0,), {"shift": 7}), lambda: ((), {"factor": 1.0, "x": 3.0}),
               lambda: (), lambda: (1.0, 2.0, 3.0), lambda: ((1.0,), {"what": 1}), lambda: ((1.0,), {"x": 1})],
    "nothing": [lambda: (True,), lambda: (False,)],
    "maybe": [lambda: (None,), lambda: (2.5,)],
    "divide": [lambda: (1.0, 3.0), lambda: (1.0, 0.0), lambda: (-0.0, 5.0), lambda: (math.inf, math.inf)],
    "check": [lambda: (2,), lambda: (4,), lambda: (-1,)],
    "total": [lambda: (GRID,), lambda: (GRID[:, ::2],), lambda: (GRID[::-1],), lambda: (np.asfortranarray(GRID * 70, np.int32),)],
    "fill": [lambda: (np.zeros(4), 1.5), lambda: (np.zeros(8)[::-2], -2.0)],
    "made": [lambda: (0,), lambda: (5,)],
    "view": [lambda: (np.arange(6, dtype=np.int32),), lambda: (np.arange(9, dtype=np.int32)[::-2],)],
    "pair": [lambda: ((1, (2, 0.25)),)],
    "greet": [lambda: ("wörld",), lambda: ("",), lambda: ("日本",)],
    "words": [lambda: ("a b  c",), lambda: ("banana",)],
    "fibonacci": [lambda: (12,)],
    "library": [lambda: (np.array([0.5, -3.0, 2.0, math.inf, 1e-9]),)],
    "solve": [lambda: (np.array([[2.0, 1.0], [1.0, 3.0]]), np.array([1.0, 2.0]))],
    "product": [lambda: (np.arange(9.0).reshape(3, 3), np.arange(3.0, 12.0).reshape(3, 3))],
    "squares": [lambda: (4,), lambda: (0,)],
    "append": [lambda: ([1.0, 2.0],)],
    "counts": [lambda: (10,)],
    "draws": [lambda: (42,)],
    "weighted": [lambda: (np.array([1.0, 2.0, 3.5]),)],
    "table": [lambda: ()],
    "mixed": [lambda: (0, 1), lambda: (2, 0)],
    "spread": [lambda: (np.arange(100_001),), lambda: (np.arange(0),)],
    "shown": [lambda: (7, np.array([1.5, -2.0]))],
    "inverse": [lambda: (2 + 1j,), lambda: (0j,)],
}
