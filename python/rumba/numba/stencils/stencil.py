"""`numba.stencils.stencil`."""
from ...stencils import StencilFunc, stencil  # noqa: F401
from .._missing import missing

__getattr__ = missing(__name__)
