"""`numba.typed.listobject`."""
from ...typed.lists import new_list

__all__ = ["new_list"]
