"""Tells coverage.py of compiled lines, if the setting JIT_COVERAGE asks for it: Numba's `numba.misc.coverage_support`.

A line counts when it is compiled, not when it runs. Whatever wants to know is a class with the methods of
`NotifyLocBase`, which a function of `_the_registry` makes for each compilation.
"""
import abc
import importlib.util
import sys

from .. import config

coverage_available = importlib.util.find_spec("coverage") is not None

# The context of compiled lines in the data of coverage.py.
_CONTEXT = "numba_compiled"

# What is asked for somebody to tell, before each compilation: each gives an object, or None.
_the_registry = []


class NotifyLocBase(abc.ABC):
    """Somebody who is told of compiled lines."""

    @abc.abstractmethod
    def notify(self, loc):
        """A line was compiled: a `numba.core.ir.Loc`."""

    @abc.abstractmethod
    def close(self):
        """All lines of a compilation were told."""


class NotifyCompilerCoverage(NotifyLocBase):
    """Puts compiled lines into the data of coverage.py, in the context `numba_compiled`."""

    def __init__(self, collector):
        self._collector = collector
        self._lines = {}

    def notify(self, loc):
        """Notes a line, if coverage.py wants to know of its file."""
        collector = self._collector
        if not loc.filename.endswith(".py"):
            return
        choice = collector.should_trace_cache.get(loc.filename)
        if choice is None:
            choice = collector.should_trace_cache[loc.filename] = collector.should_trace(loc.filename, None)
        if choice.trace:
            self._lines.setdefault(choice.source_filename, set()).add(loc.line)

    def close(self):
        """Writes the lines; where branches are measured, each is a step from the line to itself."""
        collector = self._collector
        if not self._lines:
            return
        collector.switch_context(_CONTEXT)
        if collector.branch:
            steps = {file: [(line, line) for line in lines] for file, lines in self._lines.items()}
            collector.covdata.add_arcs(collector.mapped_file_dict(steps))
        else:
            collector.covdata.add_lines(collector.mapped_file_dict(self._lines))
        collector.switch_context(None)


@_the_registry.append
def _coverage_that_runs():
    coverage = sys.modules.get("coverage")
    current = coverage.Coverage.current() if coverage is not None else None
    collector = getattr(current, "_collector", None)
    if collector is not None and collector.tracers:
        return NotifyCompilerCoverage(collector)
    return None


def get_registered_loc_notify():
    """Whoever is to be told of the lines of a compilation: nobody, unless the setting JIT_COVERAGE is on."""
    if not config.JIT_COVERAGE:
        return []
    return [notifier for notifier in (make() for make in _the_registry) if notifier is not None]


def tell(places):
    """Tells of compiled lines: pairs of a file and a line."""
    notifiers = get_registered_loc_notify()
    if not notifiers:
        return
    from ..numba_ir.nodes import Loc

    for file, line in places:
        for notifier in notifiers:
            notifier.notify(Loc(file, line))
    for notifier in notifiers:
        notifier.close()
