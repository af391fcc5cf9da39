"""PyTensor: its backend for Numba, which generates LLVM's text for loops. Without the compiler it does not run, so each program compares with PyTensor's
own interpretation of the graph."""
import os
import tempfile

os.environ.setdefault("PYTENSOR_FLAGS", f"base_compiledir={tempfile.gettempdir()}/pytensor")

import numpy as np
import pytensor
import pytensor.sparse as sparse
import pytensor.tensor as pt
import scipy.sparse
from numba import config

_INTERPRETED = pytensor.compile.mode.Mode(linker="py", optimizer=None)
_RNG = np.random.default_rng(1)


def _checked(inputs, outputs, *values):
    expected = pytensor.function(inputs, outputs, mode=_INTERPRETED)(*values)
    found = expected if config.DISABLE_JIT else pytensor.function(inputs, outputs, mode="NUMBA")(*values)
    for one, other in zip(found, expected):
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-12)
    return [float(np.sum(one)) for one in found]


def elementwise():
    """A fused expression over arrays that are broadcast, with SciPy's functions."""
    x, y = pt.dmatrix("x"), pt.dvector("y")
    return _checked([x, y], [pt.exp(-x * y) + pt.sqr(y), pt.gammaln(x + y), pt.switch(x > y, x, pt.erf(y))],
                    _RNG.random((30, 20)), _RNG.random(20))


def gradient():
    """The gradient of a logistic regression."""
    weights, points, labels = pt.dvector("w"), pt.dmatrix("x"), pt.dvector("y")
    chance = pt.sigmoid(points @ weights)
    loss = -(labels * pt.log(chance) + (1 - labels) * pt.log(1 - chance)).mean() + 0.1 * (weights**2).sum()
    return _checked([weights, points, labels], [loss, pt.grad(loss, weights)],
                    _RNG.normal(size=5), _RNG.normal(size=(200, 5)), _RNG.integers(0, 2, 200).astype(float))


def loop():
    """A recurrence, and its gradient."""
    start, rate = pt.dscalar("start"), pt.dscalar("rate")
    steps = pytensor.scan(lambda x, r: r * x * (1 - x), outputs_info=[start], non_sequences=[rate], n_steps=25, return_updates=False)
    return _checked([start, rate], [steps, pt.grad(steps[-1], rate)], 0.3, 3.2)


def systems():
    """Cholesky, triangular and symmetric systems through SciPy's LAPACK."""
    matrix, right = pt.dmatrix("a"), pt.dvector("b")
    root = pt.linalg.cholesky(matrix)
    value = _RNG.normal(size=(12, 12))
    return _checked([matrix, right], [root, pt.linalg.solve_triangular(root, right, lower=True), pt.linalg.solve(matrix, right, assume_a="pos"),
                                      pt.linalg.slogdet(matrix)[1]], value @ value.T + 12 * np.eye(12), _RNG.normal(size=12))


def updates():
    """Items and slices that are set and added to."""
    x, at = pt.dmatrix("x"), pt.lvector("at")
    return _checked([x, at], [x[at, 1:].sum(axis=0), x[1:3, ::2].set(7.0), x[at].inc(0.5)], _RNG.random((6, 5)), np.array([3, 0, 3, 5]))


def sparse_product():
    """A sparse matrix times a dense one."""
    left, right = sparse.csr_matrix("left", dtype="float64"), pt.dmatrix("right")
    return _checked([left, right], [sparse.structured_dot(left, right)],
                    scipy.sparse.random(20, 15, 0.3, "csr", rng=np.random.default_rng(2)), _RNG.random((15, 4)))
