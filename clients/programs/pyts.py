"""pyts: time series to features."""
import numpy as np

X = np.random.default_rng(0).normal(size=(8, 60)).cumsum(axis=1)


def time_warping():
    """Dynamic time warping."""
    from pyts.metrics import dtw, sakoe_chiba_band

    return dtw(X[0], X[1]), dtw(X[0], X[1], method="sakoechiba", options={"window_size": 5}), sakoe_chiba_band(60, window_size=3)


def piecewise_means():
    """Means of pieces, and words of them."""
    from pyts.approximation import PiecewiseAggregateApproximation, SymbolicAggregateApproximation

    return (PiecewiseAggregateApproximation(window_size=7, overlapping=True).transform(X),
            SymbolicAggregateApproximation(n_bins=4, strategy="normal").transform(X).tolist())


def pictures():
    """Markov transition fields."""
    from pyts.image import MarkovTransitionField

    return MarkovTransitionField(image_size=12, n_bins=4).transform(X)


def rocket():
    """Random convolutional kernels."""
    from pyts.transformation import ROCKET

    return ROCKET(n_kernels=20, kernel_sizes=(5, 7), random_state=3).fit_transform(X)
