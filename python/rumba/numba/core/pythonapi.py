"""`numba.core.pythonapi`."""
from ...extending.typeof_box import NativeValue, box, unbox
from .._missing import missing

__getattr__ = missing(__name__, {"PythonAPI": "rumba.codegen.pythonapi"})
