"""`numba.cloudpickle`."""
from ...serialize.by_value import Pickler as CloudPickler
from ...serialize.by_value import Pickler, dumps, loads
from .._missing import missing

__getattr__ = missing(__name__)
