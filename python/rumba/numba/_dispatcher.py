"""`numba._dispatcher`."""
from ..dispatch.fingerprints import compute_fingerprint  # noqa: F401
from ._missing import missing

__getattr__ = missing(__name__)
