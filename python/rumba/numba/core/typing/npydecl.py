"""`numba.core.typing.npydecl`: dtypes as arguments, and which ufuncs there are."""
from ....ufuncs.numpy_ufuncs import known_ufuncs
from .... import types
from ..._missing import missing

supported_ufuncs = known_ufuncs()

__getattr__ = missing(__name__, {"registry": "rumba.numba.core.typing.mathdecl"})


def parse_dtype(dtype):
    """The type of items that an argument for `dtype` asks for: that of a dtype, of a class such as `np.int8`, or of a constant
    string. None if it is neither."""
    from ...np.numpy_support import from_dtype

    if isinstance(dtype, types.DTypeSpec):
        return dtype.dtype
    if isinstance(dtype, types.TypeRef):
        return dtype.instance_type
    if isinstance(dtype, types.StringLiteral):
        import numpy

        return from_dtype(numpy.dtype(dtype.literal_value))
    return None
