"""The cache of one function, for programs that use `dispatcher._cache`.

Machine code is looked up and kept by the compiler, under a hash of what it is made from. So there is nothing to flush and no index to write, and
where files are is said by variables alone.
"""
import os

from .. import config
from .._rumba import library


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


def _all_below(cls):
    for below in cls.__subclasses__():
        yield below
        yield from _all_below(below)


class FunctionCache(_Cache):
    """The cache of a function. Of a dispatcher `enable` and `disable` say whether what compiles from now on goes there."""

    def __init__(self, py_func, dispatcher=None):
        self._py_func, self._dispatcher = py_func, dispatcher
        known = {cls.__name__ for cls in _all_below(_CacheLocator)}
        unknown = [name for name in config.CACHE_LOCATOR_CLASSES.split(",") if name.strip() and name.strip() not in known]
        if unknown:
            raise RuntimeError(f"the setting CACHE_LOCATOR_CLASSES names {unknown[0]!r}, which is no locator")

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


class _CacheLocator:
    """Says where the cache of a function is: in the one folder, whatever its file is."""

    def __init__(self, py_func, py_file):
        self._py_func, self._py_file = py_func, py_file

    @classmethod
    def from_function(cls, py_func, py_file):
        """A locator for a function of a file."""
        return cls(py_func, py_file)

    def get_cache_path(self):
        """The folder."""
        return os.fspath(library.objects)

    def ensure_cache_path(self):
        """Makes the folder if it is not there."""
        os.makedirs(self.get_cache_path(), 0o700, exist_ok=True)

    def get_source_stamp(self):
        """Nothing: code is found by its content, and not by its file."""

    def get_disambiguator(self):
        """What tells functions of one name apart: nothing has to."""
        return None


class UserProvidedCacheLocator(_CacheLocator):
    """See `_CacheLocator`."""


class InTreeCacheLocator(_CacheLocator):
    """See `_CacheLocator`."""


class InTreeCacheLocatorFsAgnostic(InTreeCacheLocator):
    """See `_CacheLocator`."""


class UserWideCacheLocator(_CacheLocator):
    """See `_CacheLocator`."""


class IPythonCacheLocator(_CacheLocator):
    """See `_CacheLocator`."""


class ZipCacheLocator(_CacheLocator):
    """See `_CacheLocator`."""


class CacheImpl:
    """What a cache of Numba asks where the files of a function are. `_locator_classes` is the list of locators that packages extend: it is kept for
    them, and the first that takes a function is its locator. Machine code is found by its content whatever a locator says."""

    _locator_classes = [UserProvidedCacheLocator, InTreeCacheLocator, UserWideCacheLocator, IPythonCacheLocator, ZipCacheLocator]

    def __init__(self, py_func):
        file, name = py_func.__code__.co_filename, py_func.__qualname__
        locators = (cls.from_function(py_func, file) for cls in self._locator_classes)
        self._locator = next((locator for locator in locators if locator is not None), None)
        if self._locator is None:
            raise RuntimeError(f"cannot cache function {name!r}: no locator available for file {file!r}")
        self._filename_base = f"{name}-{py_func.__code__.co_firstlineno}"

    @property
    def locator(self):
        """The first locator that takes the function."""
        return self._locator

    @property
    def filename_base(self):
        """The name and the line of the function."""
        return self._filename_base

    def check_cachable(self, data):
        """True: what cannot be kept is refused when it is compiled."""
        return True


class CompileResultCacheImpl(CacheImpl):
    """See `CacheImpl`."""
