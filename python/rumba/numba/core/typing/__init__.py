"""`numba.core.typing`."""
from ....compat.targets import TypingContext as Context
from ....types.signature import Signature, signature
from . import cffi_utils, ctypes_utils, templates, typeof
from ..._missing import missing

__getattr__ = missing(__name__)
