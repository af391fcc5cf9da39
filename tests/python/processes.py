"""What test_processes.py sends to other processes. Workers import this module, or get it by value."""
import os

import numpy as np
from rumba import njit
from rumba.numba import cfunc, guvectorize, stencil, types, vectorize
from rumba.typed import Dict, List, Set

A = np.arange(12.0).reshape(3, 4)


@njit(cache=True)
def plain(x):
    return x * 2 + 1


@njit(cache=True)
def shared(x):
    total = 0.0
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            total += x[i, j] * j
    return x + total


@vectorize
def elementwise(a, b):
    return a * 2 + b


@vectorize(["float64(float64, float64)"])
def elementwise_fixed(a, b):
    return a - b / 3


@guvectorize(["void(float64[:], float64[:])"], "(n)->()", cache=True)
def row_total(row, out):
    out[0] = 0.0
    for value in row:
        out[0] += value


@stencil
def neighbours(a):
    return a[-1] + a[1]


def closure(k):
    @njit
    def inner(x):
        return x * k + plain(x)

    return inner


def things():
    """Name -> what travels, and arguments that it is called with there."""
    scaled = njit(lambda x: np.exp(-x) * 3)
    fixed = njit("float64(float64)")(lambda x: x / 2)

    @njit(locals={"y": types.float32})
    def narrow(x):
        y = x * 1.1
        return y

    @njit
    def squares(n):
        for i in range(n):
            yield i * i

    @njit
    def by_ufunc(a):
        return elementwise(a, 2.0) + row_total(a).sum()

    @cfunc("float64(float64)")
    def callback(x):
        return x * 3

    own = vectorize(lambda a, b: a % b)
    numbers, table, seen = List([1.5, 2.5]), Dict.empty(types.int64, types.float64), Set.empty(types.int64)
    table[3] = 4.5
    seen.add(7)
    return {
        "plain": (plain, (3,)), "closure": (closure(5), (4,)), "lambda": (scaled, (A,)), "signature": (fixed, (3,)),
        "locals": (narrow, (0.3,)), "generator": (squares, (5,)), "calls of ufuncs": (by_ufunc, (A,)),
        "ufunc": (elementwise, (A, A)), "ufunc of signatures": (elementwise_fixed, (A, 2)), "own ufunc": (own, (A, 5)),
        "gufunc": (row_total, (A,)), "stencil": (neighbours, (A[0],)), "callback": (callback, (2.0,)),
        "list": (sum, (numbers,)), "dict": (sorted, (table,)), "set": (len, (seen,)),
    }


def call(function, arguments):
    """What a call gives, as plain values with their type."""
    got = function(*arguments)
    if hasattr(got, "__next__"):
        got = list(got)
    got = np.asarray(got)
    return got.dtype.str, got.tolist()


def hits_and_misses(function):
    """What the cache had of a function in this process."""
    stats = getattr(function, "_dispatcher", function).stats
    return os.getpid(), sum(stats.cache_hits.values()), sum(stats.cache_misses.values())


def end_once(marker, x):
    """Ends its process without a word the first time."""
    try:
        os.close(os.open(marker, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return float(plain(x))
    os._exit(9)
