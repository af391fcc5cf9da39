"""`numba.misc.firstlinefinder`: Rumba's module itself, because programs assign to its names."""
import sys

from ...tools import first_line

sys.modules[__name__] = first_line
