"""`numba.core.typing.cffi_utils`. Its names are those of `rumba.cffi_support`, which is imported when one is asked for."""
from importlib.util import find_spec

from ..._missing import missing

# Whether functions of CFFI can be called from compiled code.
SUPPORTED = find_spec("_cffi_backend") is not None

_NAMES = {
    "get_pointer", "is_cffi_func", "is_ffi_instance", "make_function_type", "map_struct_to_record_dtype", "map_type",
    "register_module", "register_type"}
_others = missing(__name__)


def __getattr__(name):
    if name not in _NAMES or not SUPPORTED:
        return _others(name)
    from .... import cffi_support

    return getattr(cffi_support, name)
