"""`numba.core.typeconv`."""
from ....types.base import Conversion
from ..._missing import missing

__getattr__ = missing(__name__)
