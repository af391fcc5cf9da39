"""`numba.core.serialize`."""
from ...serialize import dumps, loads
from .._missing import missing

__getattr__ = missing(__name__)
