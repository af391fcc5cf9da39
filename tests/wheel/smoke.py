"""What an installed wheel does: compiles, raises, uses the library and threads, and has nothing to warn of."""
import math
import sys
import warnings

import numpy as np

warned = []
warnings.simplefilter("always")
warnings.showwarning = lambda message, *_: warned.append(str(message))

import rumba
from rumba import njit, prange, vectorize


@njit
def collatz(n):
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


@njit(parallel=True)
def roots(x):
    total = 0.0
    for i in prange(len(x)):
        total += math.sqrt(x[i])
    return total


@vectorize
def double(x):
    return x + x


@njit
def words(text):
    counts = {}
    for word in text.split():
        counts[word] = counts.get(word, 0) + 1
    return sorted(counts.items())


@njit
def solve(a, b):
    return np.linalg.solve(a, b), np.sort(b)[::-1], np.median(b)


@njit
def fail(n):
    if n > 2:
        raise ValueError("too large", n)
    return n


assert sys.prefix in rumba.__file__, rumba.__file__
assert collatz(27) == 111
# Roots of squares: their sum is exact in any order.
assert roots(np.arange(10_001.0) ** 2) == 50_005_000
assert (double(np.arange(4)) == [0, 2, 4, 6]).all()
assert words("b a b") == [("a", 1), ("b", 2)]
x, descending, median = solve(np.array([[2.0, 0.0], [0.0, 4.0]]), np.array([2.0, 4.0]))
assert x.tolist() == [1.0, 1.0] and descending.tolist() == [4.0, 2.0] and median == 3.0
try:
    fail(3)
except ValueError as error:
    assert error.args == ("too large", 3)
else:
    raise AssertionError("nothing was raised")
# What NumPy has under other names in other versions, or defines in another way.
row = np.arange(8.0)
EVERYWHERE = {
    "reshape": lambda x: x.reshape((2, 2, 2)).sum(), "seed": lambda x: np.random.seed(3), "rand": lambda x: np.random.rand(),
    "shuffle": lambda x: np.random.permutation(x).sum(), "hanning": lambda x: np.hanning(5).sum(), "std": lambda x: np.std(x),
    "default_rng": lambda x: np.random.default_rng(3).integers(0, 100), "unique": lambda x: np.unique(x).sum(), "isin": lambda x: np.isin(x, x).all(),
    "round": lambda x: np.round(x, 1)[1], "convolve": lambda x: np.convolve(x, x)[3], "astype": lambda x: x.astype(np.int8)[3],
}
SOMEWHERE = {
    "trapz": lambda x: np.trapz(x), "trapezoid": lambda x: np.trapezoid(x), "in1d": lambda x: np.in1d(x, x[:2]).sum(),
    "round_": lambda x: np.round_(x, 1)[1], "product": lambda x: np.product(x), "cumproduct": lambda x: np.cumproduct(x)[1],
    "alltrue": lambda x: np.alltrue(x), "sometrue": lambda x: np.sometrue(x), "matrix_transpose": lambda x: np.matrix_transpose(x.reshape(2, 4))[1, 1],
    "vecdot": lambda x: np.vecdot(x, x), "bitwise_count": lambda x: np.bitwise_count(7),
}
with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    for name, function in {**EVERYWHERE, **{name: function for name, function in SOMEWHERE.items() if hasattr(np, name)}}.items():
        found = njit(function)(row)
        if name in ("seed", "rand"):
            # These draw from the generator of compiled code.
            continue
        assert found == function(row), (name, found)
# The library image above all: it has to be one of this build.
assert not warned, warned
