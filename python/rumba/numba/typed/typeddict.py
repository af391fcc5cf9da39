"""`numba.typed.typeddict`."""
from ...typed.dicts import Dict

__all__ = ["Dict"]
