"""`numba.core.itanium_mangler`: Rumba's module itself, because programs assign to its names."""
import sys

from ...tools import name_mangling

sys.modules[__name__] = name_mangling
