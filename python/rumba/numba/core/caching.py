"""`numba.core.caching`. There are no index files: code is found by its content, in one folder, which all locators name."""
from ...dispatch.function_cache import (  # noqa: F401
    CacheImpl, CompileResultCacheImpl, FunctionCache, InTreeCacheLocator, InTreeCacheLocatorFsAgnostic, IPythonCacheLocator,
    NullCache, UserProvidedCacheLocator, UserWideCacheLocator, ZipCacheLocator, _Cache, _CacheLocator,
)
from .._missing import missing

Cache = FunctionCache

__getattr__ = missing(__name__)
