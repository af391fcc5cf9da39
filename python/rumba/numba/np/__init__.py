"""`numba.np`."""
from . import numpy_support
from .._missing import missing

__getattr__ = missing(__name__)
