"""`numba.core.typing`."""
from ....types.signature import Signature, signature
from . import cffi_utils, ctypes_utils, templates, typeof
from ..._missing import missing

__getattr__ = missing(__name__, {
    **dict.fromkeys(("Context", "BaseContext"), "rumba.compat.typing_context"),
    "fold_arguments": "rumba.templates",
    **{name: f"{__name__}.{name}:*" for name in ("builtins", "cmathdecl", "context", "mathdecl", "npydecl", "asnumbatype")}})
