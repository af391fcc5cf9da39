"""The threads of parallel code: their number, the current thread, the chunk size.

What the functions mean in compiled code is written in `rumba.library.threads`.
"""
import contextlib

from .. import _rumba, config
from .._rumba import get_num_threads as _limit
from .._rumba import get_parallel_chunksize as _chunk_size
from .._rumba import init_threads as _init_threads

_LAYERS = "tbb", "omp", "workqueue"
# What may be asked for in the place of a name.
_KINDS = "default", "safe", "threadsafe", "forksafe"


def get_thread_count():
    """The maximum number of threads for parallel code in this process."""
    return _rumba.thread_count()


def get_num_threads():
    """The number of threads that parallel code of the calling thread may use. Afterwards the maximum can no longer be
    changed."""
    _init_threads()
    return _limit()


def set_num_threads(n):
    """Limits the number of threads for parallel code of the calling thread."""
    if not hasattr(n, "__index__"):
        raise TypeError("The number of threads specified must be an integer")
    _init_threads()
    if not 1 <= n <= get_thread_count() or not _rumba.set_num_threads(n):
        raise ValueError(f"The number of threads must be between 1 and {get_thread_count()}")


def get_thread_id():
    """The id of the thread within a parallel loop; 0 outside of one."""
    return _rumba.get_thread_id()


def check_settings():
    """Raises ValueError if a setting requests an unknown threading layer."""
    if config.THREADING_LAYER not in _LAYERS + _KINDS:
        raise ValueError(f"The threading layer {config.THREADING_LAYER!r} is unknown: it may be {', '.join(_LAYERS + _KINDS)}")
    if sorted(config.THREADING_LAYER_PRIORITY) != sorted(_LAYERS):
        raise ValueError(
            f"THREADING_LAYER_PRIORITY invalid: {config.THREADING_LAYER_PRIORITY}. It must be a permutation of {_LAYERS}")


def threading_layer():
    """The name of the layer that runs parallel code: there is one pool, and it goes by the name that was asked for, else by that of
    the first one in `THREADING_LAYER_PRIORITY`. ValueError before parallel code was compiled.
    """
    if not _rumba.layer_is_settled():
        raise ValueError("Threading layer is not initialized.")
    if config.THREADING_LAYER in _LAYERS:
        return config.THREADING_LAYER
    return config.THREADING_LAYER_PRIORITY[0] if config.THREADING_LAYER == "default" else "tbb"


def get_parallel_chunksize():
    """The chunk size that the calling thread requested; 0 means automatic."""
    return _chunk_size()


def set_parallel_chunksize(n):
    """Requests a chunk size and returns the previous one."""
    if not hasattr(n, "__index__"):
        raise TypeError("The parallel chunksize must be an integer")
    if n < 0:
        raise ValueError("chunksize must be greater than or equal to zero")
    return _rumba.set_parallel_chunksize(n)


@contextlib.contextmanager
def parallel_chunksize(n):
    """A context manager that requests a chunk size for the calling thread."""
    before = set_parallel_chunksize(n)
    try:
        yield
    finally:
        set_parallel_chunksize(before)
