"""`numba.extending`."""
from ..extending import (  # noqa: F401
    SentryLiteralArgs, is_jitted, overload, overload_attribute, overload_classmethod, overload_method,
    register_jitable,
)
from ..types import typeof
from ._missing import missing

__getattr__ = missing(__name__)
