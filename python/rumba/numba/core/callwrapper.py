"""`numba.core.callwrapper`."""
from ...compat.unsupported import PyCallWrapper
from .._missing import missing

__all__ = ["PyCallWrapper"]
__getattr__ = missing(__name__)
