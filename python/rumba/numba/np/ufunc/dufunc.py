"""`numba.np.ufunc.dufunc`."""
from ....ufuncs import DUFunc
from ..._missing import missing

__getattr__ = missing(__name__)
