"""`numba.misc.timsort`."""
from ...sorters.timsort import (  # noqa: F401
    MergeRun,
    MergeState,
    TimsortImplementation,
    make_jit_timsort,
    make_py_timsort,
    make_timsort_impl,
)
from .._missing import missing

__getattr__ = missing(__name__)
