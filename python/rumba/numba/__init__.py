"""Numba's module tree over Rumba: `from rumba.numba import njit, types` and the rest.

Thin re-exports of what exists, under Numba's names; no logic lives here. A name that Rumba does not
have is an AttributeError that says so. Whole modules that are the same as one of Rumba's are that
module (`_aliases`).
"""
from . import _aliases  # noqa: F401  first: the modules below import aliases by name
from ._missing import missing
from .. import config, errors, types
from ..callbacks import cfunc
from ..decorators import jit, jit_module, njit
from ..pointer_arrays import carray, farray
from ..intrinsics import literal_unroll, literally, prange
from ..errors import *  # noqa: F403  the classes
from ..types import from_dtype, typeof
from ..types.names import (  # noqa: F401
    b1, bool, bool_, boolean, byte, c8, c16, char, complex64, complex128, double, f4, f8, ffi,
    ffi_forced_object, float32, float64, i1, i2, i4, i8, int8, int16, int32, int64, int_, intc, intp,
    long_, longlong, none, short, size_t, ssize_t, u1, u2, u4, u8, uchar, uint, uint8, uint16, uint32,
    uint64, uintc, uintp, ulong, ulonglong, ushort, void,
)
from ..types import deferred_type, optional
from ._version import __version__, version_info
from . import cloudpickle, core, experimental, extending, misc, np, testing

# What `from numba import *` gives.
__all__ = [
    *errors.__all__, *sorted({name for name in types.names.__all__ if name in globals()} | {"bool"}), "cfunc", "deferred_type",
    "experimental", "from_dtype", "gdb", "gdb_breakpoint", "gdb_init", "get_num_threads", "get_parallel_chunksize", "guvectorize",
    "jit", "jit_module", "literal_unroll", "njit", "objmode", "optional", "parallel_chunksize", "prange", "set_num_threads",
    "set_parallel_chunksize", "stencil", "typeof", "vectorize"]


# What few programs need is loaded when it is asked for.
_LAZY = {
    "cuda": "rumba.numba.cuda:*",
    "pndindex": "numpy:ndindex",
    "stencil": "rumba.stencils",
    "stencils": "rumba.numba.stencils:*",
    "typed": "rumba.numba.typed:*",
    **dict.fromkeys(("vectorize", "guvectorize"), "rumba.ufuncs"),
    "objmode": "rumba.object_mode",
    **dict.fromkeys(("gdb", "gdb_init", "gdb_breakpoint"), "rumba.unsupported"),
    **dict.fromkeys(("get_num_threads", "set_num_threads", "get_thread_id", "threading_layer", "get_parallel_chunksize",
                     "set_parallel_chunksize", "parallel_chunksize"), "rumba.thread_pool"),
}

__getattr__ = missing(__name__, _LAZY)
