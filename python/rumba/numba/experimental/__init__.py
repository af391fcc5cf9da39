"""`numba.experimental`."""
from . import function_type, structref
from .._missing import missing
# The function, which has the name of the module.
from .jitclass import jitclass

__getattr__ = missing(__name__)
