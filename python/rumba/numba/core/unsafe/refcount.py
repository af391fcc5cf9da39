"""`numba.core.unsafe.refcount`."""
from ..._missing import missing

__getattr__ = missing(__name__, {"dump_refcount": "rumba.compat.unsupported", "get_refcount": "rumba.unsafe.refcount"})
