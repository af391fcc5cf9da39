"""`numba.core.decorators`."""
from ...decorators import jit, njit
from .._missing import missing

__getattr__ = missing(__name__)
