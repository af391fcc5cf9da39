"""`numba.core.bytecode`."""
from ...bytecode import ByteCode, ByteCodeInst, FunctionIdentity
from ...bytecode import load_global_name as _fix_LOAD_GLOBAL_arg
from .._missing import missing

__getattr__ = missing(__name__)
