"""Calls of modules above: `upcalls.typeof(value)` asks by name what `rumba.wiring` answers.

So imports go one way: a module names its questions, and need not know who answers. Absent: the answers.
"""


def answer(function):
    """Decorates what answers the question of its name."""
    globals()[function.__name__] = function
    return function
