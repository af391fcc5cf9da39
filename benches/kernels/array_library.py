"""Forty uses of the array library over 10^6 items. `KERNELS` says what each is called with.

Each takes the package's `njit`, so that Rumba and Numba compile the same text, and gives the function to call; without one it is
NumPy's. Linear algebra is done to matrices of 200 rows.
"""
import functools

import numpy as np

_MANY = 1_000_000

_TEXTS = {
    # Expressions.
    "axpy": "a * 2.5 + b",
    "polynomial": "a * a * a + 2 * a * a + 3 * a + 4",
    "compare": "(a > 0.7) & (b < 1.2) | (a == b)",
    "integers": "i * 3 + (j ^ i) - (i >> 2)",
    "column": "(m - m[:, :1]) * 2",
    "choose": "np.where(a > b, a, b * 2)",
    # Expressions with transcendental functions.
    "gauss": "np.exp(-a * a) * b",
    "circle": "np.sin(a) * np.cos(b)",
    "entropy": "a * np.log(p)",
    "power": "p ** 2.5",
    "logistic": "1 / (1 + np.exp(-a))",
    # Reductions.
    "sum": "np.sum(a)",
    "sum_rows": "np.sum(m, axis=1)",
    "sum_columns": "np.sum(m, axis=0)",
    "sum_product": "np.sum(a * b)",
    "std": "np.std(a)",
    "max": "np.max(a)",
    "argmax": "np.argmax(a)",
    "any": "np.any(a > 9.0)",
    # Cumulative.
    "cumsum": "np.cumsum(a)",
    "cumprod": "np.cumprod(p)",
    "diff": "np.diff(a)",
    # Sorting.
    "sort": "np.sort(a)",
    "argsort": "np.argsort(a)",
    "median": "np.median(a)",
    "partition": "np.partition(a, n // 10)",
    "unique": "np.unique(j)",
    # Searching.
    "searchsorted": "np.searchsorted(o, a)",
    "nonzero": "np.nonzero(a > 0.7)[0]",
    "mask": "a[a > 0.7]",
    "bincount": "np.bincount(j)",
    "interp": "np.interp(a, x, y)",
    # Linear algebra.
    "matmul": "s @ s",
    "matrix_vector": "m @ v",
    "solve": "np.linalg.solve(s, w)",
    "eigh": "np.linalg.eigh(s)",
    # Random numbers.
    "random": "np.random.random(n)",
    "normal": "np.random.normal(0.0, 1.0, n)",
    "randint": "np.random.randint(0, 100, n)",
    "generator_normal": "g.standard_normal(n)",
}


@functools.cache
def _pool(size):
    """All that a text may name."""
    random = np.random.default_rng(7)
    side = int(size ** 0.5)
    square = random.standard_normal((min(side, 200),) * 2)
    a = random.standard_normal(size)
    knots = np.linspace(-3.0, 3.0, 100)
    return {"a": a, "b": random.standard_normal(size), "p": random.random(size) + 0.5, "o": np.sort(a),
            "m": random.standard_normal((side, side)), "v": random.standard_normal(side),
            "i": random.integers(-1000, 1000, size), "j": random.integers(0, 1000, size), "x": knots, "y": np.cos(knots),
            "s": square @ square.T + np.eye(len(square)), "w": random.standard_normal(len(square)),
            "n": size, "g": np.random.default_rng(1)}


def _row(name, text):
    used = [one for one in compile(text, name, "eval").co_names if one in _pool(4)]
    source = f"def {name}({', '.join(used)}):\n    return {text}"

    def make(njit):
        scope = {"np": np}
        exec(source, scope)
        return njit(scope[name])

    def arguments(size):
        pool = _pool(size)
        return tuple(pool[one] for one in used)
    return make, lambda: arguments(_MANY), lambda: arguments(64)


KERNELS = {name: _row(name, text) for name, text in _TEXTS.items()}
