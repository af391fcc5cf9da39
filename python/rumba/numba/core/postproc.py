"""`numba.core.postproc`."""
from ...numba_ir.postproc import PostProcessor, VariableLifetime
from .._missing import missing

__getattr__ = missing(__name__)
