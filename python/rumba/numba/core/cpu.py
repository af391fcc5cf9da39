"""`numba.core.cpu`."""
from ...compat.options import InlineOptions, ParallelOptions
from .._missing import missing

__all__ = ["InlineOptions", "ParallelOptions"]
__getattr__ = missing(__name__)
