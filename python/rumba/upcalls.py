"""Calls of higher-level modules: `upcalls.typeof(value)` calls by name the implementation that `rumba.wiring`
provides.

So imports go one way: a module names its questions, and need not know who answers. Absent: the answers.
"""


def answer(function):
    """Decorates what answers the question of its name."""
    globals()[function.__name__] = function
    return function
