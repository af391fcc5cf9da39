"""`numba.core.unsafe.nrt`."""
from .... import types
from ....codegen import cgutils
from ....extending import intrinsic
from ..._missing import missing

__getattr__ = missing(__name__)


@intrinsic
def NRT_get_api(typingctx):
    """The address of the table of functions by which code written in C allocates and counts (`NRT_api_functions` in `nrt_external.h`)."""
    return types.voidptr(), lambda context, builder, signature, args: context.nrt.get_nrt_api(builder)
