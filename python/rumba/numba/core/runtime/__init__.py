"""`numba.core.runtime`."""
from . import nrt
from ..._missing import missing

__getattr__ = missing(__name__, {"rtsys": "rumba.nrt_stats", "_nrt_python": f"{__name__}._nrt_python:*"})
