"""`numba.core.runtime._nrt_python`."""
from ....nrt_stats import (
    memsys_disable_stats, memsys_enable_stats, memsys_get_stats_alloc, memsys_get_stats_free,
    memsys_get_stats_mi_alloc, memsys_get_stats_mi_free, memsys_stats_enabled)
from .... import nrt_stats
from ..._missing import missing

_missing = missing(__name__)


def __getattr__(name):
    return getattr(nrt_stats, name) if name == "c_helpers" else _missing(name)
