"""`numba.core.target_extension`."""
from .._missing import missing

_NAMES = (
    "CPU", "CUDA", "DelayedRegistry", "GPU", "Generic", "JitDecorator", "NPyUfunc", "Target", "current_target",
    "dispatcher_registry", "get_local_target", "jit_registry", "resolve_dispatcher_from_str", "resolve_target_str",
    "target_override", "target_registry")

__getattr__ = missing(__name__, {
    **dict.fromkeys(_NAMES, "rumba.compat.target_registry"), "NonexistentTargetError": "rumba.errors"})
