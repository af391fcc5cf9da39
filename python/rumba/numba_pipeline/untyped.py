"""Numba's passes before type inference. Some do their work here, on the function in Numba's form; for others the
compiler does the work later, and they only mark a position."""
from ..numba_ir.postproc import PostProcessor
from ..numba_ir.transforms import simplify_CFG
from ..numba_ir.utils import remove_dels
from ..rewriting import rewrite_registry, run
from . import inline, prune, bridge
from .machinery import AnalysisPass, FunctionPass, SSACompliantMixin, register_pass
from .ssa import reconstruct_ssa


class _Place(SSACompliantMixin, FunctionPass):
    """A pass whose work is done by the compiler, when code is made."""

    def run_pass(self, state):
        """Leaves the function as it is."""
        return False


def _place(name, doc, mutates_CFG=False):
    """A pass that is a place in the order."""
    cls = type("".join(word.capitalize() for word in name.split("_")), (_Place,), {"_name": name, "__doc__": doc})
    return register_pass(mutates_CFG=mutates_CFG, analysis_only=False)(cls)


@register_pass(mutates_CFG=True, analysis_only=False)
class ExtractByteCode(FunctionPass):
    """Looks at what is compiled."""

    _name = "extract_bytecode"

    def run_pass(self, state):
        """Notes the bytecode."""
        from ..numba_ir.bytecode import ByteCode

        state["bc"] = ByteCode(state["func_id"])
        return True


@register_pass(mutates_CFG=True, analysis_only=False)
class TranslateByteCode(FunctionPass):
    """Bytecode to the function in Numba's shape."""

    _name = "translate_bytecode"

    def run_pass(self, state):
        """Makes `state.func_ir`."""
        options = {"locals": state["locals"]} if state.get("locals") else None
        state["func_ir"] = bridge.frontend(state["func_id"].func, options)
        return True


@register_pass(mutates_CFG=True, analysis_only=False)
class FixupArgs(FunctionPass):
    """Counts parameters."""

    _name = "fixup_args"

    def run_pass(self, state):
        """Notes how many there are."""
        state["nargs"] = state["func_ir"].arg_count
        return True


@register_pass(mutates_CFG=False, analysis_only=False)
class IRProcessing(FunctionPass):
    """Definitions of variables."""

    _name = "ir_processing"

    def run_pass(self, state):
        """Brings them up to date."""
        PostProcessor(state["func_ir"]).run()
        return True


@register_pass(mutates_CFG=False, analysis_only=False)
class RewriteSemanticConstants(FunctionPass):
    """What types of arguments say of numbers: `array.ndim`, `len(tuple)`."""

    _name = "rewrite_semantic_constants"

    def run_pass(self, state):
        """Puts them in."""
        prune.rewrite_semantic_constants(state.func_ir, state.args)
        return True


@register_pass(mutates_CFG=True, analysis_only=False)
class DeadBranchPrune(SSACompliantMixin, FunctionPass):
    """Ways that are never taken."""

    _name = "dead_branch_prune"

    def run_pass(self, state):
        """Takes them out."""
        return prune.dead_branch_prune(state.func_ir, state.args)


@register_pass(mutates_CFG=True, analysis_only=False)
class InlineClosureLikes(FunctionPass):
    """Functions that are made in the function."""

    _name = "inline_closure_likes"

    def run_pass(self, state):
        """Inlines calls of them."""
        return inline.inline_closures(state.func_ir)


@register_pass(mutates_CFG=True, analysis_only=False)
class InlineInlinables(FunctionPass):
    """Calls of compiled functions with `inline="always"`, or with a cost model."""

    _name = "inline_inlinables"

    def run_pass(self, state):
        """Puts the functions in their places."""
        def decide(expr, callee):
            wish = callee.targetoptions.get("inline", "never")
            if callable(wish):
                return wish(expr, state.func_ir, bridge.frontend(callee.py_func))
            return wish == "always"

        return inline.inline_inlinables(state.func_ir, decide)


@register_pass(mutates_CFG=False, analysis_only=False)
class GenericRewrites(FunctionPass):
    """Rewrites before inference."""

    _name = "generic_rewrites"

    def run_pass(self, state):
        """Offers the function to them."""
        return apply_rewrites("before-inference", state)


class _Rewriting(run.State):
    """What rewrites of a pass know."""

    def __init__(self, state):
        func_ir, typemap = state.func_ir, getattr(state, "typemap", None)
        super().__init__(func_ir.func_id.func, None, func_ir, {}, typemap, getattr(state, "return_type", None))
        self.pipeline = state
        if typemap is not None:
            self.typemap, self.calltypes = typemap, getattr(state, "calltypes", None)
            self.known = {name: typemap[name] for name in getattr(typemap, "inferred", typemap) if name in typemap}

    def check(self, fail):
        """Raises `fail(message)` if the blocks are no function."""
        bridge.check(self.func_ir, self.typemap, self.targetctx.special_ops, fail)


def apply_rewrites(kind, state, registry=rewrite_registry):
    """Offers a function to the rewrites of a registry. Whether one changed something."""
    offered = _Rewriting(state)
    known = bridge.special_ops_of(state)
    offered.targetctx.special_ops.update(known or {})
    changed = registry.apply(kind, offered)
    state.func_ir = offered.func_ir
    remove_dels(state.func_ir.blocks)
    if known is not None:
        known.update(offered.targetctx.special_ops)
    return bool(changed)


@register_pass(mutates_CFG=True, analysis_only=False)
class SimplifyCFG(FunctionPass):
    """Blocks that follow one upon the other."""

    _name = "simplify_cfg"

    def run_pass(self, state):
        """Makes one of them."""
        before = len(state.func_ir.blocks)
        state.func_ir.blocks = simplify_CFG(state.func_ir.blocks)
        return len(state.func_ir.blocks) < before


@register_pass(mutates_CFG=False, analysis_only=False)
class ReconstructSSA(FunctionPass):
    """Variables that are assigned once."""

    _name = "reconstruct_ssa"

    def run_pass(self, state):
        """Gives each assignment a variable of its own."""
        state.func_ir = reconstruct_ssa(state.func_ir)
        return True


@register_pass(mutates_CFG=False, analysis_only=True)
class PreserveIR(AnalysisPass):
    """Keeps the function as it is now: `metadata["preserved_ir"]`."""

    _name = "preserve_ir"

    def run_pass(self, state):
        """Keeps a copy."""
        state.metadata["preserved_ir"] = state.func_ir.copy()
        return False


@register_pass(mutates_CFG=False, analysis_only=True)
class FindLiterallyCalls(FunctionPass):
    """Arguments of which the value must be known: inference finds them itself."""

    _name = "find_literally"

    def run_pass(self, state):
        """Finds nothing more."""
        return False


WithLifting = _place("with_lifting", "Blocks of `with`.", True)
MakeFunctionToJitFunction = _place(
    "make_op_code_to_jit_function", "Functions that are made in the function, and are values.")
IterLoopCanonicalization = _place("iter_loop_canonicalisation", "Loops over tuples.")
LiteralUnroll = _place("literal_unroll", "Loops over `literal_unroll`.", True)
LiteralPropagationSubPipelinePass = _place("LiteralPropagation", "Constants that types say.", True)
MixedContainerUnroller = _place("mixed_container_unroller", "Loops over tuples of different types.", True)
TransformLiteralUnrollConstListToTuple = _place(
    "transform_literal_unroll_const_list_to_tuple", "Lists of constants in `literal_unroll`.", True)
CanonicalizeLoopEntry = _place("canonicalize_loop_entry", "What stands before loops.", True)
CanonicalizeLoopExit = _place("canonicalize_loop_exit", "The code after loops.", True)
RewriteDynamicRaises = _place("rewrite_dynamic_raises", "Exceptions whose arguments are known as code runs.")
ObjectModeFrontEnd = _place("object_mode_front_end", "Functions that Python runs.")
CompileInterpMode = _place("compile_interp_mode", "Functions that Python runs.")
