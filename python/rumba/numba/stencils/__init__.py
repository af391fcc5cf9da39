"""`numba.stencils`."""
from . import stencil

__all__ = ["stencil"]
