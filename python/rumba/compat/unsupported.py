"""Names of Numba that Rumba does not support yet: they can be imported and used in definitions, and raise an error
when used.

Each stands under Numba's name. Decorating gives a placeholder; calling that raises NotImplementedError
with the place of the definition. `prange` and the like are no matter of this module: they work,
serially.
"""
import functools
import sys


class Placeholder:
    """A function or class whose decorator is not there yet."""

    def __init__(self, what, decorated, place):
        functools.update_wrapper(self, decorated)
        self.py_func = decorated
        # The compiler shows it where compiled code names the function.
        self._rumba_missing = (
            f"'{getattr(decorated, '__name__', decorated)}' is decorated with @{what} ({place}), which Rumba does "
            "not have yet")

    def __call__(self, *args, **keywords):
        raise NotImplementedError(f"{self._rumba_missing}; the plain function is its attribute `py_func`")

    def __repr__(self):
        return f"<{self._rumba_missing}>"


def _decorator(what, doc):
    def decorator(*args, **options):
        place = _place(sys._getframe(1))

        def decorate(decorated):
            return Placeholder(what, decorated, place)

        # Used plain, or with signatures and options.
        plain = len(args) == 1 and not options and (isinstance(args[0], type) or type(args[0]) is type(_place))
        return decorate(args[0]) if plain else decorate

    decorator.__name__ = decorator.__qualname__ = what
    decorator.__doc__ = doc
    decorator._rumba_missing = f"Rumba does not have `{what}` yet"
    return decorator


def _place(frame):
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"


cuda_jit = _decorator("cuda.jit", "A kernel for a graphics card: not there yet.")


class _Context:
    """A context manager that plain Python enters and leaves, and compiled code does not know yet."""

    def __init__(self, what):
        self._rumba_missing = f"Rumba does not have `{what}` yet"

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        return False


bypass_context, call_context = map(_Context, ("bypass_context", "call_context"))


def _function(what, doc):
    def function(*args, **keywords):
        raise NotImplementedError(f"{function._rumba_missing}")

    function.__name__ = function.__qualname__ = what
    function.__doc__ = doc
    function._rumba_missing = f"Rumba does not have `{what}` yet"
    return function


empty_inferred = _function("empty_inferred", "An array whose items are of the type of what is put in: not there yet.")


class PyCallWrapper:
    """The machine code of a call from Python, written with llvmlite: Rumba's calls do without, so that none can be made."""

    def __init__(self, *args, **keywords):
        raise NotImplementedError("a wrapper for calls from Python is made by Rumba itself: `PyCallWrapper` cannot be used")
