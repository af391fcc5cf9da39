"""`numba.core.compiler`."""
from ...compiler import DEFAULT_FLAGS, Flags, compile_extra
from ...dispatcher import CompileResult
from .._missing import missing

__getattr__ = missing(__name__)
