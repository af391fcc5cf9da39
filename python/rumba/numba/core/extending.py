"""`numba.core.extending`."""
from ...extending import is_jitted, register_jitable
from .._missing import missing

__getattr__ = missing(__name__)
