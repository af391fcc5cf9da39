"""`numba.typed.setobject`."""
from ...typed.sets import new_set

__all__ = ["new_set"]
