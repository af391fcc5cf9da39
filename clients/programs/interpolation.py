"""interpolation: splines on grids."""
import numpy as np


def linear():
    """Linear interpolation."""
    from interpolation import interp

    x = np.linspace(0, 1, 20) ** 2
    at = np.linspace(0, 1, 33)
    np.testing.assert_allclose(interp(x, np.sin(5 * x), at), np.interp(at, x, np.sin(5 * x)), atol=1e-12)


def splines():
    """Cubic splines on a regular grid."""
    from interpolation.splines import CubicSpline

    grid = np.linspace(-1, 1, 15)
    return CubicSpline([-1.0], [1.0], [15], np.exp(grid))(np.linspace(-0.9, 0.9, 11)[:, None])


def on_a_grid():
    """Multilinear interpolation by a compiled function that was made for the grid."""
    from interpolation.splines import UCGrid, eval_linear

    grid = UCGrid((0.0, 1.0, 10), (0.0, 1.0, 12))
    return eval_linear(grid, np.random.default_rng(0).random((10, 12)), np.random.default_rng(1).random((20, 2)))
