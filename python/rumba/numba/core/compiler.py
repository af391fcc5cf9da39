"""`numba.core.compiler`."""
from ...compiler import DEFAULT_FLAGS, Compiler, CompilerBase, Flags, compile_extra, run_frontend
from ...dispatcher import CompileResult
from .._missing import missing

__getattr__ = missing(__name__)
