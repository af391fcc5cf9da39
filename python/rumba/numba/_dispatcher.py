"""`numba._dispatcher`."""
from ..fingerprints import compute_fingerprint  # noqa: F401
from ._missing import missing

__getattr__ = missing(__name__)
