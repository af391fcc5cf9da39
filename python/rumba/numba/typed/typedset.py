"""`numba.typed.typedset`."""
from ...typed.sets import Set

__all__ = ["Set"]
