"""`numba.core.ccallback`."""
from ...c_interop.callbacks import CFunc
from .._missing import missing

__getattr__ = missing(__name__)
