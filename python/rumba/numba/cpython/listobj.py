"""`numba.cpython.listobj`: there for those who import it. What it holds are Numba's own memory layouts, which Rumba has others of."""
from .._missing import missing

__getattr__ = missing(__name__)
