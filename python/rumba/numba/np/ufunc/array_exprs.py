"""`numba.np.ufunc.array_exprs`."""
from ....rewriting.array_exprs import RewriteArrayExprs, _lower_array_expr
from ..._missing import missing

__getattr__ = missing(__name__)
