"""Implementations for functions with `parallel=True`.

In such a function the compiler asks for `<function>.in_parallel` before it asks for the function itself. Mostly that is the same overload
function, asked while `is_asked` says so: what it is made of (`numpy.parallel_rows`) then gives what runs on several threads. Where nothing
of it does, the function refuses, and the plain implementation is used.
"""
import contextlib
import functools
import inspect
import threading

# Loops over `prange` are parallel in such code; calls in it are those of any function.
LOOPS = {"prange": True, "numpy": False, "stencil": False}

_thread = threading.local()


def is_asked():
    """Whether code for several threads is wanted."""
    return getattr(_thread, "depth", 0) > 0


def note():
    """What is being made runs on several threads."""
    _thread.found = True


@contextlib.contextmanager
def _asking():
    depth, found = getattr(_thread, "depth", 0), getattr(_thread, "found", False)
    _thread.depth, _thread.found = depth + 1, False
    try:
        yield
    finally:
        _thread.depth, _thread.found = depth, found


@contextlib.contextmanager
def _pause():
    depth, _thread.depth = getattr(_thread, "depth", 0), 0
    try:
        yield
    finally:
        _thread.depth = depth


def with_alone(make):
    """The same function that makes a kernel. A kernel for several threads knows as `alone` the one for a thread that has others beside it."""
    @functools.wraps(make)
    def make_both(*args):
        made = make(*args)
        if is_asked():
            with _pause():
                made.alone = make(*args)
        return made
    return make_both


def alone(kernel):
    """A kernel for a thread that has others beside it."""
    return getattr(kernel, "alone", kernel)


def asking(find):
    """The same overload function, asked for code that runs on several threads."""
    @functools.wraps(find)
    def ask(*args, **keywords):
        with _asking():
            found = find(*args, **keywords)
            return found if _thread.found else None
    ask.__signature__ = inspect.signature(find)
    return ask


def name_of(function, part=""):
    """The name under which such code of a function is asked for: `part` begins the names of what has a switch of its own."""
    from ..extending import overload_registry

    return f"{overload_registry.name_of_key(function)}.{part}in_parallel"
