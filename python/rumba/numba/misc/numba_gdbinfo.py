"""`numba.misc.numba_gdbinfo`: Rumba's module itself, because programs assign to its names."""
import sys

from ...tools import debugger_info

sys.modules[__name__] = debugger_info
