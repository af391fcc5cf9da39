"""`numba.core.typeconv`."""
from ....types.base import Conversion
from ..._missing import missing

__getattr__ = missing(__name__, {name: f"{__name__}.{name}:*" for name in ("castgraph", "rules", "typeconv")})
