"""`numba.parfors`: what programs ask for. Loops become parallel in the compiler, so there are no passes over Numba's IR here."""
from . import parfor

__all__ = ["parfor"]
