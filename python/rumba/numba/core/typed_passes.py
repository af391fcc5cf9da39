"""`numba.core.typed_passes`."""
from ...numba_pipeline.machinery import AnalysisPass, FunctionPass, LoweringPass, register_pass
from ...numba_pipeline.typed import (
    AnnotateTypes, BaseTypeInference, DeadCodeElimination, DumpParforDiagnostics, InlineOverloads, IRLegalization,
    NativeLowering, NativeParforLowering, NoPythonBackend, NopythonRewrites, NoPythonSupportedFeatureValidation,
    NopythonTypeInference, ParforFusionPass, ParforPass, ParforPreLoweringPass, PartialTypeInference,
    PreLowerStripPhis, PreParforPass, _TypingResults, fallback_context, type_inference_stage)
from .._missing import missing

__getattr__ = missing(__name__)
