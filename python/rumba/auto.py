"""Plain Python functions that compiled functions with `auto=True` call: they are compiled, too."""


def compiled(function):
    """The compiled form of a plain function, which keeps it; its own plain callees follow.

    >>> def half(x):
    ...     return x / 2
    >>> compiled(half)(3)
    1.5
    >>> compiled(half) is compiled(half)
    True
    """
    found = function.__dict__.get("_rumba_auto")
    if found is None or found.py_func is not function:
        from rumba.decorators import njit

        found = function._rumba_auto = njit(auto=True)(function)
    return found
