"""How many threads parallel code may use. Parallel loops run on one thread yet: the numbers are kept and
given back, and nothing follows from them."""
import contextlib
import threading

from . import config

_of_thread = threading.local()


def get_thread_count():
    """How many threads the process's parallel code may use at most."""
    return config.NUMBA_NUM_THREADS


def get_num_threads():
    """How many threads the calling thread's parallel code may use."""
    return getattr(_of_thread, "number", config.NUMBA_NUM_THREADS)


def set_num_threads(n):
    """Limits the number of threads for the calling thread's parallel code."""
    if not isinstance(n, int) and not hasattr(n, "__index__"):
        raise TypeError("The number of threads specified must be an integer")
    if not 1 <= n <= config.NUMBA_NUM_THREADS:
        raise ValueError(f"The number of threads must be between 1 and {config.NUMBA_NUM_THREADS}")
    _of_thread.number = int(n)


def get_thread_id():
    """The number of the thread among those of a parallel loop: 0, for there is one."""
    return 0


def threading_layer():
    """The name of the library that runs parallel loops; ValueError, for no loop ran in parallel."""
    raise ValueError("Threading layer is not initialized.")


def get_parallel_chunksize():
    """How many iterations the calling thread asked to be done at a time; 0 leaves it open."""
    return getattr(_of_thread, "chunksize", 0)


def set_parallel_chunksize(n):
    """Asks for so many iterations at a time; the number before."""
    if not hasattr(n, "__index__"):
        raise TypeError("The parallel chunksize must be an integer")
    if n < 0:
        raise ValueError("chunksize must be greater than or equal to zero")
    before, _of_thread.chunksize = get_parallel_chunksize(), int(n)
    return before


@contextlib.contextmanager
def parallel_chunksize(n):
    """A block in which the calling thread asks for so many iterations at a time."""
    before = set_parallel_chunksize(n)
    try:
        yield
    finally:
        set_parallel_chunksize(before)


def _in_compiled_code():
    """Lets compiled code call the functions, too: it calls back."""
    from ctypes import CFUNCTYPE, c_int64

    from .decorators import njit

    get, limit = CFUNCTYPE(c_int64)(get_num_threads), CFUNCTYPE(c_int64, c_int64)(_limit)
    get_size = CFUNCTYPE(c_int64)(get_parallel_chunksize)
    put_size = CFUNCTYPE(c_int64, c_int64)(set_parallel_chunksize)

    def set_limit(n):
        if limit(n) == 0:
            raise ValueError("The number of threads must be between 1 and NUMBA_NUM_THREADS")

    def set_size(n):
        if n < 0:
            raise ValueError("chunksize must be greater than or equal to zero")
        return put_size(n)

    get_num_threads._rumba_jitable = njit(lambda: get())
    get_thread_id._rumba_jitable = njit(lambda: 0)
    set_num_threads._rumba_jitable = njit(set_limit)
    get_parallel_chunksize._rumba_jitable = njit(lambda: get_size())
    set_parallel_chunksize._rumba_jitable = njit(set_size)


def _limit(n):
    try:
        set_num_threads(n)
    except ValueError:
        return 0
    return 1


if not config.DISABLE_JIT:
    _in_compiled_code()
