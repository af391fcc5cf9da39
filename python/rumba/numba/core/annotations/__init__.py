"""`numba.core.annotations`."""
from . import type_annotations
from ..._missing import missing

__getattr__ = missing(__name__)
