"""`numba.core.dispatcher`."""
from ..._rumba import Dispatcher
from ...dispatcher import CompilingCounter
from .._missing import missing

__getattr__ = missing(__name__)
