"""`numba.core.runtime.nrt`."""
from ..._missing import missing

__getattr__ = missing(__name__, {"MemInfo": "rumba._rumba", "rtsys": "rumba.nrt_stats"})
