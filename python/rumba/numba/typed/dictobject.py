"""`numba.typed.dictobject`."""
from ...typed.dicts import new_dict

__all__ = ["new_dict"]
