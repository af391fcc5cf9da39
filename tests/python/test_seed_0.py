"""The tutorial on rewrites, and the rows of what it tells of: registries and rewrites are what they say."""
import operator

import numpy as np
import pytest
from leaks import nothing_leaks  # noqa: F401  for each test here
from rumba import njit, types
from rumba.extending import explicit
from rumba.nrt_stats import rtsys
from rumba.numba.core import ir, rewrites
from rumba.numba.core.compiler import run_frontend
from rumba.numba.core.registry import cpu_target
from rumba.numba.core.rewrites.ir_print import DetectConstPrintArguments, RewritePrintCalls
from rumba.numba.core.rewrites.registry import RewriteRegistry, rewrite_registry
from rumba.numba.core.rewrites.static_getitem import RewriteStringLiteralGetitems
from rumba.numba.np.ufunc import array_exprs
from rumba.numba.np.ufunc.array_exprs import RewriteArrayExprs

ITEMS = np.arange(5.0)


@pytest.fixture(autouse=True)
def restores():
    """The registry is afterwards as it was."""
    before = {kind: list(known) for kind, known in rewrite_registry.rewrites.items()}
    yield
    for kind, known in before.items():
        rewrite_registry.rewrites[kind][:] = known
    assert not rewrite_registry.is_altered() and not any(map(rewrite_registry.of_users, before))


def allocated():
    """How many blocks `a * 2 + b - 1` allocates in a function that is compiled now, and what it gives."""
    compiled = njit(lambda a, b: a * 2 + b - 1)
    compiled(ITEMS, ITEMS)
    before = rtsys.get_allocation_stats().alloc
    result = compiled(ITEMS, ITEMS)
    assert list(result) == list(ITEMS * 3 - 1)
    return rtsys.get_allocation_stats().alloc - before


class Looking(rewrites.Rewrite):
    """A rewrite that keeps what it sees."""

    seen = []

    def match(self, func_ir, block, typemap, calltypes):
        type(self).seen.append(block)
        return False


def test_row_0_5_a_private_registry_is_applied_by_hand():
    registry = RewriteRegistry()
    changed = []

    @registry.register("before-inference")
    class Swaps(rewrites.Rewrite):
        def match(self, func_ir, block, typemap, calltypes):
            self.block = block
            self.found = [expr for expr in block.find_exprs("binop") if expr.fn is operator.sub]
            return bool(self.found)

        def apply(self):
            for expr in self.found:
                expr.fn = operator.add
                changed.append(expr)
            return self.block

    class State:
        pass

    state = State()
    state.func_ir, state.typemap, state.calltypes = run_frontend(lambda a, b: a - b), None, None
    registry.apply("before-inference", state)
    assert len(changed) == 1
    assert [expr.fn for block in state.func_ir.blocks.values() for expr in block.find_exprs("binop")] == [operator.add]
    assert njit(lambda a, b: a - b)(3, 1) == 2
    with pytest.raises(KeyError, match="invalid kind"):
        registry.register("around-inference")


def test_row_0_5_classes_are_put_into_the_list_and_taken_out():
    Looking.seen.clear()
    rewrite_registry.rewrites["before-inference"].append(Looking)
    assert njit(lambda x: x + 1)(1) == 2 and Looking.seen
    rewrite_registry.rewrites["before-inference"].remove(Looking)
    Looking.seen.clear()
    assert njit(lambda x: x + 1)(1) == 2 and not Looking.seen


def test_row_0_8_print_becomes_a_statement(capfd):
    found = []

    @rewrites.register_rewrite("after-inference")
    class Finds(rewrites.Rewrite):
        def match(self, func_ir, block, typemap, calltypes):
            found.extend(block.find_insts(ir.Print))
            return False

    @njit
    def show(x):
        print(x, 3)
        print(x, end="!\n")
        return x

    assert show(2) == 2
    assert capfd.readouterr().out == "2 3\n2!\n"
    assert [(len(inst.args), inst.consts) for inst in found] == [(2, {1: 3})]
    kinds = rewrite_registry.rewrites["before-inference"]
    assert kinds.index(RewritePrintCalls) < kinds.index(DetectConstPrintArguments)


def test_row_0_8_items_by_literal_names():
    kinds = rewrite_registry.rewrites["after-inference"]
    assert kinds.index(RewriteStringLiteralGetitems) < kinds.index(RewriteArrayExprs)
    found = []

    @rewrites.register_rewrite("after-inference")
    class Finds(rewrites.Rewrite):
        def match(self, func_ir, block, typemap, calltypes):
            found.extend(expr.index for expr in block.find_exprs("static_getitem"))
            return False

    record = np.zeros(2, dtype=[("a", "i8"), ("b", "f8")])
    assert njit(lambda record: record["b"] + 1)(record)[0] == 1.0
    assert found == ["b"]


def test_row_0_9_the_rewrite_of_array_expressions_does_the_work():
    assert allocated() == 1
    place = rewrite_registry.rewrites["after-inference"].index(RewriteArrayExprs)
    rewrite_registry.rewrites["after-inference"].remove(RewriteArrayExprs)
    assert allocated() == 3
    rewrite_registry.rewrites["after-inference"].insert(place, RewriteArrayExprs)
    assert allocated() == 1


def test_row_0_9_a_patched_match_is_asked(monkeypatch):
    plain, asked = RewriteArrayExprs.match, []

    def match(self, *args):
        asked.append(args)
        return plain(self, *args)

    with monkeypatch.context() as patched:
        patched.setattr(RewriteArrayExprs, "match", match)
        assert allocated() == 1 and asked
        patched.setattr(RewriteArrayExprs, "match", lambda self, *args: False)
        assert allocated() == 3
    asked.clear()
    assert allocated() == 1 and not asked


def test_row_0_12_an_array_expression_becomes_a_function():
    seen = []

    def hook(lowerer, expr):
        seen.append(expr.op)
        made = array_exprs._lower_array_expr(lowerer, expr)
        assert list(made(ITEMS, ITEMS)) == list(ITEMS * 3 - 1)
        return made

    ops = cpu_target.target_context.special_ops
    ops["arrayexpr"] = hook
    try:
        allocated()
    finally:
        del ops["arrayexpr"]
    assert seen and set(seen) == {"arrayexpr"}
    seen.clear()
    assert allocated() == 1 and not seen


def test_row_0_12_an_array_expression_with_code_of_ones_own():
    ops = cpu_target.target_context.special_ops
    ops["arrayexpr"] = lambda lowerer, expr: lambda *operands: -operands[0]
    try:
        compiled = njit(lambda a: a * 2 + 1)
        assert list(compiled(ITEMS)) == list(-ITEMS)
    finally:
        ops.pop("arrayexpr")


def test_row_0_12_looking_at_a_function_changes_nothing():
    from rumba.numba_pipeline import compiler

    state = compiler.Compiler(
        cpu_target.typing_context, cpu_target.target_context, None, (types.float64[::1],) * 2, None,
        compiler.DEFAULT_FLAGS.copy(), {})
    state.compile_extra(lambda a, b: a * 2 + b - 1)
    assert not rewrite_registry.is_altered() and allocated() == 1


def replacing(fn, op, hook):
    """A rewrite that makes operations of an operator ones of another name, which the hook lowers."""
    @rewrites.register_rewrite("after-inference")
    class Replaces(rewrites.Rewrite):
        def match(self, func_ir, block, typemap, calltypes):
            self.pipeline.targetctx.special_ops[op] = hook
            self.block = block
            self.found = {
                inst: ir.Assign(ir.Expr(op, inst.loc, a=inst.value.lhs, b=inst.value.rhs), inst.target, inst.loc)
                for inst in block.find_insts(ir.Assign)
                if isinstance(inst.value, ir.Expr) and inst.value.op == "binop" and inst.value.fn is fn}
            return bool(self.found)

        def apply(self):
            block = ir.Block(self.block.scope, self.block.loc)
            for inst in self.block.body:
                block.append(self.found.get(inst, inst))
            return block


@pytest.mark.parametrize("fails", [False, True])
def test_row_0_13_a_lowering_hook_with_llvmlite(fails):
    def hook(lowerer, expr):
        builder, context = lowerer.builder, lowerer.context
        a, b = (lowerer.loadvar(var.name) for var in (expr.a, expr.b))
        assert lowerer.typeof(expr.a.name) == types.float64
        return builder.fadd(builder.fmul(a, b), context.get_constant(types.float64, 100.0))

    replacing(operator.mod, "my_fma", hook)
    if fails:
        with pytest.raises(AssertionError):
            njit(lambda a, b: a % b)(3, 5)
    else:
        assert njit(lambda a, b: a % b)(3.0, 5.0) == 115.0
        assert njit(lambda a: a % a)(3.0) == 109.0


def test_row_0_13_a_lowering_hook_in_rumbas_own_form():
    @explicit
    def hook(b, expr, args):
        assert expr.op == "my_distance"
        return b.fabs(b.fsub(*args))

    replacing(operator.sub, "my_distance", hook)
    assert njit(lambda a, b: a - b)(3.0, 5.0) == 2.0
