"""Rumba: a just-in-time compiler for Python functions over numbers and NumPy arrays.

    from rumba import njit

    @njit
    def total(n):
        s = 0
        for i in range(n):
            s += i
        return s

Importing the package costs next to nothing: the compiler is loaded when the first function is
decorated, and the rest of the API when it is first named.
"""
from .decorators import jit, njit

__version__ = "0.1.0"

__all__ = ["errors", "jit", "njit", "__version__"]

# Public names that are loaded on first use, and the module each comes from ("" for a submodule).
_LAZY = {
    "errors": "",
    "Dispatcher": "_rumba",
}


def __getattr__(name):
    module = _LAZY.get(name)
    if module is None:
        if name in _error_names():
            module = "errors"
        else:
            raise AttributeError(f"module 'rumba' has no attribute {name!r}")
    from importlib import import_module

    value = import_module(f"rumba.{module or name}")
    if module:
        value = getattr(value, name)
    globals()[name] = value
    return value


def _error_names():
    from . import errors

    return errors.__all__


def __dir__():
    return sorted({*globals(), *_LAZY})
