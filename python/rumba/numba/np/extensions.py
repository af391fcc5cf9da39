"""`numba.np.extensions`: what Numba adds to NumPy's functions."""
from ...compat.numpy_extensions import cross2d  # noqa: F401
from .._missing import missing

__getattr__ = missing(__name__)
