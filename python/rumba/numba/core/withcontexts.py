"""`numba.core.withcontexts`."""
from ...object_mode import objmode as objmode_context
from ...compat.unsupported import bypass_context, call_context
from .._missing import missing

__getattr__ = missing(__name__)
