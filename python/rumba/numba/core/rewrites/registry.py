"""`numba.core.rewrites.registry`."""
from ....rewriting.registry import Rewrite, RewriteRegistry, register_rewrite, rewrite_registry
from ..._missing import missing

__getattr__ = missing(__name__)
