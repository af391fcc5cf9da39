"""`numba.core.analysis`."""
from ...ir.utils import compute_cfg_from_blocks
from ...pipelines.prune import dead_branch_prune, rewrite_semantic_constants
from .._missing import missing

__getattr__ = missing(__name__)
