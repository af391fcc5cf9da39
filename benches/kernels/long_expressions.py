"""Expressions of 25 to 400 operators over four arrays: what counts is the time that compiling takes by their number. (At 800 Numba stops
with a RecursionError.)

Each takes the package's `njit`, so that Rumba and Numba compile the same text, and gives the function to call.
"""
import random

import numpy as np

_COUNTS = (25, 50, 100, 200, 400)


def _arrays(size):
    return lambda: tuple(np.random.default_rng(7).random((4, size)) + 0.5)


def _row(count):
    draw = random.Random(count)
    rest = "".join(f" {draw.choice('+-*')} {draw.choice('abcd')}" for _ in range(count))
    source = f"def long(a, b, c, d):\n    return a{rest}"

    def make(njit):
        scope = {}
        exec(source, scope)
        return njit(scope["long"])
    return make, _arrays(10_000), _arrays(64)


KERNELS = {f"operators_{count}": _row(count) for count in _COUNTS}
