"""`numba.core.untyped_passes`."""
from ...numba_pipeline.machinery import AnalysisPass, FunctionPass, SSACompliantMixin, register_pass
from ...numba_pipeline.untyped import (
    CanonicalizeLoopEntry, CanonicalizeLoopExit, DeadBranchPrune, ExtractByteCode, FindLiterallyCalls, FixupArgs,
    GenericRewrites, InlineClosureLikes, InlineInlinables, IRProcessing, IterLoopCanonicalization,
    LiteralPropagationSubPipelinePass, LiteralUnroll, MakeFunctionToJitFunction, MixedContainerUnroller,
    PreserveIR, ReconstructSSA, RewriteDynamicRaises, RewriteSemanticConstants, SimplifyCFG,
    TransformLiteralUnrollConstListToTuple, TranslateByteCode, WithLifting)
from .._missing import missing

__getattr__ = missing(__name__)
