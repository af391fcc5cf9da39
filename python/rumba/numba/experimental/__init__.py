"""`numba.experimental`."""
from . import function_type
from .._missing import missing

__getattr__ = missing(__name__, {"jitclass": "rumba.classes.jitclass", "structref": "rumba.numba.experimental.structref:*"})
