"""`numba.core.typing.npydecl`."""
from ....ufuncs.numpy_ufuncs import known_ufuncs
from ..._missing import missing

supported_ufuncs = known_ufuncs()

__getattr__ = missing(__name__, {"registry": "rumba.numba.core.typing.mathdecl"})
