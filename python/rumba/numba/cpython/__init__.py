"""`numba.cpython`."""
from . import hashing
from .._missing import missing

__getattr__ = missing(__name__)
