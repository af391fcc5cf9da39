"""`numba.core.runtime.nrt`."""
from ....nrt_stats import rtsys
from ..._missing import missing

__getattr__ = missing(__name__)
