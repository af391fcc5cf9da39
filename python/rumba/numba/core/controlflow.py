"""`numba.core.controlflow`."""
from ...numba_ir.bytecode import CFBlock, ControlFlowAnalysis
from ...numba_ir.controlflow import CFGraph, Loop
from .._missing import missing

__getattr__ = missing(__name__)
