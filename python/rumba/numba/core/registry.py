"""`numba.core.registry`."""
from ..._rumba import Dispatcher as CPUDispatcher
from ...compat.targets import cpu_target
from .._missing import missing

__getattr__ = missing(__name__)
