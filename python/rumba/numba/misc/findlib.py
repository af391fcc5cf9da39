"""`numba.misc.findlib`."""
from ...tools.find_library import find_file, find_lib, get_lib_dirs
from .._missing import missing

__all__ = ["find_file", "find_lib", "get_lib_dirs"]
__getattr__ = missing(__name__)
