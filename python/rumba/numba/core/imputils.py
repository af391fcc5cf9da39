"""`numba.core.imputils`."""
from ...extending.typeof_box import lower_cast, lower_constant
from ...extending.lower_builtin import (
    lower_builtin, lower_getattr, lower_getattr_generic, lower_setattr, lower_setattr_generic,
)
from .._missing import missing

__getattr__ = missing(__name__, {
    **dict.fromkeys(("impl_ret_borrowed", "impl_ret_new_ref", "impl_ret_untracked"), "rumba.codegen.call_conv"),
    **dict.fromkeys(("Registry", "builtin_registry"), "rumba.extending.lowering_registry"), "RegistryLoader": "rumba.extending.registry_loader",
    **dict.fromkeys(("RefType", "call_getiter", "call_iternext", "for_iter", "iternext_impl"), "rumba.extending.user_iteration")})
