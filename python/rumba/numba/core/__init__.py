"""`numba.core`."""
from . import extending, runtime, typing
from .._missing import missing

# Loaded when they are asked for.
_MODULES = (
    "analysis annotations base bytecode caching ccallback cgutils compiler compiler_lock compiler_machinery config controlflow cpu datamodel "
    "decorators dispatcher errors funcdesc imputils inline_closurecall ir ir_utils itanium_mangler object_mode_passes options postproc pythonapi "
    "registry rewrites serialize sigutils ssa target_extension tracing typeconv typed_passes types untyped_passes utils").split()

__getattr__ = missing(__name__, {name: f"{__name__}.{name}:*" for name in _MODULES})
