"""`numba.core.compiler_lock`: Rumba's module itself, because programs assign to its names."""
import sys

from ...tools import compiler_lock

sys.modules[__name__] = compiler_lock
