"""`numba.core.rewrites.static_raise`."""
from ....rewriting.builtin import RewriteConstRaises
from ..._missing import missing

__getattr__ = missing(__name__)
