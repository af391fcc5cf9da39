"""numbagg: moving and grouped functions (vectorize and guvectorize)."""
import numbagg
import numpy as np

X = np.random.default_rng(0).random((4, 50))
X[X < 0.1] = np.nan


def _check(found, expected):
    np.testing.assert_allclose(found, expected, rtol=1e-9)
    return found


def sums():
    """Sums and means without NaN, along axes."""
    _check(numbagg.nansum(X, axis=1), np.nansum(X, axis=1))
    return _check(numbagg.nanmean(X, axis=0), np.nanmean(X, axis=0))


def extremes():
    """Extremes and where they are."""
    _check(numbagg.nanmax(X, axis=1), np.nanmax(X, axis=1))
    return _check(numbagg.nanargmin(X, axis=1), np.nanargmin(X, axis=1))


def spread():
    """Standard deviation."""
    return _check(numbagg.nanstd(X, axis=1), np.nanstd(X, axis=1, ddof=1))


def moving():
    """Moving means and standard deviations."""
    return numbagg.move_mean(X, window=5, min_count=2), numbagg.move_std(X, window=5, min_count=3)


def exponential():
    """Exponentially weighted moving means."""
    return numbagg.move_exp_nanmean(X, alpha=0.3)


def grouped():
    """Means by group."""
    return numbagg.group_nanmean(X, np.arange(50) % 3, axis=1)


def filled():
    """NaN filled from the left."""
    return numbagg.ffill(X), numbagg.bfill(X)
