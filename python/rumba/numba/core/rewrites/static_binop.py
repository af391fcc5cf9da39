"""`numba.core.rewrites.static_binop`."""
from ....rewriting.builtin import RewriteConstOperands as DetectStaticBinops
from ..._missing import missing

__getattr__ = missing(__name__)
