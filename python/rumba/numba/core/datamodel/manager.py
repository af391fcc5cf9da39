"""`numba.core.datamodel.manager`."""
from ....datamodel import DataModelManager
from ..._missing import missing

__getattr__ = missing(__name__)
