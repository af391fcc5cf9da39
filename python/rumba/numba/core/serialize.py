"""`numba.core.serialize`."""
from ...serialize.dispatcher import dumps, is_serializable, loads
from .._missing import missing

__getattr__ = missing(__name__)
