"""What libraries use to teach the compiler their functions."""


def is_jitted(function):
    """Whether a value is a compiled function."""
    from ._rumba import Dispatcher

    return isinstance(function, Dispatcher)


def register_jitable(*args, **options):
    """Lets compiled functions call a function, which stays a plain one for Python.

    Used plain (`@register_jitable`) or with options of `jit`.
    """
    from .decorators import njit

    def mark(function):
        function._rumba_jitable = njit(function, **options)
        return function

    return mark(args[0]) if args else mark
