"""`numba.core.datamodel`."""
from ....extending import datamodel as models
from ....extending.typeof_box import register_model as register, register_model as register_default
from ....extending.datamodel import (
    DataModel, DataModelManager, OpaqueModel, PointerModel, PrimitiveModel, StructModel, TupleModel, default_manager,
)
from ..._missing import missing

__getattr__ = missing(__name__, {
    **dict.fromkeys(("ArgPacker", "DataPacker"), "rumba.codegen.value_models"),
    **{name: f"{__name__}.{name}:*" for name in ("manager", "packer", "registry", "testing")}})
