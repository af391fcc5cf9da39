"""`numba.core.typing.cffi_utils`."""
from importlib.util import find_spec

from ..._missing import missing

# Whether functions of CFFI can be called from compiled code.
SUPPORTED = find_spec("_cffi_backend") is not None

_NAMES = (
    "get_pointer", "is_cffi_func", "is_ffi_instance", "make_function_type", "map_struct_to_record_dtype", "map_type",
    "register_module", "register_type")

__getattr__ = missing(__name__, dict.fromkeys(_NAMES if SUPPORTED else (), "rumba.c_interop.cffi_support"))
