"""`numba.core.imputils`."""
from ...foreign import lower_cast, lower_constant
from ...lowering import lower_builtin, lower_getattr
from .._missing import missing

_CALLING = "rumba.calling"

__getattr__ = missing(__name__, dict.fromkeys(("impl_ret_borrowed", "impl_ret_new_ref", "impl_ret_untracked"), _CALLING))
