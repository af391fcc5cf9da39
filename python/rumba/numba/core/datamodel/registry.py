"""`numba.core.datamodel.registry`."""
from ....extending.datamodel import DataModelManager, default_manager
from ....extending.typeof_box import register_model as register, register_model as register_default
from ..._missing import missing

__getattr__ = missing(__name__)
