"""`numba.cloudpickle`."""
from ...pickling import Pickler as CloudPickler
from ...pickling import Pickler, dumps, loads
from .._missing import missing

__getattr__ = missing(__name__)
