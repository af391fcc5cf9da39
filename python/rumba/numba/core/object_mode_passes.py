"""`numba.core.object_mode_passes`."""
from ...numba_pipeline.typed import ObjectModeBackEnd
from ...numba_pipeline.untyped import CompileInterpMode, ObjectModeFrontEnd
from .._missing import missing

__getattr__ = missing(__name__)
