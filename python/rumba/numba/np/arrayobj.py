"""`numba.np.arrayobj`."""
from ...codegen.arrayobj import get_itemsize, make_array, populate_array  # noqa: F401
from .._missing import missing

__getattr__ = missing(__name__)
