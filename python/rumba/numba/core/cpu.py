"""`numba.core.cpu`."""
from ...inlining import InlineOptions
from .._missing import missing

__all__ = ["InlineOptions"]
__getattr__ = missing(__name__)
