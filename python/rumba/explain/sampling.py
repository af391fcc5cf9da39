"""Processor time by source line, from samples.

    with sampling() as samples:
        prog()
    f.explain(samples=samples)
"""
import contextlib

from .. import _rumba


class Samples:
    """Samples of a program: `total`, and `lines`, the number of samples in compiled code by (file, line)."""

    def __init__(self):
        self.total, self.lines = 0, {}

    @property
    def compiled(self):
        """The number of samples in compiled code, or in what it calls."""
        return sum(self.lines.values())

    def __repr__(self):
        return f"<{self.total} samples, {self.compiled} of them in compiled code>"


@contextlib.contextmanager
def sampling(interval=0.001):
    """A context manager that samples the process while its block runs, all threads included.

    Lines are known of code that was compiled in processes started with ``RUMBA_PERF=samples``. Time that passes in functions of
    the library, of NumPy or of C counts for the line that calls them.

    Parameters
    ----------
    interval : float
        Seconds of processor time between two samples. Linux takes no more of them than its clock ticks, 100 to 1000 in a second.

    Yields
    ------
    Samples
        Empty until the block ends.

    Raises
    ------
    OSError
        If samples are being taken already.
    """
    samples = Samples()
    _rumba.start_sampling(round(interval * 1e6))
    try:
        yield samples
    finally:
        samples.total, found = _rumba.stop_sampling()
        for file, line, count in found:
            samples.lines[file, line] = count
