"""`numba._dynfunc`: there is nothing of it, since Rumba writes this code itself."""
from ._missing import missing

__getattr__ = missing(__name__)
