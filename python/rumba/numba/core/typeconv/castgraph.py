"""`numba.core.typeconv.castgraph`."""
from ....compat.casting_rules import TypeGraph
from ....types.base import Conversion
from ..._missing import missing

__getattr__ = missing(__name__)
