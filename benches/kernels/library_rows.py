"""Calls of the library that programs make row by row or one by one. `CLASSES` says what each is called with.

The functions are plain Python; benches/hand_written.py compiles them with each package.
"""
import math
import random

import numpy as np


def covariance(a):
    return np.cov(a)


def correlation(a):
    return np.corrcoef(a)


def counts_of_bins(x):
    return np.histogram(x, 50)[0]


def nditer_of_two(a, b):
    s = 0.0
    for x, y in np.nditer((a, b)):
        s += x.item() * y.item()
    return s


def flat_items(a):
    s = 0.0
    for i in range(a.size):
        s += a.flat[i]
    return s


def sums_of_columns(a):
    return np.sum(a, axis=1)


def sums_of_rows(a):
    return np.sum(a, axis=0)


def complex_exponentials(z, out):
    for i in range(len(z)):
        out[i] = np.exp(z[i])


def signs(x, out):
    for i in range(len(x)):
        out[i] = np.sign(x[i])


def signs_of_array(x):
    return np.sign(x)


def float_remainders(x, y, out):
    for i in range(len(x)):
        out[i] = x[i] % y[i]


def log_gammas(x, out):
    for i in range(len(x)):
        out[i] = math.lgamma(x[i])


def powers_of_two_variables(x, y, out):
    for i in range(len(x)):
        out[i] = x[i] ** y[i]


def single_exponentials(x, out):
    for i in range(len(x)):
        out[i] = np.exp(x[i])


def single_logarithms(x, out):
    for i in range(len(x)):
        out[i] = np.log(x[i])


def one_exponential(x, n):
    for i in range(n):
        x = math.exp(-x)
    return x


def one_logarithm(x, n):
    for i in range(n):
        x = math.log(x + 2.0)
    return x


def united(a, b):
    return np.union1d(a, b)


def intersected(a, b):
    return np.intersect1d(a, b)


def set_algebra(a, b):
    s, t = set(a), set(b)
    return len(s | t) + len(s & t) - len(s - t) + len(s ^ t)


def list_of_zeros(n):
    return [0] * n


def random_bits(n):
    random.seed(3)
    s = 0
    for i in range(n):
        s += random.getrandbits(16)
    return s


def normals_one_by_one(rng, n):
    s = 0.0
    for i in range(n):
        s += rng.normal()
    return s != 0.0


def convolved(x, w):
    return np.convolve(x, w)


def _uniform(*shape, seed=1):
    return np.random.default_rng(seed).random(shape) + 0.5


def _two(n=2000):
    return _uniform(n), _uniform(n, seed=2), np.zeros(n)


def _numbers(seed):
    return np.random.default_rng(seed).integers(0, 3000, 1500)


CLASSES = {
    "library calls": {
        covariance: lambda: (_uniform(20, 300),), correlation: lambda: (_uniform(20, 300),), counts_of_bins: lambda: (_uniform(3000),),
        nditer_of_two: lambda: (_uniform(40, 40), _uniform(40, 40, seed=2)), flat_items: lambda: (_uniform(40, 40),),
        sums_of_columns: lambda: (_uniform(3000, 1),), sums_of_rows: lambda: (_uniform(1, 3000),),
        complex_exponentials: lambda: (_uniform(1000) + 1j * _uniform(1000, seed=2), np.zeros(1000, np.complex128)),
        signs: lambda: (_uniform(3000) - 1.0, np.zeros(3000)), signs_of_array: lambda: (_uniform(3000) - 1.0,),
        float_remainders: _two, log_gammas: lambda: (_uniform(1000) * 5.0, np.zeros(1000)),
        powers_of_two_variables: _two,
        single_exponentials: lambda: (_uniform(2000).astype(np.float32), np.zeros(2000, np.float32)),
        single_logarithms: lambda: (_uniform(2000).astype(np.float32), np.zeros(2000, np.float32)),
        one_exponential: lambda: (0.3, 1000), one_logarithm: lambda: (0.3, 1000),
        united: lambda: (_numbers(1), _numbers(2)), intersected: lambda: (_numbers(1), _numbers(2)),
        set_algebra: lambda: (_numbers(1), _numbers(2)),
        list_of_zeros: lambda: (1000,), random_bits: lambda: (2000,),
        normals_one_by_one: lambda: (np.random.default_rng(1), 1000),
        convolved: lambda: (_uniform(2000), _uniform(9)),
    },
}
