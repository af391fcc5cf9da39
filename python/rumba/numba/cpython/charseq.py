"""`numba.cpython.charseq`: the type of `bytes`. The rest is Numba's own memory layouts, which Rumba has others of."""
from ... import types
from .._missing import missing

bytes_type = types.Bytes(types.uint8, 1, "C", readonly=True)

__getattr__ = missing(__name__)
