"""`numba.core.runtime`."""
from ....runtime import rtsys
from . import _nrt_python, nrt
from ..._missing import missing

__getattr__ = missing(__name__)
