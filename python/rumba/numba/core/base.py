"""`numba.core.base`."""
from ...extending.overload_selector import OverloadSelector
from .._missing import missing

__getattr__ = missing(__name__, {"BaseContext": "rumba.codegen.device_context"})
