"""`numba.pycc.cc`."""
from ...ahead.cc import CC
from .._missing import missing

__getattr__ = missing(__name__)
