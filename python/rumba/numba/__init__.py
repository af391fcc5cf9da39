"""Numba's module tree over Rumba: `from rumba.numba import njit, types` and the rest.

Thin re-exports of what exists, under Numba's names; no logic lives here. A name that Rumba does not
have is an AttributeError that says so. Whole modules that are the same as one of Rumba's are that
module (`_aliases`). Packages of modules are imported with this one, as Numba's are; what is in them is loaded when it is named first.
"""
import sys

from . import _aliases  # noqa: F401  first: the modules below import aliases by name
from ._missing import missing
from ._version import __version__, version_info
from .. import _LAZY as _RUMBAS
from ..decorators import jit, jit_module, njit
from . import core, misc, np

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .. import config, errors, types
    from ..c_interop.callbacks import cfunc
    from ..errors import *  # noqa: F403  the classes
    from ..intrinsics import literal_unroll, literally, prange
    from ..object_mode import objmode
    from ..c_interop.pointer_arrays import carray, farray
    from ..stencils import stencil
    from ..parallel.thread_pool import (
        get_num_threads, get_parallel_chunksize, get_thread_id, parallel_chunksize, set_num_threads,
        set_parallel_chunksize, threading_layer,
    )
    from ..types import deferred_type, from_dtype, optional, typeof
    from ..types.names import *  # noqa: F403  the types
    from ..ufuncs import guvectorize, vectorize
    from ..tools.debugger import gdb, gdb_breakpoint, gdb_init
    from . import cloudpickle, cuda, experimental, extending, parfors, stencils, testing, typed

# Names of `rumba` that Numba does not have.
_RUMBAS_OWN = "Dispatcher atomic events install jitclass normalized python stages step structref typed_call".split()
# Of the names below `from numba import *` gives none.
_NOT_STARRED = (
    "carray cloudpickle config core cuda errors extending farray get_thread_id literally misc np parfors pndindex stencils testing "
    "threading_layer typed types").split()

_LAZY = {
    **{name: f"rumba.{home}" if home else f"rumba.{name}:*" for name, home in _RUMBAS.items() if name not in _RUMBAS_OWN},
    **{name: f"rumba.numba.{name}:*" for name in (
        "cloudpickle", "cuda", "experimental", "extending", "parfors", "stencils", "testing", "typed")},
    "bool": "rumba.types.names",
    "pndindex": "numpy:ndindex",
}


def _starred_or_error(name):
    """What `from numba import *` gives, and the classes of errors."""
    if name == "__all__" or not name.startswith("_"):
        from ..errors import __all__ as classes

        if name == "__all__":
            return [*classes, "jit", "jit_module", "njit", *(name for name in _LAZY if name not in _NOT_STARRED)]
        if name in classes:
            return getattr(sys.modules["rumba.errors"], name)
    return None


def __dir__():
    return sorted({*globals(), *_LAZY, *_starred_or_error("__all__")})


__getattr__ = missing(__name__, _LAZY, _starred_or_error)
