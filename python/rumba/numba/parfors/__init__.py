"""`numba.parfors`: the names that programs ask for. Loops become parallel in the compiler, so there are no passes over Numba's IR here."""
from . import array_analysis, parfor, parfor_lowering

__all__ = ["array_analysis", "parfor", "parfor_lowering"]
