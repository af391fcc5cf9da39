"""`numba.core.typing.ctypes_utils`."""
from ....c_interop.callbacks import address_of as get_pointer
from ....c_interop.callbacks import from_ctypes, is_ctypes_funcptr, make_function_type, to_ctypes
from ..._missing import missing

__getattr__ = missing(__name__)
