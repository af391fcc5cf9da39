"""`numba.core.ssa`."""
from ...pipelines.ssa import reconstruct_ssa
from .._missing import missing

__getattr__ = missing(__name__)
