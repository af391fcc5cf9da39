"""`numba.core.annotations.type_annotations`."""
from ....pipelines.typed import TypeAnnotation
from ..._missing import missing

__getattr__ = missing(__name__)
