"""`numba.cpython.unicode`."""
import sys

from .._missing import missing

_MAX_UNICODE = sys.maxunicode

__getattr__ = missing(__name__)
