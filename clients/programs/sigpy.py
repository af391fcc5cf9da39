"""sigpy: signal reconstruction."""
import numpy as np
import sigpy

draw = np.random.default_rng(0)


def interpolate():
    """Interpolation of a grid at scattered places."""
    return sigpy.interpolate(draw.random((20, 20)), draw.random((50, 2)) * 19, kernel="spline", width=2)


def gridding():
    """The adjoint of interpolation."""
    return sigpy.gridding(draw.random(50) + 1j, draw.random((50, 2)) * 19, (20, 20), kernel="kaiser_bessel", width=3, param=5.0)


def nonuniform_fourier():
    """A Fourier transform at scattered frequencies."""
    return sigpy.nufft(draw.random((16, 16)) + 0j, (draw.random((40, 2)) - 0.5) * 16)


def blocks():
    """Blocks of an array, and the array of its blocks."""
    found = sigpy.array_to_blocks(draw.random((12, 12)), (4, 4), (2, 2))
    return found, sigpy.blocks_to_array(found, (12, 12), (4, 4), (2, 2))
