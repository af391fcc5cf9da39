"""`numba.ir`, as it was called once."""
from ..numba_ir import *  # noqa: F403  its classes
from ._missing import missing

__getattr__ = missing(__name__)
