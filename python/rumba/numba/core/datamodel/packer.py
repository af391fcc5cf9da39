"""`numba.core.datamodel.packer`."""
from ....codegen.value_models import ArgPacker, DataPacker
from ..._missing import missing

__getattr__ = missing(__name__)
