"""`numba.np.arrayobj`."""
from ...codegen.arrayobj import empty_nd as _empty_nd_impl, get_itemsize, make_array, populate_array  # noqa: F401
from .._missing import missing

__getattr__ = missing(__name__)
