"""`numba.cpython`."""
from . import hashing
from .._missing import missing

__getattr__ = missing(__name__, {name: f"{__name__}.{name}:*" for name in ("charseq", "listobj", "unicode")})
