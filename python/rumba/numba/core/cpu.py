"""`numba.core.cpu`."""
from ...compat.options import CPUTargetOptions, InlineOptions, ParallelOptions
from ...compat.targets import TargetContext as CPUContext
from .._missing import missing

__all__ = ["CPUContext", "CPUTargetOptions", "InlineOptions", "ParallelOptions"]
__getattr__ = missing(__name__)
