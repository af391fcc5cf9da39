"""`numba.np.ufunc`."""
from ....ufuncs import DUFunc, GUFunc, GUVectorize, Vectorize, guvectorize, vectorize
from . import dufunc, gufunc
from ..._missing import missing

# NumPy's numbers for what a ufunc begins with.
PyUFunc_Zero, PyUFunc_One, PyUFunc_None, PyUFunc_ReorderableNone = 0, 1, -1, -2

__getattr__ = missing(__name__)
