"""`numba.core.decorators`."""
from ...c_interop.callbacks import cfunc
from ...decorators import jit, jit_module, njit
from .._missing import missing

__getattr__ = missing(__name__)
