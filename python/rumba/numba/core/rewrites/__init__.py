"""`numba.core.rewrites`."""
from ....rewriting import Rewrite, RewriteRegistry, register_rewrite, rewrite_registry
from ..._missing import missing
from . import ir_print, registry, static_binop, static_getitem, static_raise

__getattr__ = missing(__name__)
