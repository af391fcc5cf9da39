"""`numba.core.typing.cffi_utils`."""
from ..._missing import missing

# Whether functions of CFFI can be called from compiled code.
SUPPORTED = False

__getattr__ = missing(__name__)
