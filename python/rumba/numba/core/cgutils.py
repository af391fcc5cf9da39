"""`numba.core.cgutils`."""
from ...codegen.cgutils import *  # noqa: F403  all of them
from .._missing import missing

__getattr__ = missing(__name__)
