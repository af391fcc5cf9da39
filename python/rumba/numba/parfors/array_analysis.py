"""`numba.parfors.array_analysis`: nothing of it is here."""
from .._missing import missing

__getattr__ = missing(__name__)
