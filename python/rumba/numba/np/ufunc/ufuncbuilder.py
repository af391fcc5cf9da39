"""`numba.np.ufunc.ufuncbuilder`."""
from ....ufuncs import GUVectorize as GUFuncBuilder
from ..._missing import missing

__getattr__ = missing(__name__)
