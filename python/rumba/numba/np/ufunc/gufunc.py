"""`numba.np.ufunc.gufunc`."""
from ....ufuncs import GUFunc
from ..._missing import missing

__getattr__ = missing(__name__)
