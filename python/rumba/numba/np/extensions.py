"""`numba.np.extensions`: what Numba adds to NumPy's functions."""
from ...numpy_extensions import cross2d  # noqa: F401
from .._missing import missing

__getattr__ = missing(__name__)
