"""`numba.core.ssa`."""
from ...numba_pipeline.ssa import reconstruct_ssa
from .._missing import missing

__getattr__ = missing(__name__)
