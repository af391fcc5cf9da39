"""`numba.core.typeinfer`: inference is the compiler's; tools ask `numba.core.typed_passes.type_inference_stage`."""
from .._missing import missing

__getattr__ = missing(__name__)
