"""`numba.core.typing`."""
from ..._missing import missing

_MODULES = "arraydecl asnumbatype builtins cffi_utils cmathdecl context ctypes_utils mathdecl npydecl templates typeof".split()

__getattr__ = missing(__name__, {
    **dict.fromkeys(("Signature", "signature"), "rumba.types.signature"),
    **dict.fromkeys(("Context", "BaseContext"), "rumba.compat.typing_context"),
    "fold_arguments": "rumba.extending.templates",
    **{name: f"{__name__}.{name}:*" for name in _MODULES}})
