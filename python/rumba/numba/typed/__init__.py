"""`numba.typed`."""
from ...typed import Dict, List
from . import typeddict, typedlist

__all__ = ["Dict", "List", "typeddict", "typedlist"]
