"""`numba.core.unsafe.refcount`."""
from ..._missing import missing

__getattr__ = missing(__name__, {"dump_refcount": "rumba.unsafe.refcount", "get_refcount": "rumba.unsafe.refcount"})
