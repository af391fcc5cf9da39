"""`numba.core.typing.templates`."""
from ....lower_builtin import (
    AbstractTemplate, AttributeTemplate, CallableTemplate, ConcreteTemplate, infer, infer_getattr, infer_global)
from ....types.signature import Signature, signature
from ..._missing import missing

__getattr__ = missing(__name__)
