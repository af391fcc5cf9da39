"""`numba.core.typing.templates`."""
from ....types.signature import Signature, signature
from ..._missing import missing

__getattr__ = missing(__name__)
