"""`numba.parfors.parfor`."""
from numpy import ndindex as pndindex  # noqa: F401

from ...intrinsics import prange  # noqa: F401
from ...parallel.loop_diagnostics import ParforDiagnostics  # noqa: F401
from .._missing import missing

# Whether loops are lowered as serial ones just now: they never are.
sequential_parfor_lowering = False

internal_prange = prange


def init_prange():
    """Does nothing: `prange` is there from the beginning."""


__getattr__ = missing(__name__)
