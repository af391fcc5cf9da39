"""`numba.core.entrypoints`."""
import sys

from ...extending import entrypoints

# One module, so that what is set on it is seen.
sys.modules[__name__] = entrypoints
