"""What tests need to look inside: the reference interpreter behind a dispatcher."""


def interpret(dispatcher, *args):
    """Runs the function's Explicit phase in the reference interpreter.

    `dispatcher` is compiled for the types of `args` as a call would compile it. Returns what the
    call would return and raises what it would raise.

        >>> import rumba, rumba.testing
        >>> add = rumba.njit(lambda a, b: a + b)
        >>> rumba.testing.interpret(add, 1, 2)
        3
    """
    from . import _rumba

    return _rumba.interpreter.run(dispatcher, *args)
