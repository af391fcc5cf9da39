"""`numba.core.cgutils`."""
from ...codegen.arrayobj import get_item_pointer, get_item_pointer2  # noqa: F401
from ...codegen.cgutils import *  # noqa: F403  all of them
from .._missing import missing

__getattr__ = missing(__name__)
