"""`numba.core.typing.typeof`."""
from ....types.typeof import typeof
from ..._missing import missing

__getattr__ = missing(__name__)
