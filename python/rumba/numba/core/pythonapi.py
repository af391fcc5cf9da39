"""`numba.core.pythonapi`."""
from ...foreign import NativeValue, box, unbox
from .._missing import missing

__getattr__ = missing(__name__, {"PythonAPI": "rumba.pyapi"})
