"""`numba.experimental.structref`."""
from ...structref import (  # noqa: F401
    StructRefProxy, define_boxing, define_constructor, define_proxy, new, register,
)
from .._missing import missing

__getattr__ = missing(__name__)
