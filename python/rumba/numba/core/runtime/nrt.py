"""`numba.core.runtime.nrt`."""
from ....runtime import rtsys
from ..._missing import missing

__getattr__ = missing(__name__)
