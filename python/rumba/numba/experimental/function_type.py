"""`numba.experimental.function_type`: functions as values."""
from ...c_interop.callbacks import wrapper_address as _get_wrapper_address
from ...types import CompileResultWAP, FunctionType, UndefinedFunctionType, WrapperAddressProtocol
from .._missing import missing

__getattr__ = missing(__name__)
