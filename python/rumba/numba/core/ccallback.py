"""`numba.core.ccallback`."""
from ...callbacks import CFunc
from .._missing import missing

__getattr__ = missing(__name__)
