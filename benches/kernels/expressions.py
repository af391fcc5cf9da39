"""Seventeen expressions over whole arrays. `KERNELS` says what each is called with.

Each takes the package's `njit`, so that Rumba and Numba compile the same text, and gives the function to call.
"""
import numpy as np


def _uniform(*shape, dtype=np.float64):
    return (np.random.default_rng(7).random(shape) + 0.5).astype(dtype)


def _kernel(function):
    """What compiles a function anew each time."""
    return lambda njit: njit(_copy(function))


def _copy(function):
    return type(function)(function.__code__.replace(), function.__globals__, function.__name__)


def axpy(a, b):
    return a * 2.5 + b


def polynomial(a):
    return a * a * a + 2 * a * a + 3 * a + 4


def distance(a, b, c):
    return np.sqrt(a * a + b * b + c * c)


def compare(a, b):
    return (a > 0.7) & (b < 1.2) | (a == b)


def exponential(a, b):
    return np.exp(-a) * b


def row(m, r):
    return (m - r) * 2


def column(m, c):
    return (m - c) * 2


def neighbors(a):
    return a[1:] - a[:-1]


def laplace(m):
    return m[1:-1, 1:-1] * 4 - m[:-2, 1:-1] - m[2:, 1:-1] - m[1:-1, :-2] - m[1:-1, 2:]


def strided(a, b):
    return a[::2] * b[::2] + 1


def single(a, b):
    return a * b + a


def integers(a, b):
    return a * 3 + (b ^ a) - (a >> 2)


def extremes(a, b, c):
    return np.maximum(a, b) - np.minimum(a, c)


def long(a, b, c):
    return a + b - c * a / b + a * b - c + a * c - b / a + c * c


def choice(a, b):
    return np.where(a > b, a - b, b * 2)


def in_place(a, b, c):
    a += b * c
    a -= b * c


def store(m, n):
    m[1:-1] = m[1:-1] * 0.5 + n[1:-1]


_MANY = 1_000_000


def _vectors(count, dtype=np.float64):
    return (lambda: tuple(_uniform(_MANY, dtype=dtype) * (i + 1) for i in range(count)),
            lambda: tuple(_uniform(8, dtype=dtype) * (i + 1) for i in range(count)))


KERNELS = {
    "axpy": (_kernel(axpy), *_vectors(2)),
    "polynomial": (_kernel(polynomial), *_vectors(1)),
    "distance": (_kernel(distance), *_vectors(3)),
    "compare": (_kernel(compare), *_vectors(2)),
    "exponential": (_kernel(exponential), *_vectors(2)),
    "row": (_kernel(row), lambda: (_uniform(1000, 1000), _uniform(1000)), lambda: (_uniform(3, 3), _uniform(3))),
    "column": (_kernel(column), lambda: (_uniform(1000, 1000), _uniform(1000, 1)),
               lambda: (_uniform(3, 3), _uniform(3, 1))),
    "neighbors": (_kernel(neighbors), *_vectors(1)),
    "laplace": (_kernel(laplace), lambda: (_uniform(1000, 1000),), lambda: (_uniform(4, 4),)),
    "strided": (_kernel(strided), *_vectors(2)),
    "single": (_kernel(single), *_vectors(2, np.float32)),
    "integers": (_kernel(integers), *_vectors(2, np.int64)),
    "extremes": (_kernel(extremes), *_vectors(3)),
    "long": (_kernel(long), *_vectors(3)),
    "choice": (_kernel(choice), *_vectors(2)),
    "in_place": (_kernel(in_place), *_vectors(3)),
    "store": (_kernel(store), lambda: (_uniform(1000, 1000), _uniform(1000, 1000)),
              lambda: (_uniform(4, 4), _uniform(4, 4))),
}
