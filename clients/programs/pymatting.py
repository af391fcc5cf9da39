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

    return estimate_foreground_ml(IMAGE, IMAGE[:, :, 0])


def laplacian():
    """The matting Laplacian."""
    from pymatting import cf_laplacian

    return cf_laplacian(IMAGE).toarray()
