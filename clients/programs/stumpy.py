"""stumpy: matrix profiles of time series."""
import numpy as np
import stumpy

T = np.random.default_rng(3).normal(size=120).cumsum()


def matrix_profile():
    """Nearest neighbors of all subsequences (parallel loops)."""
    found = stumpy.stump(T, m=12)
    naive = [min(np.linalg.norm(_normal(T[i:i + 12]) - _normal(T[j:j + 12]))
                 for j in range(109) if abs(i - j) > 3) for i in range(109)]
    np.testing.assert_allclose(found[:, 0].astype(float), naive, rtol=1e-6)
    return found[:, 0].astype(float)


def _normal(x):
    return (x - x.mean()) / x.std()


def without_normalization():
    """The same for plain distances."""
    return stumpy.aamp(T, m=12)[:, 0].astype(float)


def distances_to_a_query():
    """Distances of a query to all subsequences."""
    return stumpy.mass(T[30:42], T)


def as_a_stream():
    """A profile that grows."""
    stream = stumpy.stumpi(T[:100], m=12, egress=False)
    for value in T[100:]:
        stream.update(value)
    return stream.P_.astype(float)
