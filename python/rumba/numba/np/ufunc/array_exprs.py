"""`numba.np.ufunc.array_exprs`."""
from ....rewriting.array_exprs import RewriteArrayExprs
from ..._missing import missing

__getattr__ = missing(__name__)
