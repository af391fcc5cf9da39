"""`numba.core.unsafe.refcount`."""
from ..._missing import missing

__getattr__ = missing(__name__, {"dump_refcount": "rumba.unsupported", "get_refcount": "rumba.refcount"})
