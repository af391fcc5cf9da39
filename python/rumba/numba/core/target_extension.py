"""`numba.core.target_extension`."""
from ...compat.targets import resolve_dispatcher_from_str
from .._missing import missing

__getattr__ = missing(__name__)
