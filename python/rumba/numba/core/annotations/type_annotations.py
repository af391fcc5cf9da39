"""`numba.core.annotations.type_annotations`."""
from ....numba_pipeline.typed import TypeAnnotation
from ..._missing import missing

__getattr__ = missing(__name__)
