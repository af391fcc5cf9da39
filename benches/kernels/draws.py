"""Random numbers, one by one in loops and as arrays. `KERNELS` says what each is called with.

Each takes the package's `njit`, so that Rumba and Numba compile the same text, and gives the function to call.
"""
import random

import numpy as np


def _in_a_loop(expression):
    """What makes a compiled function that adds up what an expression draws."""
    text = f"def run(n):\n    total = 0.0\n    for i in range(n):\n        total += {expression}\n    return total"
    return _made(text)


def _at_once(expression):
    """What makes a compiled function that gives an array."""
    return _made(f"def run(n):\n    return {expression}")


def _of_a_generator(expression):
    """The same of a Generator `g`."""
    return _made(f"def run(n, g):\n    total = 0.0\n    for i in range(n):\n        total += {expression}\n    return total")


def _made(text):
    def make(njit):
        scope = {"np": np, "random": random}
        exec(text, scope)
        return njit(scope["run"])
    return make


_MANY = 1_000_000


def _count():
    return (_MANY,), (8,)


def _generator():
    return (_MANY, np.random.default_rng(1)), (8, np.random.default_rng(1))


def _row(make, arguments):
    return make, lambda: arguments()[0], lambda: arguments()[1]


KERNELS = {
    "random": _row(_in_a_loop("np.random.random()"), _count),
    "uniform": _row(_in_a_loop("np.random.uniform(-1.0, 1.0)"), _count),
    "normal": _row(_in_a_loop("np.random.normal()"), _count),
    "randint": _row(_in_a_loop("np.random.randint(0, 100)"), _count),
    "exponential": _row(_in_a_loop("np.random.exponential(2.0)"), _count),
    "gamma": _row(_in_a_loop("np.random.gamma(2.5, 1.0)"), _count),
    "poisson": _row(_in_a_loop("np.random.poisson(4.0)"), _count),
    "choice": _row(_in_a_loop("np.random.choice(9)"), _count),
    "python_random": _row(_in_a_loop("random.random()"), _count),
    "python_randrange": _row(_in_a_loop("random.randrange(10)"), _count),
    "python_gauss": _row(_in_a_loop("random.gauss(0.0, 1.0)"), _count),
    "randoms": _row(_at_once("np.random.random(n)"), _count),
    "normals": _row(_at_once("np.random.normal(0.0, 1.0, n)"), _count),
    "randints": _row(_at_once("np.random.randint(0, 100, n)"), _count),
    "permutation": _row(_at_once("np.random.permutation(n)"), _count),
    "generator_random": _row(_of_a_generator("g.random()"), _generator),
    "generator_normal": _row(_of_a_generator("g.standard_normal()"), _generator),
    "generator_integers": _row(_of_a_generator("g.integers(0, 100)"), _generator),
    "generator_exponential": _row(_of_a_generator("g.standard_exponential()"), _generator),
}
