"""`numba.testing.main`."""
from ...testing import TIMEOUT as _TIMEOUT
from .._missing import missing

__getattr__ = missing(__name__)
