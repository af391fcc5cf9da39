"""Allocation statistics of compiled code.

Every block that compiled code allocates is a counted one, so the counters of both kinds agree. Counting costs nothing and goes
on always; what happens while the statistics are switched off is left out of what they say.
"""
import collections
import os

from ._rumba import MemInfo, allocation_counts
from ._rumba import c_helpers as _c_helpers

nrt_mstats = collections.namedtuple("nrt_mstats", ["alloc", "free", "mi_alloc", "mi_free"])


def __getattr__(name):
    # Addresses of functions of C: `get_api` gives a table of those in `nrt_external.h`, the others are called by machine code.
    # From when they are known on, references are counted by atomic instructions.
    if name == "c_helpers":
        found = globals()[name] = dict(_c_helpers())
        return found
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


class Runtime:
    """Allocation statistics of the runtime."""

    def get_allocation_stats(self):
        """Blocks and reference-counted blocks that were allocated and freed since the process started; raises
        RuntimeError while the statistics are disabled."""
        return nrt_mstats(
            memsys_get_stats_alloc(), memsys_get_stats_free(), memsys_get_stats_mi_alloc(),
            memsys_get_stats_mi_free())

    def meminfo_alloc(self, size, safe=False):
        """A new block of counted memory: a `MemInfo`, whose bytes are a buffer. ValueError for a negative size, MemoryError if
        there is no memory."""
        return MemInfo.allocate(size)

    def meminfo_new(self, data, pyobj):
        """A block over memory at an address, which keeps an object alive: a `MemInfo`."""
        return MemInfo.over(data, pyobj)

    def initialize(self, ctx):
        """There is nothing to prepare."""

    def shutdown(self):
        """There is nothing to give back."""


rtsys = Runtime()


class _Statistics:
    """What is counted, and what of it is left out."""

    def __init__(self):
        self.left_out = (0, 0)
        # The counters as they stood when the statistics were switched off; None while they are on.
        self.stopped = None

    def stop(self):
        if self.stopped is None:
            self.stopped = allocation_counts()

    def start(self):
        if self.stopped is not None:
            passed = [now - then for now, then in zip(allocation_counts(), self.stopped)]
            self.left_out = tuple(old + new for old, new in zip(self.left_out, passed))
            self.stopped = None

    def read(self, which):
        if self.stopped is not None:
            raise RuntimeError("NRT stats are disabled. Call memsys_enable_stats() first.")
        return allocation_counts()[which] - self.left_out[which]


_statistics = _Statistics()
if any(os.environ.get(f"{package}_NRT_STATS") == "0" for package in ("RUMBA", "NUMBA")):
    _statistics.stop()


def memsys_enable_stats():
    """Enables the statistics, which are enabled initially."""
    _statistics.start()


def memsys_disable_stats():
    """Disables the statistics."""
    _statistics.stop()


def memsys_stats_enabled():
    """Whether the statistics are enabled."""
    return _statistics.stopped is None


def memsys_get_stats_alloc():
    """Blocks allocated."""
    return _statistics.read(0)


def memsys_get_stats_free():
    """Blocks freed."""
    return _statistics.read(1)


def memsys_get_stats_mi_alloc():
    """Reference-counted blocks allocated."""
    return _statistics.read(0)


def memsys_get_stats_mi_free():
    """Reference-counted blocks freed."""
    return _statistics.read(1)
