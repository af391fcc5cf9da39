"""`numba.core.base`."""
from ...compat.targets import TargetContext as BaseContext
from ...extending.overload_selector import OverloadSelector
from .._missing import missing

__getattr__ = missing(__name__)
