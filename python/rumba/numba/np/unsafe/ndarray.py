"""`numba.np.unsafe.ndarray`."""
from ....unsafe import to_fixed_tuple  # noqa: F401
from ..._missing import missing

__getattr__ = missing(__name__, {"empty_inferred": "rumba.compat.unsupported"})
