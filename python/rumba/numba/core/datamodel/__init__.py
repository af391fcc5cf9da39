"""`numba.core.datamodel`."""
from .... import models
from ....foreign import register_model as register
from ....models import DataModel, OpaqueModel, PointerModel, PrimitiveModel, StructModel, TupleModel
from ..._missing import missing

__getattr__ = missing(__name__)
