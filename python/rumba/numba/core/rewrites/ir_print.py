"""`numba.core.rewrites.ir_print`."""
from ....rewriting.builtin import DetectConstPrintArguments, RewritePrintCalls
from ..._missing import missing

__getattr__ = missing(__name__)
