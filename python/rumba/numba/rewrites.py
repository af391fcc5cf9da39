"""`numba.rewrites`, as it was called once."""
from .core.rewrites import Rewrite, RewriteRegistry, register_rewrite, rewrite_registry
from ._missing import missing

__getattr__ = missing(__name__)
