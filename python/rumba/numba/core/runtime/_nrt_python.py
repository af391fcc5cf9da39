"""`numba.core.runtime._nrt_python`."""
from ....nrt_stats import (
    c_helpers, memsys_disable_stats, memsys_enable_stats, memsys_get_stats_alloc, memsys_get_stats_free,
    memsys_get_stats_mi_alloc, memsys_get_stats_mi_free, memsys_stats_enabled)
from ..._missing import missing

__getattr__ = missing(__name__)
