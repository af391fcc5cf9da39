"""`numba.core.datamodel.manager`."""
from ....extending.datamodel import DataModelManager
from ..._missing import missing

__getattr__ = missing(__name__)
