"""`numba.misc.mergesort`."""
from ...sorters.mergesort import MergesortImplementation, make_jit_mergesort, make_mergesort_impl  # noqa: F401
from .._missing import missing

__getattr__ = missing(__name__)
