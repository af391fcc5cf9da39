"""Generators whose frames an interpreter of the compiler runs."""


def values_of(resume):
    """A generator of the values that `resume(sent, raised)` gives with True; with False it gives the result.

    >>> steps = iter([(1, True), (2, True), ("result", False)])
    >>> list(values_of(lambda sent, raised: next(steps)))
    [1, 2]
    """
    sent = raised = None
    while True:
        value, goes_on = resume(sent, raised)
        if not goes_on:
            return value
        sent = raised = None
        try:
            sent = yield value
        except BaseException as error:
            raised = error
