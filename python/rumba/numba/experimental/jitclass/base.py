"""`numba.experimental.jitclass.base`."""
from ....classes.jitclass import JitClassType  # noqa: F401
from ..._missing import missing

__getattr__ = missing(__name__)
