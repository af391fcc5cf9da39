"""`numba.cuda.testing`: what tests of CUDA programs import, which run without a card, too."""
from ...testing import SerialMixin, skip_on_cudasim, skip_unless_cudasim
from .._missing import missing

__all__ = ["SerialMixin", "skip_on_cudasim", "skip_unless_cudasim"]
__getattr__ = missing(__name__)
