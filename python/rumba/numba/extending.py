"""`numba.extending`."""
from ..extending import is_jitted, register_jitable
from ..types import typeof
from ._missing import missing

__getattr__ = missing(__name__)
