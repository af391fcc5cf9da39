"""`numba.misc.coverage_support`: Rumba's module itself, because programs add to its registry."""
import sys

from ...tools import coverage_support

sys.modules[__name__] = coverage_support
