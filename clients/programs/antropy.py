"""antropy: entropy and fractal dimensions of time series."""
import antropy
import numpy as np

X = np.random.default_rng(1).normal(size=600).cumsum()


def sample_entropy():
    """Sample entropy (a kernel with distances of all pairs)."""
    return antropy.sample_entropy(X)


def approximate_entropy():
    """Approximate entropy."""
    return antropy.app_entropy(X)


def permutation_entropy():
    """Permutation entropy."""
    return antropy.perm_entropy(X, normalize=True)


def higuchi():
    """Higuchi's fractal dimension."""
    return antropy.higuchi_fd(X)


def petrosian_and_katz():
    """Petrosian's and Katz's fractal dimensions."""
    return antropy.petrosian_fd(X), antropy.katz_fd(X)


def lempel_ziv():
    """Lempel-Ziv complexity of a text of digits."""
    return antropy.lziv_complexity((X > X.mean()).astype(int)), antropy.lziv_complexity("0110101101010", normalize=True)


def fluctuations():
    """Detrended fluctuation analysis."""
    return antropy.detrended_fluctuation(X)
