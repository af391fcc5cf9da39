"""`numba.core.object_mode_passes`."""
from ...pipelines.typed import ObjectModeBackEnd
from ...pipelines.untyped import CompileInterpMode, ObjectModeFrontEnd
from .._missing import missing

__getattr__ = missing(__name__)
