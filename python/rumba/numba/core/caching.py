"""`numba.core.caching`. There are no locators and index files: code is found by its content, in one folder."""
from ...function_cache import FunctionCache, NullCache, _Cache  # noqa: F401
from .._missing import missing

Cache = FunctionCache

__getattr__ = missing(__name__)
