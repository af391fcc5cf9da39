"""Counters of the memory that compiled code asked for.

Every block that compiled code allocates is a counted one, so the counters of both kinds agree.
"""
import collections

from ._rumba import allocation_counts

nrt_mstats = collections.namedtuple("nrt_mstats", ["alloc", "free", "mi_alloc", "mi_free"])


class Runtime:
    """What programs ask the runtime of compiled code."""

    def get_allocation_stats(self):
        """Blocks and counted blocks that were allocated and freed since the process began."""
        return nrt_mstats(
            memsys_get_stats_alloc(), memsys_get_stats_free(), memsys_get_stats_mi_alloc(),
            memsys_get_stats_mi_free())

    def initialize(self, ctx):
        """There is nothing to prepare."""

    def shutdown(self):
        """There is nothing to give back."""


rtsys = Runtime()


def memsys_enable_stats():
    """Counting costs nothing, so it is always on."""


def memsys_disable_stats():
    """Counting costs nothing, so it stays on."""


def memsys_stats_enabled():
    """Whether the counters count."""
    return True


def memsys_get_stats_alloc():
    """Blocks allocated."""
    return allocation_counts()[0]


def memsys_get_stats_free():
    """Blocks freed."""
    return allocation_counts()[1]


def memsys_get_stats_mi_alloc():
    """Counted blocks allocated."""
    return allocation_counts()[0]


def memsys_get_stats_mi_free():
    """Counted blocks freed."""
    return allocation_counts()[1]
