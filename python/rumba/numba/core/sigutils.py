"""`numba.core.sigutils`."""
from ...types.signature import is_signature, normalize_signature
from .._missing import missing

__getattr__ = missing(__name__)
