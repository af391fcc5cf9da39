"""`numba.core.unsafe.bytes`."""
from ....unsafe import memcpy_region  # noqa: F401
from ..._missing import missing

__getattr__ = missing(__name__)
