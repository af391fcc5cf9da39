"""`numba.core.compiler`."""
from ...numba_pipeline.compiler import DEFAULT_FLAGS, Compiler, CompilerBase, Flags, compile_extra, compile_ir, run_frontend
from ...dispatch.dispatcher import CompileResult
from ...numba_pipeline.builder import DefaultPassBuilder
from ...numba_pipeline.machinery import PassManager
from ...numba_pipeline.state import StateDict, _CompileStatus
from ...numba_pipeline.typed import (
    AnnotateTypes, DeadCodeElimination, DumpParforDiagnostics, InlineOverloads, IRLegalization, NativeLowering,
    NativeParforLowering, NoPythonBackend, NopythonRewrites, NoPythonSupportedFeatureValidation,
    NopythonTypeInference, ParforFusionPass, ParforPass, ParforPreLoweringPass, PreLowerStripPhis, PreParforPass,
    type_inference_stage)
from ...numba_pipeline.untyped import (
    CanonicalizeLoopEntry, CanonicalizeLoopExit, DeadBranchPrune, ExtractByteCode, FindLiterallyCalls, FixupArgs,
    GenericRewrites, InlineClosureLikes, InlineInlinables, IRProcessing, IterLoopCanonicalization,
    LiteralPropagationSubPipelinePass, LiteralUnroll, MakeFunctionToJitFunction, MixedContainerUnroller,
    PreserveIR, ReconstructSSA, RewriteDynamicRaises, RewriteSemanticConstants, SimplifyCFG,
    TransformLiteralUnrollConstListToTuple, TranslateByteCode, WithLifting)
from .._missing import missing

__getattr__ = missing(__name__)
