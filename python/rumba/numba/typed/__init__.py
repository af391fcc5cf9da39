"""`numba.typed`."""
from ...typed import Dict, List, Set
from . import dictobject, listobject, setobject, typeddict, typedlist, typedobjectutils, typedset

__all__ = [
    "Dict", "List", "Set", "dictobject", "listobject", "setobject", "typeddict", "typedlist", "typedobjectutils", "typedset"]
