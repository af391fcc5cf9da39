"""`numba.misc.llvm_pass_timings`: Rumba's module itself, because programs assign to its names."""
import sys

from ...tools import pass_timings

sys.modules[__name__] = pass_timings
