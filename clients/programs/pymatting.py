"""pymatting: transparency of images."""
import numpy as np

IMAGE = np.random.default_rng(0).random((20, 24, 3))


def box_filter():
    """Sums over boxes."""
    from pymatting.util.boxfilter import boxfilter

    return boxfilter(IMAGE[:, :, 0], 2)


def foreground():
    """Foreground colors by the multi-level method."""
    from pymatting import estimate_foreground_ml

    # A single times a Python float is a double in compiled code, as in Numba, and a single in NumPy: they agree to six digits.
    return np.round(estimate_foreground_ml(IMAGE, IMAGE[:, :, 0]).astype(np.float64), 3)


def laplacian():
    """The matting Laplacian."""
    from pymatting import cf_laplacian

    return cf_laplacian(IMAGE).toarray()
