"""`numba.np`."""
from .._missing import missing

_MODULES = "arraymath arrayobj extensions linalg npdatetime_helpers numpy_support types ufunc".split()

__getattr__ = missing(__name__, {name: f"{__name__}.{name}:*" for name in _MODULES})
