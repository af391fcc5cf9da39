"""Pipelines of users: passes of their own among the usual ones."""
import math
import operator
import re

import numpy as np
import pytest

from rumba.numba import cfunc, config, literal_unroll, literally, njit, objmode, types
from rumba.numba.core import ir
from rumba.numba.core.compiler import (
    Compiler, CompilerBase, DefaultPassBuilder, Flags, PassManager, compile_extra, compile_ir, run_frontend, type_inference_stage)
from rumba.numba.core.compiler_machinery import AnalysisPass, FunctionPass, LoweringPass, register_pass
from rumba.numba.core.errors import CompilerError, NumbaIRAssumptionWarning, TypingError, UnsupportedError
from rumba.numba.core.inline_closurecall import inline_closure_call
from rumba.numba.core.ir_utils import (
    apply_copy_propagate, compile_to_numba_ir, copy_propagate, dead_code_elimination, find_callname, find_const,
    find_potential_aliases, get_definition, get_name_var_table, guard, remove_call_handlers, remove_dead, simplify_CFG)
from rumba.numba.core.postproc import PostProcessor
from rumba.numba.core.registry import cpu_target
from rumba.numba.core.typed_passes import (
    AnnotateTypes, DeadCodeElimination, InlineOverloads, IRLegalization, NativeLowering, NoPythonBackend, NopythonTypeInference)
from rumba.numba.core.untyped_passes import (
    DeadBranchPrune, FixupArgs, InlineClosureLikes, InlineInlinables, IRProcessing, PreserveIR, ReconstructSSA, TranslateByteCode)
from rumba.numba.extending import overload, overload_attribute, overload_method, register_jitable


def make_pass(run, base=FunctionPass, name="test_pass", **usage):
    """A registered pass that does `run(state)`."""
    def get_analysis_usage(self, AU):
        for required in usage.get("required", ()):
            AU.add_required(required)

    cls = type("TestPass", (base,), {
        "_name": name, "run_pass": lambda self, state: run(state), "get_analysis_usage": get_analysis_usage})
    return register_pass(mutates_CFG=True, analysis_only=False)(cls)


def make_compiler(*added):
    """A pipeline with passes behind usual ones: pairs of a pass and the one before it."""
    class TestCompiler(CompilerBase):
        def define_pipelines(self):
            pm = DefaultPassBuilder.define_nopython_pipeline(self.state)
            for pss, location in added:
                pm.add_pass_after(pss, location)
            pm.finalize()
            return [pm]

    return TestCompiler


def keeping(location=NopythonTypeInference):
    """A pipeline that keeps the function as it is behind a pass, and the list of what was kept."""
    kept = []

    def keep(state):
        kept.append((state.func_ir.copy(), dict(state.typemap or {})))
        return False

    return make_compiler((make_pass(keep, AnalysisPass), location)), kept


def exprs(func_ir, op=None):
    return [expr for block in func_ir.blocks.values() for expr in block.find_exprs(op)]


def add_one(state):
    for block in state.func_ir.blocks.values():
        for inst in block.find_insts(ir.Assign):
            if isinstance(inst.value, ir.Const) and type(inst.value.value) is int:
                inst.value = ir.Const(inst.value.value + 1, inst.loc)
    return True


# ---- functions through the usual passes ----

GLOBAL = 7


def plain(x, y=3):
    return x * y + GLOBAL


def branches(x):
    if x > 3:
        y = 1
    elif x > 1:
        y = 2.5
    else:
        y = x
    return y


def loops(n):
    total = 0
    for i in range(n):
        for j in range(i):
            if j % 3 == 0:
                continue
            total += j
        else:
            total -= 1
        if total > 50:
            break
    return total


def swaps(n):
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a, b


def keeps_old(x):
    y = x
    x = x + 1
    z = x
    x = x * 2
    return x, y, z


def may_be_unbound(n):
    for i in range(n):
        last = i
    return last


def makes_functions(n):
    def inner(x):
        return x + n

    return inner(n) + sum([inner(i) for i in range(n)])


def containers(n):
    d = {i: i * i for i in range(n)}
    out = []
    for key, value in d.items():
        out.append((key, value))
    first, *rest = [k for k, _ in out]
    return first, rest, d[n - 1]


def other_types(n):
    x = n
    text = ""
    while x > 0:
        text += str(x % 2)
        x //= 2
    x = text + "!"
    return x


ALL = [(plain, 4), (branches, 5), (branches, 2), (branches, 0), (loops, 12), (swaps, 20), (keeps_old, 3),
       (may_be_unbound, 3), (makes_functions, 4), (containers, 4), (other_types, 11)]


@pytest.mark.parametrize("function, arg", ALL)
def test_the_usual_pipeline_compiles_what_is_written(function, arg):
    assert njit(pipeline_class=Compiler)(function)(arg) == njit(function)(arg) == function(arg)


def test_arrays_go_through_the_usual_pipeline():
    def f(a, b):
        c = a * b + 1.0
        c[c > 3] = 0.0
        return c.sum(), c

    a, b = np.arange(5.0), np.ones(5)
    total, made = njit(pipeline_class=Compiler)(f)(a, b)
    expected, array = f(a, b)
    assert total == expected and (made == array).all()


def test_errors_are_those_of_the_function():
    f = njit(pipeline_class=Compiler)(may_be_unbound)
    with pytest.raises(UnboundLocalError, match="last"):
        f(0)
    with pytest.raises(TypingError, match="nope"):
        njit(pipeline_class=Compiler)(lambda x: x.nope)(1)


# ---- passes of one's own ----

def test_a_pass_before_inference_changes_what_is_compiled():
    f = njit(pipeline_class=make_compiler((make_pass(add_one), IRProcessing)))(lambda x: x + 10)
    assert f(1) == 12 and f(0.5) == 11.5


def test_a_pass_behind_inference_sees_types_and_changes_what_is_compiled():
    def floor(state):
        for expr in exprs(state.func_ir, "binop"):
            if expr.fn is operator.truediv and isinstance(state.typemap[expr.lhs.name], types.Integer):
                expr.fn = operator.floordiv
        return True

    f = njit(pipeline_class=make_compiler((make_pass(floor), NopythonTypeInference)))(lambda x: x / 2)
    assert f(5) == 2 and type(f(5)) is int and f(5.0) == 2.5


def test_what_a_state_knows():
    seen = {}

    def before(state):
        seen["before"] = (state.args, state.typemap, state.func_id.func_name, state.flags.no_rewrites, state.nargs)
        return False

    def behind(state):
        seen["behind"] = (state.typemap["x"], state.return_type, len(state.calltypes), str(state.type_annotation))
        state.metadata["mine"] = 5
        return False

    compiler = make_compiler(
        (make_pass(before, AnalysisPass), IRProcessing), (make_pass(behind, AnalysisPass, name="behind"), AnnotateTypes))
    f = njit(pipeline_class=compiler)(lambda x: x + 1.5)
    assert f(2) == 3.5
    assert seen["before"] == ((types.int64,), None, "<lambda>", False, 1)
    ty, result, count, text = seen["behind"]
    assert (ty, result) == (types.int64, types.float64) and count > 0 and "float64" in text
    assert f.get_metadata((types.int64,))["mine"] == 5
    assert f.overloads[(types.int64,)].metadata["mine"] == 5 and "pass_times" in f.get_metadata((types.int64,))


def test_a_variable_behind_inference_is_converted_to_its_type():
    def narrow(state):
        block = state.func_ir.blocks[min(state.func_ir.blocks)]
        for index, inst in enumerate(block.body):
            if isinstance(inst, ir.Assign) and isinstance(inst.value, ir.Expr) and inst.value.op == "binop":
                var = ir.Var(block.scope, "$narrow", inst.loc)
                state.typemap[var.name] = types.int8
                block.body.insert(index + 1, ir.Assign(inst.target, var, inst.loc))
                block.body[index + 2].value = ir.Expr.cast(var, inst.loc)
                return True
        return False

    f = njit(pipeline_class=make_compiler((make_pass(narrow), NopythonTypeInference)))(lambda x: x + 1)
    assert f(127) == -128


def test_a_pass_puts_another_function_in_place():
    def other(state):
        state.func_ir = run_frontend(lambda x: x * 100)
        return True

    f = njit(pipeline_class=make_compiler((make_pass(other), IRProcessing)))(lambda x: x)
    assert f(3) == 300


def test_operations_of_a_pass():
    def fuse(state):
        for block in state.func_ir.blocks.values():
            for inst in block.find_insts(ir.Assign):
                if isinstance(inst.value, ir.Expr) and inst.value.op == "binop":
                    inst.value = ir.Expr("times_ten", inst.loc, a=inst.value.lhs, b=inst.value.rhs)
        state.targetctx.special_ops["times_ten"] = lambda context, expr: lambda a, b: a * b * 10
        return True

    f = njit(pipeline_class=make_compiler((make_pass(fuse), IRProcessing)))(lambda a, b: a + b)
    assert f(2, 3) == 60


def test_values_that_must_be_known():
    def f(items, k):
        total = 0
        for x in literal_unroll(items):
            total += len(x) * literally(k)
        return total, items[literally(k)]

    g = njit(pipeline_class=Compiler)(f)
    args = ((1, 2), (3.0, 4.0, 5.0)), 1
    assert g(*args) == f(*args) and g(args[0], 0) == f(args[0], 0)

    @njit(pipeline_class=Compiler)
    def first(items):
        for x in literal_unroll(items):
            return x

    assert first((1, (2, 3))) == 1


def test_a_called_function_goes_through_its_own_pipeline_for_each_types():
    seen = []

    def look(state):
        seen.append(state.args)
        return add_one(state)

    callee = njit(pipeline_class=make_compiler((make_pass(look), IRProcessing)))(lambda x: x + 10)

    @njit
    def f(x):
        return callee(x) + callee(x * 0.5)

    assert f(2) == 13 + 12.0
    assert sorted(map(str, seen)) == ["(float64,)", "(int64,)"]


def test_functions_with_pipelines_that_call_each_other():
    @njit(pipeline_class=Compiler)
    def is_even(n):
        return True if n == 0 else is_odd(n - 1)

    @njit(pipeline_class=Compiler)
    def is_odd(n):
        return False if n == 0 else is_even(n - 1)

    assert is_even(10) and not is_even(7)

    @njit(pipeline_class=Compiler)
    def factorial(n):
        return 1 if n < 2 else n * factorial(n - 1)

    assert factorial(10) == 3628800


def test_compile_extra_may_be_overridden():
    compiled = []

    class Noting(Compiler):
        def compile_extra(self, func):
            compiled.append((func, self.state.args))
            return super().compile_extra(func)

    f = njit(pipeline_class=Noting)(plain)
    assert f(1) == plain(1) and f(2) == plain(2) and f(1.5) == plain(1.5)
    assert compiled == [(plain, (types.int64, types.int64)), (plain, (types.float64, types.int64))]
    g = cfunc(types.int64(types.int64), pipeline_class=Noting)(keeps_one := lambda x: x)
    assert g(4) == 4 and compiled[-1] == (keeps_one, (types.int64,))


def test_a_compilation_by_hand():
    pipeline = Compiler(
        cpu_target.typing_context, cpu_target.target_context, None, (types.int64,), None, Flags(nrt=True), {})
    result = pipeline.compile_extra(branches)
    assert result.entry_point(2) == 2.5 and pipeline.state.cr is result
    assert pipeline.state.return_type == types.float64
    assert pipeline.compile_extra(lambda x: x + 5).entry_point(1) == 6
    func_ir = run_frontend(lambda x: x + 3)
    made = compile_ir(cpu_target.typing_context, cpu_target.target_context, func_ir, (types.int64,), None, Flags(), {})
    assert made.entry_point(4) == 7
    flags = Flags(auto_parallel=True, boundscheck=False, error_model="numpy")
    contexts = cpu_target.typing_context, cpu_target.target_context
    made = compile_extra(*contexts, lambda x: x / 0 + np.sum(np.ones(9)), (types.int64,), None, flags, {})
    assert made.entry_point(1) == np.inf and "do_scheduling" in made.library.get_llvm_str()


def test_passes_without_a_compilation():
    class Looking(CompilerBase):
        def look(self, func):
            from rumba.numba.core.bytecode import FunctionIdentity

            self.state.func_id = FunctionIdentity.from_function(func)
            pm = PassManager("looking")
            for pss in (TranslateByteCode, FixupArgs, IRProcessing, NopythonTypeInference, DeadCodeElimination):
                pm.add_pass(pss, pss.name())
            pm.finalize()
            pm.run(self.state)
            return self.state

    def f(x):
        dead = 5  # noqa: F841
        return x + 1

    pipeline = Looking(cpu_target.typing_context, cpu_target.target_context, None, (types.int32,), None, Flags(), {})
    state = pipeline.look(f)
    assert state.return_type == types.int64 and not any(
        isinstance(inst, ir.Assign) and inst.target.name == "dead" for inst in state.func_ir.blocks[0].body)


def test_settings_print_around_passes(capsys, monkeypatch):
    make_pass(lambda state: False, AnalysisPass, name="printed_pass")
    monkeypatch.setattr(config, "DEBUG_PRINT_AFTER", "reconstruct_ssa")
    assert njit(pipeline_class=Compiler)(plain)(1) == plain(1)
    out = capsys.readouterr().out
    assert "AFTER reconstruct_ssa" in out and "label 0" in out and "BEFORE" not in out


# ---- what passes must not do ----

def test_errors_of_passes_have_a_note():
    def fail(state):
        raise KeyError("mine")

    f = njit(pipeline_class=make_compiler((make_pass(fail, name="failing"), IRProcessing)))(plain)
    with pytest.raises(KeyError, match="mine") as caught:
        f(1)
    assert "of the pipeline 'nopython'" in caught.value.__notes__[0]


def test_dels_are_for_the_last_pass():
    def put(state):
        PostProcessor(state.func_ir).run(emit_dels=True)
        return True

    f = njit(pipeline_class=make_compiler((make_pass(put), InlineInlinables)))(plain)
    with pytest.raises(CompilerError, match="Illegal IR, del found at: del"):
        f(1)
    g = njit(pipeline_class=make_compiler((make_pass(put, AnalysisPass), IRLegalization)))(plain)
    assert g(1) == plain(1)


def test_what_is_no_function_is_an_error():
    def unknown(state):
        block = state.func_ir.blocks[min(state.func_ir.blocks)]
        block.body[-1].value = ir.Var(block.scope, "nobody", block.loc)
        return True

    f = njit(pipeline_class=make_compiler((make_pass(unknown), IRProcessing)))(plain)
    with pytest.raises((CompilerError, ValueError), match="nobody"):
        f(1)


def test_passes_say_whether_they_changed_something():
    f = njit(pipeline_class=make_compiler((make_pass(lambda state: None), IRProcessing)))(plain)
    with pytest.raises(ValueError, match="returns True if it changed something"):
        f(1)


def test_a_pipeline_without_code_is_an_error():
    class Nothing(CompilerBase):
        def define_pipelines(self):
            pm = PassManager("nothing")
            pm.add_pass(TranslateByteCode)
            pm.finalize()
            return [pm]

    with pytest.raises(CompilerError, match="NativeLowering"):
        njit(pipeline_class=Nothing)(plain)(1)

    class Empty(Compiler):
        def compile_extra(self, func):
            return None

    with pytest.raises(CompilerError, match="compile_extra"):
        njit(pipeline_class=Empty)(plain)(1)


def test_managers_check_their_lists():
    pm = PassManager("checked")
    with pytest.raises(TypeError, match="CompilerPass"):
        pm.add_pass(int)
    with pytest.raises(ValueError, match="not registered"):
        pm.add_pass(type("New", (FunctionPass,), {"_name": "new"}))
    with pytest.raises(ValueError, match="Could not find pass"):
        pm.add_pass_after(PreserveIR, IRProcessing)
    with pytest.raises(RuntimeError):
        pm.run({})
    pm.add_pass("preserve_ir")
    assert pm.passes[0][0] is PreserveIR
    pm.finalize()
    assert pm.finalized
    with pytest.raises(RuntimeError):
        pm.add_pass(PreserveIR)
    needs = PassManager("needs")
    needs.add_pass(make_pass(lambda state: False, required=[ReconstructSSA]))
    with pytest.raises(ValueError, match="needs ReconstructSSA"):
        needs.finalize()


def test_a_lowering_pass_of_ones_own_may_stand_behind():
    results = []
    behind = make_pass(lambda state: results.append(state.cr) or False, LoweringPass)
    f = njit(pipeline_class=make_compiler((behind, NoPythonBackend)))(plain)
    assert f(1) == plain(1) and results[0].entry_point(2, 3) == plain(2)
    assert issubclass(NativeLowering, LoweringPass)


# ---- the shape ----

def joined(x):
    if x > 3:
        y = 1
    elif x > 1:
        y = 2.5
    else:
        y = x
    total = y + x
    return total


def test_names_of_the_source_are_one_variable_until_ssa():
    before, kept = keeping(IRProcessing)
    assert njit(pipeline_class=before)(joined)(5) == 6
    targets = [inst.target.name for block in kept[0][0].blocks.values() for inst in block.find_insts(ir.Assign)]
    assert targets.count("y") == 3 and not exprs(kept[0][0], "phi")
    behind, kept = keeping(ReconstructSSA)
    assert njit(pipeline_class=behind)(joined)(5) == 6
    func_ir = kept[0][0]
    targets = [inst.target.name for block in func_ir.blocks.values() for inst in block.find_insts(ir.Assign)]
    assert len(targets) == len(set(targets)) and len(exprs(func_ir, "phi")) == 1


def test_variables_of_another_scope_are_warned_of():
    def other_scope(state):
        for block in state.func_ir.blocks.values():
            block.scope = ir.Scope(None, block.scope.loc)
        return True

    f = njit(pipeline_class=make_compiler((make_pass(other_scope), InlineInlinables)))(branches)
    with pytest.warns(NumbaIRAssumptionWarning, match="variable 'y' is not in scope"):
        assert f(5) == 1


def test_phis_lose_what_comes_from_nowhere():
    compiler, kept = keeping(NopythonTypeInference)

    def f(x):
        if isinstance(x, int):
            y = 1
        else:
            y = "text"
        return y

    assert njit(pipeline_class=compiler)(f)(2) == 1
    assert not exprs(kept[0][0], "phi") and len(simplify_CFG(kept[0][0].blocks)) == 1


def test_versions_that_live_at_once_stay_apart():
    func_ir = run_frontend(keeps_old)
    assigned = [inst.target.name for inst in func_ir.blocks[0].find_insts(ir.Assign)]
    assert len(assigned) == len(set(assigned))


def test_types_of_a_function_in_numbas_shape():
    func_ir = run_frontend(branches)
    found = type_inference_stage(None, None, func_ir, (types.int64,), None)
    assert found.typemap["x"] == types.int64 and found.return_type == types.float64
    assert found.typemap["y"] == types.float64
    with pytest.raises(TypingError):
        type_inference_stage(None, None, run_frontend(lambda x: x.nope), (types.int64,), None)


@pytest.mark.parametrize("function, arg", [(branches, 2), (loops, 12), (swaps, 5)])
def test_simplify_cfg_keeps_what_functions_do(function, arg):
    def simplify(state):
        before = len(state.func_ir.blocks)
        state.func_ir.blocks = simplify_CFG(state.func_ir.blocks)
        assert len(state.func_ir.blocks) <= before
        return True

    for location in (IRProcessing, ReconstructSSA, NopythonTypeInference):
        f = njit(pipeline_class=make_compiler((make_pass(simplify), location)))(function)
        assert f(arg) == function(arg)


def test_copies_are_propagated_and_dead_code_goes():
    def f(x):
        a = x
        b = a
        unused = 3  # noqa: F841
        return b + a

    def propagate(state):
        blocks = state.func_ir.blocks
        at_start, _ = copy_propagate(blocks, state.typemap)
        apply_copy_propagate(blocks, at_start, get_name_var_table(blocks), state.typemap, state.calltypes)
        assert dead_code_elimination(state.func_ir, state.typemap)
        return True

    compiler = make_compiler((make_pass(propagate), NopythonTypeInference), (PreserveIR, IRLegalization))
    g = njit(pipeline_class=compiler)(f)
    assert g(4) == 8
    func_ir = g.overloads[(types.int64,)].metadata["preserved_ir"]
    assert not any(isinstance(inst, ir.Assign) and inst.target.name in ("b", "unused")
                   for block in func_ir.blocks.values() for inst in block.body)


def test_arrays_that_variables_share():
    def f(a, n):
        b = a.T  # noqa: F841
        c = np.zeros(n)
        d = c.reshape((n, 1))
        e = (d, c)  # noqa: F841
        k = n + 1
        return k

    func_ir = run_frontend(f)
    typemap = type_inference_stage(None, None, func_ir, (types.float64[:, :], types.int64), None).typemap
    shared, of_args = find_potential_aliases(func_ir.blocks, func_ir.arg_names, typemap, func_ir)
    assert {"a", "b"} <= of_args and "c" not in of_args and "k" not in shared
    assert {"d", "e"} <= shared["c"] and "a" not in shared["c"]


def test_calls_that_a_handler_lets_go():
    def f(x):
        unused = math.sqrt(x)  # noqa: F841
        return x

    def lets_go(call, lives, called):
        assert "unused" not in lives and "x" in lives
        return called == ["sqrt", math]

    for handler, count in ((lets_go, 0), (lambda call, lives, called: False, 1)):
        remove_call_handlers.append(handler)
        try:
            func_ir = run_frontend(f)
            remove_dead(func_ir.blocks, func_ir.arg_names, func_ir)
        finally:
            remove_call_handlers.remove(handler)
        assert len(exprs(func_ir, "call")) == count


def test_branches_on_none_are_pruned():
    def f(x=None):
        if x is None:
            return 1
        return x * 2

    compiler, kept = keeping(DeadBranchPrune)
    g = njit(pipeline_class=compiler)(f)
    assert g() == 1 and g(None) == 1
    assert all(not isinstance(block.terminator, ir.Branch) for func_ir, _ in kept for block in func_ir.blocks.values())
    assert g(4) == 8


# ---- inlining ----

def clamp(x, low=0, high=None):
    if x < low:
        return low
    if high is not None and x > high:
        return high
    return x


def sums(*values):
    total = 0
    for value in values:
        total += value
    return total


def inlining(callee, location, found=None):
    """A pipeline that inlines all calls of a function behind a pass."""
    def run(state):
        changed = True
        while changed:
            changed = False
            for block in list(state.func_ir.blocks.values()):
                for index, inst in enumerate(block.body):
                    call = getattr(inst, "value", None)
                    if isinstance(call, ir.Expr) and call.op == "call" and (
                            guard(find_const, state.func_ir, call.func) is callee):
                        given = () if state.typemap is None else (
                            None, None, tuple(state.typemap[var.name] for var in call.args), state.typemap,
                            state.calltypes)
                        blocks, names = inline_closure_call(
                            state.func_ir, callee.__globals__, block, index, callee, *given)
                        if found is not None:
                            found.append((blocks, names))
                        changed = True
                        break
                if changed:
                    break
        return True

    return make_compiler((make_pass(run), location), (PreserveIR, NopythonTypeInference))


CALLERS = [
    (clamp, lambda x: clamp(x, 2, 5) + clamp(x), 7),
    (clamp, lambda x: clamp(x, high=3), 9),
    (clamp, lambda x: clamp(clamp(x - 20), -5), 1),
    (sums, lambda x: sums(x, 2, x * 3), 4),
]


@pytest.mark.parametrize("callee, caller, arg", CALLERS)
def test_calls_become_what_they_call_before_inference(callee, caller, arg):
    found = []
    f = njit(pipeline_class=inlining(callee, IRProcessing, found))(caller)
    assert f(arg) == caller(arg)
    blocks, names = found[0]
    func_ir = f.overloads[(types.int64,)].metadata["preserved_ir"]
    assert blocks and all(isinstance(var, ir.Var) for var in names.values())
    assert not any(guard(find_callname, func_ir, expr) == (callee.__name__, __name__) for expr in exprs(func_ir, "call"))


def test_calls_in_loops():
    def in_loop(n):
        total = 0
        for i in range(n):
            total += clamp(i, 2, 5)
        return total

    assert njit(pipeline_class=inlining(clamp, IRProcessing))(in_loop)(10) == in_loop(10)


def test_calls_behind_inference_are_typed_and_pruned():
    def pick(x=None):
        if x is None:
            return 2
        return x

    called = njit(pick)

    def run(state):
        block = state.func_ir.blocks[min(state.func_ir.blocks)]
        for index, inst in enumerate(block.body):
            if isinstance(inst.value, ir.Expr) and inst.value.op == "call":
                _, names = inline_closure_call(
                    state.func_ir, {}, block, index, pick, state.typingctx, state.targetctx,
                    (state.typemap[inst.value.args[0].name],), state.typemap, state.calltypes)
                assert all(var.name in state.typemap for var in names.values() if var.name.endswith(".x"))
                break
        return True

    compiler = make_compiler((make_pass(run), NopythonTypeInference), (PreserveIR, IRLegalization))

    @njit(pipeline_class=compiler)
    def f(x=None):
        return called(x)

    assert f() == 2 and f(3) == 3
    for args in ((types.Omitted(None),), (types.int64,)):
        func_ir = f.overloads[args].metadata["preserved_ir"]
        assert len(simplify_CFG(func_ir.blocks)) == 1


def test_functions_that_are_always_inlined():
    @njit(inline="always")
    def twice(x):
        return x * 2

    @njit(inline="always")
    def four(x):
        return twice(x) + twice(x)

    @njit(inline=lambda expr, caller, callee: False)
    def never(x):
        return x - 1

    compiler, kept = keeping(InlineInlinables)
    f = njit(pipeline_class=compiler)(lambda x: four(x) + never(x))
    assert f(3) == 14
    called = [guard(get_definition, kept[0][0], expr.func).value for expr in exprs(kept[0][0], "call")]
    assert called == [never]


def test_overloads_that_are_always_inlined():
    def twice(x, by=2):
        return x * by

    @overload(twice, inline="always")
    def _(x, by=2):
        if isinstance(x, types.Integer):
            return lambda x, by=2: x * by
        return lambda x, by=2: x + x

    def thrice(x):
        return 3 * x

    @overload(thrice, inline=lambda expr, caller, callee: (
        caller.typemap is not None and isinstance(caller.typemap["x"], types.Float)))
    def _(x):
        return lambda x: 3 * x

    def f(x):
        return twice(x) + twice(x, by=5) + thrice(x)

    compiler, kept = keeping(InlineOverloads)
    g = njit(pipeline_class=compiler)(f)
    assert g(4) == f(4) and g(1.5) == 3.0 + 3.0 + 4.5

    def called(func_ir):
        return [guard(find_const, func_ir, expr.func) for expr in exprs(func_ir, "call")]

    assert called(kept[0][0]) == [thrice] and called(kept[1][0]) == []
    assert all(name in kept[1][1] for block in kept[1][0].blocks.values() for name in (
        inst.target.name for inst in block.find_insts(ir.Assign)))


def test_methods_attributes_and_operators_that_are_always_inlined():
    @overload_method(types.Integer, "inlined_half", inline="always")
    def _(x, more=0):
        return lambda x, more=0: x // 2 + more

    @overload_attribute(types.Integer, "inlined_next", inline="always")
    def _(x):
        return lambda x: x + 1

    compiler, kept = keeping(InlineOverloads)
    f = njit(pipeline_class=compiler)(lambda x: x.inlined_half(more=1) + x.inlined_next)
    assert f(7) == 3 + 1 + 8
    assert not exprs(kept[0][0], "call") and not any(
        expr.attr == "inlined_next" for expr in exprs(kept[0][0], "getattr"))


def test_jitables_that_are_always_inlined():
    @register_jitable(inline="always")
    def twice(x):
        return x * 2

    compiler, kept = keeping(InlineInlinables)
    assert njit(pipeline_class=compiler)(lambda x: twice(x))(4) == 8
    assert not exprs(kept[0][0], "call")


def test_what_cannot_be_inlined_is_said():
    def maker(x):
        return (lambda y: y + x)(x)

    func_ir = run_frontend(lambda x: clamp(x))
    block = func_ir.blocks[0]
    index = next(i for i, inst in enumerate(block.body) if getattr(inst.value, "op", None) == "call")
    count = len(block.body)
    with pytest.raises(UnsupportedError, match="makes a function"):
        inline_closure_call(func_ir, {}, block, index, maker)
    with pytest.raises(UnsupportedError, match="cannot be inlined"):
        inline_closure_call(func_ir, {}, block, index, 5)
    with pytest.raises(TypingError, match="missing a required argument"):
        inline_closure_call(func_ir, {}, block, index, lambda a, b: a)
    assert len(block.body) == count and len(func_ir.blocks) == 1


def test_definitions_of_what_a_call_assigns_are_kept():
    def f(a):
        if a == 1:
            b = 2
        else:
            b = 3
        return b

    func_ir = run_frontend(f)
    for block in list(func_ir.blocks.values()):
        for index, inst in enumerate(block.body):
            if isinstance(inst, ir.Assign) and isinstance(inst.value, ir.Const) and inst.value.value == 2:
                func_ir._definitions["b"].remove(inst.value)
                inst.value = ir.Expr.call(ir.Var(block.scope, "f", inst.loc), (), (), inst.loc)
                func_ir._definitions["b"].append(inst.value)
                inline_closure_call(func_ir, {}, block, index, lambda: 2)
                break
    assert len(func_ir._definitions["b"]) == 2 and not any(
        isinstance(value, ir.Expr) for value in func_ir._definitions["b"])


def test_a_function_in_numbas_shape_with_new_names():
    typemap, calltypes = {}, {}
    func_ir = compile_to_numba_ir(clamp, {}, None, None, (types.int64, types.int64, types.none), typemap, calltypes)
    assert any(name.endswith(".low") and ty == types.int64 for name, ty in typemap.items()) and calltypes


# ---- symbols, and what is printed of them ----

def test_symbols_are_readable_for_debuggers():
    f = njit(plain)
    f(1)
    parts = [*__name__.split("."), "plain"]
    symbol = "_ZN" + "".join(f"{len(part)}{part}" for part in parts) + "Ez"
    assert symbol in f.inspect_asm(f.signatures[0])
    g = njit(lambda x: x)
    g(1)
    assert "_3clocals_3e" in g.inspect_asm(g.signatures[0])


def test_settings_of_dumps_may_be_changed(capsys, monkeypatch):
    monkeypatch.setattr(config, "DUMP_ASSEMBLY", 1)
    njit(plain)(1)
    assert "ASSEMBLY: plain" in capsys.readouterr().out
    monkeypatch.setattr(config, "DUMP_ASSEMBLY", 0)
    njit(plain)(1)
    assert not capsys.readouterr().out


def test_functions_made_inside_are_inlined_by_their_pass():
    """With variables that are named by the function that they were defined in."""
    class Keeping(CompilerBase):
        def define_pipelines(self):
            pipeline = DefaultPassBuilder.define_nopython_pipeline(self.state)
            pipeline.add_pass_after(PreserveIR, InlineClosureLikes)
            pipeline.finalize()
            return [pipeline]

    @njit(pipeline_class=Keeping)
    def f(a, b):
        def add(z):
            x = 5
            if z > 15:
                raise ValueError(z)
            return x + z

        k = 2
        return add(a), add(z=b), (lambda y: y * k)(a)

    assert f(10, 11) == (15, 16, 20)
    with pytest.raises(ValueError, match="20"):
        f(10, 20)
    func_ir = f.overloads[f.signatures[0]].metadata["preserved_ir"]
    fives = [inst.target.name for block in func_ir.blocks.values() for inst in block.body
             if isinstance(inst, ir.Assign) and isinstance(inst.value, ir.Const) and inst.value.value == 5]
    assert len(fives) == 2 and all(re.fullmatch(r"closure__locals__add_v[0-9]+\..*", name) for name in fives), fives


def test_an_inlined_overload_that_asks_for_a_value_gives_way():
    def kind(name):
        pass

    @overload(kind, inline="always")
    def kind_in_compiled_code(name):
        if not isinstance(name, types.StringLiteral):
            return lambda name: literally(name)
        number = 10 if name.literal_value == "str" else 20
        return lambda name: number

    compiled = njit(pipeline_class=Compiler)(lambda name: kind(name))
    assert (compiled("str"), compiled("int64")) == (10, 20)


def test_flags_in_symbols():
    from rumba.numba.core.compiler import Flags

    flags = Flags(nrt=True, fastmath=True, auto_parallel=True, inline="always")
    mangled = flags.get_mangle_string()
    assert mangled.isalnum() and len(mangled) < len(flags.summary())
    assert Flags.demangle(mangled) == flags.summary() and flags.summary().endswith("inline=always, nrt=True")
    assert Flags.demangle(Flags().get_mangle_string()) == "" == Flags().summary()


def test_objmode_blocks_in_a_pipeline_of_its_own():
    class Plain(CompilerBase):
        def define_pipelines(self):
            pipeline = DefaultPassBuilder.define_nopython_pipeline(self.state)
            pipeline.finalize()
            return [pipeline]

    @njit(pipeline_class=Plain)
    def program(x):
        total = 0.0
        for _ in range(3):
            with objmode(y="float64"):
                y = float(str(x) + "1")
            total += y
        return total

    assert program(3) == 93.0
