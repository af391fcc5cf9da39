"""`numba.core.unsafe.refcount`."""
from ..._missing import missing

__getattr__ = missing(__name__, {"dump_refcount": "rumba.pending", "get_refcount": "rumba.unsafe_memory"})
