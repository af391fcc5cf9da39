"""`numba.core.analysis`."""
from ...numba_ir.utils import compute_cfg_from_blocks
from ...numba_pipeline.prune import dead_branch_prune, rewrite_semantic_constants
from .._missing import missing

__getattr__ = missing(__name__)
