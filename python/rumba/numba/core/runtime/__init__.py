"""`numba.core.runtime`."""
from ....nrt_stats import rtsys
from . import _nrt_python, nrt
from ..._missing import missing

__getattr__ = missing(__name__)
