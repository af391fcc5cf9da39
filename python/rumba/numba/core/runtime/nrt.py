"""`numba.core.runtime.nrt`."""
from ..._missing import missing

__getattr__ = missing(__name__, {"rtsys": "rumba.nrt_stats"})
