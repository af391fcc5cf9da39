"""The cache of one function, for programs that look into `dispatcher._cache`.

Machine code is looked up and kept by the compiler, under a hash of what it is made from. So there is nothing to flush and no index to write, and
where files are is said by variables alone.
"""
import os

from ._rumba import library


class _Cache:
    """What caches have in common."""

    @property
    def cache_path(self):
        """The folder, or None."""
        return None

    def enable(self):
        """Lets the function use the cache."""

    def disable(self):
        """Keeps the function from the cache."""

    def flush(self):
        """Has no effect: files are written when code is made, and old ones are never taken for new ones."""


class NullCache(_Cache):
    """The cache of a function without `cache=True`."""

    def load_overload(self, sig, target_context=None):
        """Nothing."""

    def save_overload(self, sig, data):
        """Has no effect."""


class FunctionCache(_Cache):
    """The cache of a function. Of a dispatcher `enable` and `disable` say whether what compiles from now on goes there."""

    def __init__(self, py_func, dispatcher=None):
        self._py_func, self._dispatcher = py_func, dispatcher

    @property
    def cache_path(self):
        """The folder; None if there is none."""
        return os.fspath(library.objects) if library.objects else None

    def _set(self, on):
        if self._dispatcher is not None:
            self._dispatcher.targetoptions["cache"] = on

    def enable(self):
        """From now on what is compiled is looked up and kept."""
        self._set(True)

    def disable(self):
        """From now on the function is compiled without the cache."""
        self._set(False)

    def load_overload(self, sig, target_context=None):
        """What is compiled for a signature, with the machine code of the cache if it is there; None without a dispatcher."""
        return None if self._dispatcher is None else self._dispatcher.get_compile_result(sig)

    def save_overload(self, sig, data):
        """Has no effect: it was kept when it was made."""

    def __repr__(self):
        return f"<FunctionCache py_func={self._py_func.__name__!r}>"
