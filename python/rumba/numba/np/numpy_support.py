"""`numba.np.numpy_support`."""
from ...types.typeof import as_dtype, from_dtype, from_struct_dtype, is_array, map_arrayscalar_type, map_layout
from ...types.typeof import numpy_version as _numpy_version
from .._missing import missing

_missing = missing(__name__)


def __getattr__(name):
    # Asking for the version loads NumPy, which importing the facade does not.
    return _numpy_version() if name == "numpy_version" else _missing(name)
