"""`numba.core.callconv`, which needs llvmlite."""
from ...codegen.call_conv import CallConvention as CPUCallConv
from .._missing import missing

__all__ = ["CPUCallConv"]
__getattr__ = missing(__name__)
