"""`numba.core.typing.context`."""
from ....compat.typing_context import BaseContext, Context
from ..._missing import missing

__getattr__ = missing(__name__)
