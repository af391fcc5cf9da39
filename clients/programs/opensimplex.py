"""opensimplex: gradient noise."""
import numpy as np
import opensimplex

opensimplex.seed(7)
LINE = np.linspace(0.0, 5.0, 12)


def in_the_plane():
    """Noise of two coordinates."""
    return opensimplex.noise2(0.3, 2.2), opensimplex.noise2array(LINE, LINE + 1)


def in_space():
    """Noise of three coordinates."""
    return opensimplex.noise3(0.3, 2.2, 1.1), opensimplex.noise3array(LINE[:5], LINE[:4], LINE[:3])


def in_four_dimensions():
    """Noise of four coordinates."""
    return opensimplex.noise4(0.3, 2.2, 1.1, -4.0), opensimplex.noise4array(LINE[:3], LINE[:4], LINE[:3], LINE[:2])
