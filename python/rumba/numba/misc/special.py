"""`numba.misc.special`."""
from ...intrinsics import literal_unroll, literally, prange  # noqa: F401
from ...types import typeof  # noqa: F401
from .._missing import missing

__getattr__ = missing(__name__)
