"""`numba.np.ufunc.parallel`."""
from ....parallel.thread_pool import (
    get_num_threads, get_parallel_chunksize, get_thread_count, get_thread_id, set_num_threads, set_parallel_chunksize,
    threading_layer,
)
from ..._missing import missing


def _launch_threads():
    """Settles how many threads there are: the pool itself starts with the first loop."""
    from ...._rumba import init_threads

    init_threads()


__getattr__ = missing(__name__)
