"""`numba.core.bytecode`."""
from ...numba_ir.bytecode import ByteCode, ByteCodeInst, FunctionIdentity
from ...numba_ir.bytecode import load_global_name as _fix_LOAD_GLOBAL_arg
from .._missing import missing

__getattr__ = missing(__name__)
