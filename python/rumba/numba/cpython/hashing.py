"""`numba.cpython.hashing`: what CPython's hashes of numbers are made with."""
import sys

from .._missing import missing

_hash_width = sys.hash_info.width
_PyHASH_MODULUS = sys.hash_info.modulus
_PyHASH_BITS = _PyHASH_MODULUS.bit_length()
_PyHASH_INF, _PyHASH_NAN, _PyHASH_IMAG = sys.hash_info.inf, sys.hash_info.nan, sys.hash_info.imag

__getattr__ = missing(__name__)
