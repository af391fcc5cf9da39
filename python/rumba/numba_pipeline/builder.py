"""Numba's standard pipelines: their passes, in order."""
from . import typed, untyped
from .machinery import PassManager


class DefaultPassBuilder:
    """Lists of passes to start from: add passes of your own, then `finalize()`."""

    @staticmethod
    def define_nopython_pipeline(state, name="nopython"):
        """All of a function that becomes machine code."""
        return _made(name, state, _of_untyped(state), _of_typed(state), _of_lowering(state))

    @staticmethod
    def define_untyped_pipeline(state, name="untyped"):
        """Those before types are known."""
        return _made(name, state, _of_untyped(state))

    @staticmethod
    def define_typed_pipeline(state, name="typed"):
        """Inference and the passes after it."""
        return _made(name, state, _of_typed(state))

    @staticmethod
    def define_nopython_lowering_pipeline(state, name="nopython_lowering"):
        """Those that make machine code."""
        return _made(name, state, _of_lowering(state))

    define_parfor_gufunc_nopython_lowering_pipeline = define_nopython_lowering_pipeline

    @staticmethod
    def define_objectmode_pipeline(state, name="object"):
        """Those of a function that Python runs."""
        return _made(name, state, [
            (untyped.TranslateByteCode, "analyzing bytecode"), (untyped.FixupArgs, "fix up args"),
            (untyped.IRProcessing, "processing IR"), (untyped.ObjectModeFrontEnd, "object mode frontend"),
            (untyped.InlineClosureLikes, "inline calls to locally defined closures"),
            (untyped.MakeFunctionToJitFunction, "convert make_function into JIT functions"),
            (typed.IRLegalization, "ensure IR is legal prior to lowering"), (typed.AnnotateTypes, "annotate types"),
            (typed.ObjectModeBackEnd, "object mode backend")])


def _made(name, state, *parts):
    manager = PassManager(name)
    for passes in parts:
        for pass_cls, description in passes:
            manager.add_pass(pass_cls, description)
    return manager


def _rewrites(state):
    return not getattr(state.flags, "no_rewrites", False)


def _is_parallel(state):
    return bool(getattr(getattr(state.flags, "auto_parallel", None), "enabled", False))


def _of_untyped(state):
    if getattr(state, "func_ir", None) is None:
        yield untyped.TranslateByteCode, "analyzing bytecode"
        yield untyped.FixupArgs, "fix up args"
    yield untyped.IRProcessing, "processing IR"
    yield untyped.WithLifting, "Handle with contexts"
    yield untyped.InlineClosureLikes, "inline calls to locally defined closures"
    if _rewrites(state):
        yield untyped.RewriteSemanticConstants, "rewrite semantic constants"
        yield untyped.DeadBranchPrune, "dead branch pruning"
        yield untyped.GenericRewrites, "nopython rewrites"
    yield untyped.RewriteDynamicRaises, "rewrite dynamic raises"
    yield untyped.MakeFunctionToJitFunction, "convert make_function into JIT functions"
    yield untyped.InlineInlinables, "inline inlinable functions"
    if _rewrites(state):
        yield untyped.DeadBranchPrune, "dead branch pruning"
    yield untyped.FindLiterallyCalls, "find literally calls"
    yield untyped.LiteralUnroll, "handles literal_unroll"
    yield untyped.LiteralPropagationSubPipelinePass, "Literal propagation"
    yield untyped.ReconstructSSA, "ssa"


def _of_typed(state):
    yield typed.NopythonTypeInference, "nopython frontend"
    if _is_parallel(state):
        yield typed.PreParforPass, "Preprocessing for parfors"
    yield typed.InlineOverloads, "inline overloaded functions"
    if _rewrites(state):
        yield typed.NopythonRewrites, "nopython rewrites"
    if _is_parallel(state):
        yield typed.ParforPass, "convert to parfors"
        yield typed.ParforFusionPass, "fuse parfors"
        yield typed.ParforPreLoweringPass, "parfor prelowering"


def _of_lowering(state):
    yield typed.PreLowerStripPhis, "remove phis nodes"
    yield typed.IRLegalization, "ensure IR is legal prior to lowering"
    yield typed.AnnotateTypes, "annotate types"
    yield typed.NativeLowering, "native lowering"
    yield typed.NoPythonBackend, "nopython mode backend"
    yield typed.DumpParforDiagnostics, "dump parfor diagnostics"
