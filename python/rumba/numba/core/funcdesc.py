"""`numba.core.funcdesc`."""
from ...compat.function_descriptors import FunctionDescriptor, PythonFunctionDescriptor
from ...tools.name_mangling import default_mangler
from .._missing import missing

__all__ = ["FunctionDescriptor", "PythonFunctionDescriptor", "default_mangler"]
__getattr__ = missing(__name__)
