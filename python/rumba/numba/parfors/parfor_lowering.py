"""`numba.parfors.parfor_lowering`: nothing of it is here."""
from .._missing import missing

__getattr__ = missing(__name__)
