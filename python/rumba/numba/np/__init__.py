"""`numba.np`."""
from . import extensions, npdatetime_helpers, numpy_support
from .. import _aliases  # noqa: F401  first: it makes the module below
from ...types import arrays as types
from .._missing import missing

__getattr__ = missing(__name__, {"ufunc": "rumba.numba.np.ufunc:*", "linalg": "rumba.numba.np.linalg:*",
                                  "arraymath": "rumba.numba.np.arraymath:*"})
