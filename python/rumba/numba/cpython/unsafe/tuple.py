"""`numba.cpython.unsafe.tuple`."""
from ....unsafe import build_full_slice_tuple, tuple_setitem  # noqa: F401
from ..._missing import missing

__getattr__ = missing(__name__)
