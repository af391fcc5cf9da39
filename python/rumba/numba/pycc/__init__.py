"""`numba.pycc`: extension modules that are built ahead of time."""
from ...ahead.cc import CC
from .decorators import export, exportmany

__all__ = ["CC", "export", "exportmany"]
