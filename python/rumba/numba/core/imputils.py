"""`numba.core.imputils`."""
from ...typeof_box import lower_cast, lower_constant
from ...lower_builtin import lower_builtin, lower_getattr
from .._missing import missing

_CALLING = "rumba.codegen.call_conv"

__getattr__ = missing(__name__, dict.fromkeys(("impl_ret_borrowed", "impl_ret_new_ref", "impl_ret_untracked"), _CALLING))
