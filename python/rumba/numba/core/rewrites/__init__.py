"""`numba.core.rewrites`."""
from ....rewriting import Rewrite, RewriteRegistry, register_rewrite, rewrite_registry
from ..._missing import missing
from . import registry

__getattr__ = missing(__name__)
