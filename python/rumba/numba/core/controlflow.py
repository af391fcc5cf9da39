"""`numba.core.controlflow`."""
from ...bytecode import CFBlock, ControlFlowAnalysis
from ...controlflow import CFGraph, Loop
from .._missing import missing

__getattr__ = missing(__name__)
