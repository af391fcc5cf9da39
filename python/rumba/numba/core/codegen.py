"""`numba.core.codegen`, which needs llvmlite."""
from ...codegen.libraries import CPUCodegen, CPUCodeLibrary, JITCodeLibrary, JITCPUCodegen
from .._missing import missing

__all__ = ["CPUCodeLibrary", "CPUCodegen", "JITCPUCodegen", "JITCodeLibrary"]
__getattr__ = missing(__name__)
