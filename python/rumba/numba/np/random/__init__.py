"""`numba.np.random`."""
from ..._missing import missing

__getattr__ = missing(__name__)
