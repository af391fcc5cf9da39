"""`numba.np.arrayobj`."""
from ...codegen.arrayobj import (  # noqa: F401
    basic_indexing, empty_nd as _empty_nd_impl, get_itemsize, make_array, normalize_indices, populate_array)
from .._missing import missing

__getattr__ = missing(__name__)
