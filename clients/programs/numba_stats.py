"""numba-stats: distributions, against SciPy."""
import numpy as np
from scipy import stats

X = np.linspace(-4.0, 6.0, 101)


def _check(ours, theirs):
    np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-13)
    return ours


def norm():
    """The normal distribution."""
    from numba_stats import norm

    _check(norm.pdf(X, 1.0, 2.0), stats.norm.pdf(X, 1, 2))
    _check(norm.logpdf(X, 1.0, 2.0), stats.norm.logpdf(X, 1, 2))
    _check(norm.cdf(X, 1.0, 2.0), stats.norm.cdf(X, 1, 2))
    return _check(norm.ppf(np.linspace(0.01, 0.99, 9), 1.0, 2.0), stats.norm.ppf(np.linspace(0.01, 0.99, 9), 1, 2))


def expon():
    """The exponential distribution."""
    from numba_stats import expon

    _check(expon.pdf(X, 0.5, 2.0), stats.expon.pdf(X, 0.5, 2))
    return _check(expon.cdf(X, 0.5, 2.0), stats.expon.cdf(X, 0.5, 2))


def uniform():
    """The uniform distribution."""
    from numba_stats import uniform

    _check(uniform.pdf(X, -1.0, 3.0), stats.uniform.pdf(X, -1, 3))
    return _check(uniform.cdf(X, -1.0, 3.0), stats.uniform.cdf(X, -1, 3))


def poisson():
    """The Poisson distribution (incomplete gamma functions of SciPy)."""
    from numba_stats import poisson

    k = np.arange(10)
    _check(poisson.pmf(k, 2.5), stats.poisson.pmf(k, 2.5))
    return _check(poisson.cdf(k, 2.5), stats.poisson.cdf(k, 2.5))


def student():
    """Student's t (functions of SciPy through their addresses)."""
    from numba_stats import t

    _check(t.pdf(X, 3.5, 0.5, 2.0), stats.t.pdf(X, 3.5, 0.5, 2))
    return _check(t.cdf(X, 3.5, 0.5, 2.0), stats.t.cdf(X, 3.5, 0.5, 2))


def truncnorm():
    """The truncated normal distribution."""
    from numba_stats import truncnorm

    # At the upper end itself the two packages differ by definition.
    x = X[np.abs(X - 2.0) > 1e-9]
    return _check(truncnorm.pdf(x, -1.0, 2.0, 0.5, 1.5), stats.truncnorm.pdf(x, -1, 1, 0.5, 1.5))


def laplace():
    """The Laplace distribution."""
    from numba_stats import laplace

    return _check(laplace.cdf(X, 0.5, 2.0), stats.laplace.cdf(X, 0.5, 2))


def crystalball():
    """The crystal ball function."""
    from numba_stats import crystalball

    return _check(crystalball.pdf(X, 1.5, 3.0, 0.5, 1.2), stats.crystalball.pdf(X, 1.5, 3, 0.5, 1.2))


def voigt():
    """The Voigt profile."""
    from numba_stats import voigt
    from scipy.special import voigt_profile

    return _check(voigt.pdf(X, 0.7, 0.5, 1.2), voigt_profile(X - 0.5, 1.2, 0.7))
