"""`numba.typed.typedlist`."""
from ...typed.lists import List

__all__ = ["List"]
