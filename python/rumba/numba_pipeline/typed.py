"""Numba's passes from type inference on. See `untyped`."""
import contextlib
from collections import namedtuple

from .. import config
from ..errors import CompilerError
from ..numba_ir import Return
from ..numba_ir.transforms import dead_code_elimination
from ..numba_ir.utils import get_definition, guard
from ..rewriting import liveness
from ..rewriting.typed import call_types
from . import bridge
from .annotate import TypeAnnotation, print_annotation
from .inline_overloads import inline_overloads
from .machinery import AnalysisPass, FunctionPass, LoweringPass, register_pass
from .state import TypeMap
from .untyped import _place, apply_rewrites

_TypingResults = namedtuple("_TypingResults", "typemap return_type calltypes typing_errors")


def type_inference_stage(typingctx, targetctx, interp, args, return_type, locals=None, raise_errors=True):
    """Types of the variables of a function in Numba's shape for types of arguments: `typemap` by names, `calltypes` the
    signatures by nodes, and `return_type`. With `raise_errors=False` an error is in `typing_errors` instead."""
    return _inferred(interp, args, return_type, None, None, raise_errors)[0]


def _inferred(func_ir, args, return_type, dispatcher, special_ops, raise_errors=True):
    try:
        types, result, ways = bridge.infer(func_ir, args or (), return_type, dispatcher, special_ops)
    except Exception as error:
        if raise_errors:
            raise
        return _TypingResults(TypeMap(), None, {}, [error]), {}
    for block in func_ir.blocks.values():
        returned = getattr(block.terminator, "value", None) if isinstance(block.terminator, Return) else None
        if returned is not None and _is_cast(func_ir, returned):
            types[returned.name] = result
    types.update({f"arg.{name}": ty for name, ty in zip(func_ir.arg_names, args or ())})
    typemap = TypeMap(types)
    return _TypingResults(typemap, result, call_types(func_ir, typemap), []), ways


def _is_cast(func_ir, var):
    """Whether a variable is what is returned as the type of the result."""
    definition = guard(get_definition, func_ir, var)
    return getattr(definition, "op", None) == "cast"


class BaseTypeInference(FunctionPass):
    """Types of variables, signatures of operations, and the type of the result."""

    _raise_errors = True

    def run_pass(self, state):
        """Finds them. Ways that are never taken with these types go."""
        found, ways = _inferred(
            state.func_ir, state.args, state.return_type, state.get("dispatcher"), bridge.special_ops_of(state),
            self._raise_errors)
        bridge.take_known_ways(state.func_ir, ways)
        state.typemap, state.calltypes = found.typemap, found.calltypes
        state.typing_errors = found.typing_errors
        if self._raise_errors:
            state.return_type = found.return_type
        return True


@register_pass(mutates_CFG=True, analysis_only=False)
class NopythonTypeInference(BaseTypeInference):
    """Types; what has none is an error."""

    _name = "nopython_type_inference"


@register_pass(mutates_CFG=True, analysis_only=False)
class PartialTypeInference(BaseTypeInference):
    """Types, as far as they are known."""

    _name = "partial_type_inference"
    _raise_errors = False


@register_pass(mutates_CFG=False, analysis_only=False)
class AnnotateTypes(AnalysisPass):
    """The source with types: `state.type_annotation`."""

    _name = "annotate_types"

    def run_pass(self, state):
        """Makes it."""
        state.type_annotation = TypeAnnotation(
            func_ir=state.func_ir, typemap=state.typemap, calltypes=state.calltypes, lifted=state.get("lifted", ()),
            lifted_from=state.get("lifted_from"), args=state.args, return_type=state.return_type,
            html_output=config.HTML)
        print_annotation(state.type_annotation, config)
        return True


@register_pass(mutates_CFG=True, analysis_only=False)
class InlineOverloads(FunctionPass):
    """What overloads with `inline="always"`, or with a cost model, implement."""

    _name = "inline_overloads"

    def run_pass(self, state):
        """Puts the implementations in their places."""
        return inline_overloads(state)


@register_pass(mutates_CFG=True, analysis_only=False)
class NopythonRewrites(FunctionPass):
    """Rewrites after inference."""

    _name = "nopython_rewrites"

    def run_pass(self, state):
        """Offers the function to them."""
        return apply_rewrites("after-inference", state)


@register_pass(mutates_CFG=True, analysis_only=False)
class DeadCodeElimination(FunctionPass):
    """Assignments that nobody reads."""

    _name = "dead_code_elimination"

    def run_pass(self, state):
        """Takes them out."""
        return dead_code_elimination(state.func_ir, state.typemap)


@register_pass(mutates_CFG=False, analysis_only=False)
class IRLegalization(FunctionPass):
    """Puts `del`s behind last uses, and looks whether blocks are a function."""

    _name = "ir_legalization"
    inserts_dels = True

    def run_pass(self, state):
        """Does so."""
        liveness.place_dels(state.func_ir.blocks)
        bridge.check(state.func_ir, state.typemap, bridge.special_ops_of(state))
        return True


@register_pass(mutates_CFG=False, analysis_only=False)
class PreLowerStripPhis(FunctionPass):
    """Copies in place of phis."""

    _name = "strip_phis"

    def run_pass(self, state):
        """Puts them in."""
        state.func_ir = bridge.without_phis(state.func_ir)
        return True


@register_pass(mutates_CFG=True, analysis_only=False)
class NativeLowering(LoweringPass):
    """Machine code: the compiler's own passes run from here on."""

    _name = "native_lowering"

    def run_pass(self, state):
        """Has it made."""
        lower = state.get("lower")
        if lower is None:
            raise CompilerError("a pipeline that no compilation runs makes no machine code")
        values = state.get("values", {})
        lower(bridge.statements(state.func_ir, values, state.typemap, bridge.special_ops_of(state)), values)
        return True


@register_pass(mutates_CFG=True, analysis_only=False)
class NativeParforLowering(NativeLowering):
    """The same."""

    _name = "native_parfor_lowering"


@register_pass(mutates_CFG=True, analysis_only=False)
class ObjectModeBackEnd(NativeLowering):
    """What Python would run becomes machine code, too."""

    _name = "object_mode_back_end"


@register_pass(mutates_CFG=True, analysis_only=False)
class NoPythonBackend(LoweringPass):
    """What a compilation gives: `state.cr`."""

    _name = "nopython_backend"

    def run_pass(self, state):
        """Makes it."""
        result = state.get("compile_result")
        state.cr = result() if result is not None else None
        return True


@register_pass(mutates_CFG=False, analysis_only=True)
class DumpParforDiagnostics(AnalysisPass):
    """Diagnostics of array loops: does nothing."""

    _name = "dump_parfor_diagnostics"

    def run_pass(self, state):
        """Tells nothing."""
        return False


@contextlib.contextmanager
def fallback_context(state, msg):
    """Errors of what stands inside go on as they are: there is nothing to fall back to."""
    yield


NoPythonSupportedFeatureValidation = _place("nopython_supported_feature_validation", "What is not supported.")
PreParforPass = _place("preparfor_pass", "Loops of arrays.", True)
ParforPass = _place("parfor_pass", "Loops of arrays.", True)
ParforFusionPass = _place("parfor_fusion_pass", "Loops of arrays that become one.", True)
ParforPreLoweringPass = _place("parfor_prelowering_pass", "Loops of arrays.", True)
StripPhis = PreLowerStripPhis
