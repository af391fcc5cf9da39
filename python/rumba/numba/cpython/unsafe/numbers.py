"""`numba.cpython.unsafe.numbers`."""
from ....unsafe import leading_zeros, trailing_zeros  # noqa: F401
from ..._missing import missing

__getattr__ = missing(__name__)
