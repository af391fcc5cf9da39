"""`numba.misc.numba_sysinfo`: Rumba's module itself, because programs assign to its names."""
import sys

from ...tools import system_info

sys.modules[__name__] = system_info
