"""`numba.core.tracing`: Rumba's module itself, because programs assign to its names."""
import sys

from ...tools import tracing

sys.modules[__name__] = tracing
