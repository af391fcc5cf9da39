"""`numba.typed`."""
from ...typed import Dict, List
from . import dictobject, listobject, typeddict, typedlist

__all__ = ["Dict", "List", "dictobject", "listobject", "typeddict", "typedlist"]
