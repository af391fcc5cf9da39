"""`numba.misc.quicksort`."""
from ...sorters.quicksort import (  # noqa: F401
    QuicksortImplementation,
    make_jit_quicksort,
    make_py_quicksort,
    make_quicksort_impl,
)
from .._missing import missing

__getattr__ = missing(__name__)
