"""`numba.core.compiler_machinery`."""
from ...numba_pipeline.machinery import (
    AnalysisPass, AnalysisUsage, CompilerPass, FunctionPass, LoweringPass, PassManager, PassRegistry,
    SSACompliantMixin, _pass_registry, pass_info, pass_timings, register_pass)
from .._missing import missing

__getattr__ = missing(__name__)
