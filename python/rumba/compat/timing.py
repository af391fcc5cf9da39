"""Measures the time of a call: `benchmark` of `numba.core.utils`."""
import math
import timeit


class BenchmarkResult:
    """The times of several runs of a function in seconds per call, of which the best counts."""

    def __init__(self, func, records, loop):
        self.func, self.loop = func, loop
        self.records = sorted(seconds / loop for seconds in records)
        self.best = self.records[0]

    def __repr__(self):
        name = getattr(self.func, "__name__", self.func)
        return f"{name}: {self.loop} loops, best of {len(self.records)}: {format_time(self.best)} per loop"

    def __lt__(self, other):
        return self.best < other.best

    def __eq__(self, other):
        return self.best == other.best

    __hash__ = None


def format_time(seconds):
    """A time in a unit of which it is at least one."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.1f}{unit}"
    return f"{seconds * 1e9:.1f}ns"


def benchmark(func, maxsec=1):
    """Times `func()`, in no more than about `maxsec` seconds where one call takes less."""
    timer = timeit.Timer(func)
    number = 1
    taken = timer.timeit(1)
    while taken < maxsec / 100 and number < 10**9:
        number *= 10
        taken = timer.timeit(number)
    repeat = max(1, min(100, math.floor(maxsec / max(taken, 1e-9)) - 1))
    return BenchmarkResult(func, timer.repeat(repeat, number), number)
