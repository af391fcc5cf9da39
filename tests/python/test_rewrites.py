"""Rewrites of users: each sees functions in Numba's shape, and gives other blocks."""
import glob
import math
import operator
import types as pytypes

import numpy as np
import pytest

from rumba.numba import njit, types
from rumba.numba.core import ir
from rumba.numba.core.ir_utils import find_callname, guard, mk_unique_var
from rumba.numba.core.rewrites import Rewrite, RewriteRegistry, register_rewrite, rewrite_registry
from rumba.rewriting import RewriteError, lower_op, run


@pytest.fixture
def register():
    """Registers rewrites for the test alone."""
    added = []

    def do_register(kind, rewrite_cls):
        added.append(register_rewrite(kind)(rewrite_cls))
        return rewrite_cls

    yield do_register
    for rewrite_cls in dict.fromkeys(added):
        rewrite_registry.unregister(rewrite_cls)


class Replacing(Rewrite):
    """A rewrite that replaces assignments: `look` gives what takes the place of a value, or None."""

    def match(self, func_ir, block, typemap, calltypes):
        self.func_ir, self.block, self.typemap, self.calltypes = func_ir, block, typemap, calltypes
        self.found = {}
        for inst in block.find_insts(ir.Assign):
            made = self.look(inst)
            if made is not None:
                self.found[id(inst)] = made if isinstance(made, list) else [ir.Assign(made, inst.target, inst.loc)]
        return bool(self.found)

    def apply(self):
        block = ir.Block(self.block.scope, self.block.loc)
        for inst in self.block.body:
            for made in self.found.get(id(inst), [inst]):
                block.append(made)
        return block

    def number(self, var):
        value = guard_constant(self.func_ir, var)
        return value if isinstance(value, (int, float)) else None


def guard_constant(func_ir, var):
    try:
        return func_ir.infer_constant(var)
    except Exception:
        return None


class Fold(Replacing):
    """Operators of constants become constants."""

    def look(self, inst):
        expr = inst.value
        if not (isinstance(expr, ir.Expr) and expr.op == "binop"):
            return None
        left, right = self.number(expr.lhs), self.number(expr.rhs)
        return None if None in (left, right) else ir.Const(expr.fn(left, right), expr.loc)


def count(func_ir, op):
    return sum(1 for block in func_ir.blocks.values() for _ in block.find_exprs(op))


def watch(kind, function, *args):
    """Calls a function, and gives the forms in which each function left its rewrites."""
    seen = {}
    token = run.watchers.set((lambda at, state: seen.setdefault((at, state.func_id.func_name), state),))
    try:
        result = function(*args)
    finally:
        run.watchers.reset(token)
    return result, {name: state for (at, name), state in seen.items() if at == kind}


def test_constants_fold_before_inference(register):
    register("before-inference", Fold)

    @njit
    def f(x):
        two, other = 2, 3.5
        return x + two * other * two

    result, seen = watch("before-inference", f, 1.5)
    assert result == 15.5
    assert count(seen["f"].func_ir, "binop") == 1


def test_types_are_none_before_inference_and_filled_after(register):
    seen = []

    class Looks(Rewrite):
        def match(self, func_ir, block, typemap, calltypes):
            seen.append((typemap, calltypes))
            return False

    register("before-inference", Looks)
    register("after-inference", Looks)

    @njit
    def f(x, n):
        return x * n

    assert f(1.5, 2) == 3.0
    assert seen[0] == (None, None)
    typemap, calltypes = seen[1]
    assert typemap["x"] == types.float64 and typemap["n"] == types.int64
    [signature] = [sig for expr, sig in calltypes.items() if expr.op == "binop"]
    assert signature.return_type == types.float64 and signature.args == (types.float64, types.int64)


def test_a_callee_is_offered_once_before_inference_and_once_for_its_types_after(register):
    seen = []

    class Looks(Rewrite):
        def match(self, func_ir, block, typemap, calltypes):
            self.block = block
            seen.append((func_ir.func_id.func_name, typemap and str(typemap["x"])))
            # A change of the caller leads to inference anew.
            return func_ir.func_id.func_name == "f" and seen.count(seen[-1]) == 1

        def apply(self):
            return self.block

    @njit
    def g(x):
        return x + 1

    @njit
    def f(x):
        return g(x) + g(x * 0.5)

    register("before-inference", Looks)
    register("after-inference", Looks)
    assert f(2) == 5.0
    assert [name for name in seen if name[0] == "g"] == [("g", None), ("g", "int64"), ("g", "float64")]


def test_strength_reduction_after_inference(register):
    class Square(Replacing):
        def look(self, inst):
            expr = inst.value
            if not (isinstance(expr, ir.Expr) and expr.op == "binop" and expr.fn is operator.pow):
                return None
            if not isinstance(self.typemap[expr.lhs.name], types.Float) or self.number(expr.rhs) != 2:
                return None
            made = ir.Expr.binop(operator.mul, expr.lhs, expr.lhs, expr.loc)
            ty = self.typemap[expr.lhs.name]
            self.calltypes[made] = ty(ty, ty)
            return made

    register("after-inference", Square)

    @njit
    def f(x, n):
        total = x - x
        for _ in range(n):
            total += x ** 2
        return total

    result, seen = watch("after-inference", f, 3.0, 2)
    assert result == 18.0 and [e.fn for e in powers(seen)] == [operator.mul]
    result, seen = watch("after-inference", f, 3, 2)
    assert result == 18 and [e.fn for e in powers(seen)] == [operator.pow]


def powers(seen):
    exprs = [expr for block in seen["f"].func_ir.blocks.values() for expr in block.find_exprs("binop")]
    return [expr for expr in exprs if expr.fn in (operator.pow, operator.mul)]


def plain_replacement(x):
    return x + 1000.0


compiled_replacement = njit(plain_replacement)


@pytest.mark.parametrize("kind", ["before-inference", "after-inference"])
@pytest.mark.parametrize("value", [math.cos, compiled_replacement])
def test_a_call_is_replaced(register, kind, value):
    class Other(Replacing):
        def look(self, inst):
            expr = inst.value
            if not (isinstance(expr, ir.Expr) and expr.op == "call"):
                return None
            if guard(find_callname, self.func_ir, expr) != ("sin", "math"):
                return None
            func = ir.Var(inst.target.scope, mk_unique_var("$func"), expr.loc)
            if self.typemap is not None:
                self.typemap[func.name] = types.Dummy("function")
            made = ir.Expr.call(func, expr.args, (), expr.loc)
            return [ir.Assign(ir.Global("value", value, expr.loc), func, expr.loc), ir.Assign(made, inst.target, inst.loc)]

    register(kind, Other)

    @njit
    def inner(x):
        return math.sin(x) + 1

    @njit
    def f(x):
        return inner(x) * 2

    assert f(0.25) == (value(0.25) + 1) * 2


def test_state_lives_from_match_to_apply_and_the_pipeline_is_there(register):
    pipelines = []

    class Keeps(Rewrite):
        def __init__(self, pipeline, *args, **kws):
            super().__init__(pipeline, *args, **kws)
            pipelines.append(self.pipeline)
            assert self.args == () and self.kws == {}

        def match(self, func_ir, block, typemap, calltypes):
            self.matched = block
            self.consts = [i for i in block.find_insts(ir.Assign) if isinstance(i.value, ir.Const) and i.value.value == 7]
            return bool(self.consts)

        def apply(self):
            for inst in self.consts:
                inst.value = ir.Const(8, inst.loc)
            return self.matched

    register("before-inference", Keeps)

    @njit
    def f(x):
        if x > 0:
            return x + 7
        return x - 7

    assert (f(1), f(-1)) == (9, -9)
    assert pipelines[0].func_id.func_name == "f" and pipelines[0].func_ir.arg_names == ("x",)


def test_three_arguments_as_once(register):
    class Old(Rewrite):
        def match(self, block, typemap, callmap):
            self.block = block
            self.hits = [i for i in block.find_insts(ir.Assign) if isinstance(i.value, ir.Const) and i.value.value == 5]
            return bool(self.hits)

        def apply(self):
            block = self.block.copy()
            block.body = [ir.Assign(ir.Const(6, i.loc), i.target, i.loc) if i in self.hits else i for i in block.body]
            return block

    register("before-inference", Old)
    assert njit(lambda x: x + 5)(1) == 7


def test_order_is_that_of_registration(register):
    log = []

    def make(name, old, new):
        class Step(Replacing):
            def look(self, inst):
                if isinstance(inst.value, ir.Const) and inst.value.value == old:
                    log.append(name)
                    return ir.Const(new, inst.loc)
                return None
        return Step

    register("before-inference", make("first", 10, 20))
    register("before-inference", make("second", 20, 30))
    register("before-inference", make("third", 10, 40))
    assert njit(lambda x: x + 10)(0) == 30
    assert log == ["first", "second"]


def test_a_block_is_offered_again_until_nothing_matches(register):
    class Down(Replacing):
        def look(self, inst):
            if isinstance(inst.value, ir.Const) and type(inst.value.value) is int and inst.value.value > 100:
                return ir.Const(inst.value.value - 1, inst.loc)
            return None

    register("before-inference", Down)
    assert njit(lambda x: x + 120)(0) == 100


def test_an_endless_rewrite_is_named(register):
    class Endless(Rewrite):
        def match(self, func_ir, block, typemap, calltypes):
            self.block = block
            return True

        def apply(self):
            return self.block

    register("before-inference", Endless)
    with pytest.raises(RewriteError, match=r"Endless does not come to an end: it changed block \d+ of .*<lambda> 1000 times"):
        njit(lambda x: x)(1)


def broken(change):
    class Broken(Rewrite):
        done = False

        def match(self, func_ir, block, typemap, calltypes):
            self.block, first = block, not self.done
            self.done = True
            return first

        def apply(self):
            return change(self.block)

    return Broken


def without_end(block):
    block.body.pop()
    return block


def elsewhere(block):
    block.body[-1] = ir.Jump(999, block.loc)
    return block


def unknown(block):
    block.body[-1] = ir.Return(ir.Var(block.scope, "nowhere", block.loc), block.loc)
    return block


def reversed_statements(block):
    block.body[:-1] = block.body[-2::-1]
    return block


def swapped(block):
    block.insert_before_terminator(ir.Assign(ir.Var(block.scope, "y", block.loc), ir.Const(1, block.loc), block.loc))
    return block


@pytest.mark.parametrize("kind", ["before-inference", "after-inference"])
@pytest.mark.parametrize("change, message", [
    (without_end, "its last statement does not leave it"),
    (elsewhere, "leads to block 999, which is not there"),
    (unknown, "reads 'nowhere', which nothing assigns"),
    (reversed_statements, "is read where it may not have been assigned"),
    (swapped, r"ir.Assign takes \(value, target, loc\)"),
    (lambda block: None, "apply\\(\\) returned None, not an ir.Block"),
])
def test_what_is_no_function_is_told_with_the_name_of_the_rewrite(register, kind, change, message):
    register(kind, broken(change))

    @njit
    def f(x):
        return x * 2 + 1

    with pytest.raises(RewriteError, match=message) as raised:
        f(1)
    assert "Broken" in str(raised.value) and "f" in str(raised.value)


def test_a_new_variable_without_a_type_is_an_error(register):
    def untyped(block):
        var = ir.Var(block.scope, "$mine", block.loc)
        block.insert_before_terminator(ir.Assign(ir.Const(1, block.loc), var, block.loc))
        return block

    register("after-inference", broken(untyped))
    with pytest.raises(RewriteError, match=r"the variable '\$mine' has no type: put the type of `const\(int, 1\)`"):
        njit(lambda x: x)(1)


def test_a_new_variable_has_the_type_of_the_typemap(register):
    class Wide(Rewrite):
        def match(self, func_ir, block, typemap, calltypes):
            self.block, self.typemap = block, typemap
            return isinstance(block.terminator, ir.Return) and "$wide" not in typemap

        def apply(self):
            wide = ir.Var(self.block.scope, "$wide", self.block.loc)
            self.typemap["$wide"] = types.float64
            last = self.block.terminator
            block = self.block.copy()
            cast = block.find_variable_assignment(last.value.name).value
            block.body[-1:] = [
                ir.Assign(cast.value, wide, self.block.loc), ir.Return(wide, last.loc)]
            return block

    register("after-inference", Wide)
    result = njit(lambda x: x + 1)(1)
    assert result == 2.0 and type(result) is float


def test_an_exception_of_a_rewrite_is_what_the_user_sees(register):
    class Fails(Rewrite):
        def match(self, func_ir, block, typemap, calltypes):
            raise LookupError("in match")

    register("before-inference", Fails)
    with pytest.raises(LookupError, match="in match"):
        njit(lambda x: x)(1)


def test_kinds_and_classes_are_checked():
    registry = RewriteRegistry()
    with pytest.raises(KeyError, match="invalid kind 'in-between'"):
        registry.register("in-between")
    with pytest.raises(TypeError, match="is not a subclass of Rewrite"):
        registry.register("before-inference")(int)
    with pytest.raises(NotImplementedError):
        Rewrite(None).apply()
    mine = registry.register("after-inference")(Fold)
    assert registry.rewrites == {"before-inference": [], "after-inference": [mine]}


def test_a_function_that_is_compiled_already_stays_as_it_is(register):
    f = njit(lambda x: x * 2 + 1)
    assert f(1) == 3

    class Other(Replacing):
        def look(self, inst):
            return ir.Const(100, inst.loc) if isinstance(inst.value, ir.Const) and inst.value.value == 2 else None

    register("before-inference", Other)
    assert f(1) == 3 and f(1.0) == 101.0


def test_no_rewrites(register):
    register("before-inference", Fold)

    @njit(no_rewrites=True)
    def f(x):
        two, three = 2, 3
        return x + two * three

    result, seen = watch("before-inference", f, 1)
    assert result == 7 and count(seen["f"].func_ir, "binop") == 2


def test_an_operation_of_a_library(register):
    class Fuse(Replacing):
        """`a * b + c` becomes `my_fma`."""

        def look(self, inst):
            expr = inst.value
            if not (isinstance(expr, ir.Expr) and expr.op == "binop" and expr.fn is operator.add):
                return None
            product = self.func_ir.get_definition(expr.lhs)
            if not (isinstance(product, ir.Expr) and product.op == "binop" and product.fn is operator.mul):
                return None
            return ir.Expr("my_fma", expr.loc, a=product.lhs, b=product.rhs, c=expr.rhs)

    hooked = []

    @lower_op("my_fma")
    def lower(context, expr):
        hooked.append(expr)

        def my_fma(a, b, c):
            return a * b + c + 0.5
        return my_fma

    register("before-inference", Fuse)

    @njit
    def f(x, y, z):
        return x * y + z

    assert f(2.0, 3.0, 4.0) == 10.5
    assert [expr.op for expr in hooked][0] == "my_fma"
    with pytest.raises(KeyError, match="'my_fma' is lowered by lower already"):
        lower_op("my_fma")(lambda context, expr: None)


def test_an_operation_that_becomes_a_text_of_llvm(register):
    class Fuse(Replacing):
        def look(self, inst):
            is_add = isinstance(inst.value, ir.Expr) and inst.value.op == "binop" and inst.value.fn is operator.add
            return ir.Expr("text_fma", inst.loc, a=inst.value.lhs, b=inst.value.rhs, c=inst.value.rhs) if is_add else None

    @lower_op("text_fma")
    def lower(context, expr):
        return """
        declare double @llvm.fma.f64(double, double, double)
        define double @text_fma(double %a, double %b, double %c) {
          %r = call double @llvm.fma.f64(double %a, double %b, double %c)
          ret double %r
        }"""

    register("after-inference", Fuse)
    f = njit(lambda x, y: x + y)
    assert f(2.0, 3.0) == 9.0 and f(2, 4.0) == 12.0


def test_an_operation_that_nobody_lowers(register):
    class Unknown(Replacing):
        def look(self, inst):
            is_add = isinstance(inst.value, ir.Expr) and inst.value.op == "binop"
            return ir.Expr("nobody", inst.loc, a=inst.value.lhs) if is_add else None

    register("before-inference", Unknown)
    with pytest.raises(Exception, match="nothing says what the operation 'nobody' becomes"):
        njit(lambda x: x + 1)(1)


def test_the_hook_of_the_pipeline(register):
    class Negates(Replacing):
        def look(self, inst):
            self.pipeline.targetctx.special_ops["own_negation"] = lambda context, expr: (lambda x: -x * 10)
            is_unary = isinstance(inst.value, ir.Expr) and inst.value.op == "unary"
            return ir.Expr("own_negation", inst.loc, value=inst.value.value) if is_unary else None

    register("after-inference", Negates)
    assert njit(lambda x: -x)(2) == -20


def test_nodes_of_all_kinds_are_read_back(register):
    """A block that is written out by hand."""
    class Other(Rewrite):
        def match(self, func_ir, block, typemap, calltypes):
            self.block = block
            return not hasattr(block, "seen")

        def apply(self):
            block, loc = ir.Block(self.block.scope, self.block.loc), self.block.loc
            names = iter(range(100))

            def new(value):
                var = ir.Var(block.scope, f"$v{next(names)}", loc)
                block.append(ir.Assign(value, var, loc))
                return var

            x = new(ir.Arg("x", 0, loc))
            one, two = new(ir.Const(1, loc)), new(ir.Const(2.5, loc))
            pair = new(ir.Expr.build_tuple([x, two], loc))
            first = new(ir.Expr.static_getitem(pair, 0, None, loc))
            items = new(ir.Expr.build_list([first, one], loc))
            block.append(ir.SetItem(items, one, x, loc))
            block.append(ir.StaticSetItem(items, 0, None, one, loc))
            zero = new(ir.Const(0, loc))
            got = new(ir.Expr.getitem(items, zero, loc))
            it = new(ir.Expr.getiter(items, loc))
            step = new(ir.Expr.iternext(it, loc))
            begins = new(ir.Expr.pair_first(step, loc))
            known = new(ir.Expr.build_map([(one, x)], 1, {}, [], loc))
            block.append(ir.StoreMap(known, zero, got, loc))
            size = new(ir.Expr.call(new(ir.Global("len", len, loc)), [known], (), loc))
            both = new(ir.Expr.exhaust_iter(new(ir.Expr.build_tuple([size, begins], loc)), 2, loc))
            last = new(ir.Expr.static_getitem(both, 1, None, loc))
            copy = new(last)
            high = new(ir.Expr.getattr(new(ir.Global("math", math, loc)), "floor", loc))
            floor = new(ir.Expr.call(high, [two], [], loc))
            result = new(ir.Expr.build_tuple([size, copy, floor, new(ir.Expr.unary("-", x, loc)), got], loc))
            block.append(ir.Return(result, loc))
            block.seen = True
            return block

    register("before-inference", Other)
    assert njit(lambda x: x)(7) == (2, 1, 2, -7, 1)


def test_static_raise_and_print(register, capsys):
    class Raises(Rewrite):
        def match(self, func_ir, block, typemap, calltypes):
            self.block = block
            return isinstance(block.terminator, ir.Return)

        def apply(self):
            block = self.block.copy()
            x = block.find_variable_assignment("x").target
            block.body[-1:] = [
                ir.Print((x,), None, block.loc), ir.StaticRaise(ValueError, ("told", 3), block.loc)]
            return block

    register("before-inference", Raises)

    @njit
    def f(x):
        return x

    with pytest.raises(ValueError) as raised:
        f(4)
    assert raised.value.args == ("told", 3)
    assert capsys.readouterr().out == "4\n"


def test_new_blocks(register):
    class Guards(Rewrite):
        """Functions that return an int return 0 for negative ones."""

        def match(self, func_ir, block, typemap, calltypes):
            self.func_ir, self.block = func_ir, block
            return isinstance(block.terminator, ir.Return) and not getattr(block, "guarded", False)

        def apply(self):
            func_ir, block, loc = self.func_ir, self.block.copy(), self.block.loc
            value = block.terminator.value
            after, other = max(func_ir.blocks) + 1, max(func_ir.blocks) + 3
            scope = block.scope
            zero, test = ir.Var(scope, "$zero", loc), ir.Var(scope, "$test", loc)
            for label, var in ((after, value), (other, zero)):
                new = func_ir.blocks[label] = ir.Block(scope, loc)
                new.append(ir.Return(var, loc))
                new.guarded = True
            block.body[-1:] = [
                ir.Assign(ir.Const(0, loc), zero, loc),
                ir.Assign(ir.Expr.binop(operator.lt, value, zero, loc), test, loc), ir.Branch(test, other, after, loc)]
            return block

    register("before-inference", Guards)
    f = njit(lambda x: x * 3)
    assert (f(2), f(-2)) == (6, 0)


def test_a_name_that_is_assigned_again_in_a_loop(register):
    class Counts(Rewrite):
        """Each round of a loop adds 100 to `total`, which is not SSA."""

        def match(self, func_ir, block, typemap, calltypes):
            self.block = block
            self.found = [i for i in block.find_insts(ir.Assign) if i.target.name.startswith("total.") and isinstance(
                i.value, ir.Expr) and i.value.op == "inplace_binop"]
            return bool(self.found) and not hasattr(block, "seen")

        def apply(self):
            block, loc = self.block.copy(), self.block.loc
            inst = self.found[0]
            hundred = ir.Var(block.scope, "$hundred", loc)
            again = ir.Assign(ir.Expr.binop(operator.add, inst.target, hundred, loc), inst.target, loc)
            at = next(index for index, known in enumerate(block.body) if known is inst) + 1
            block.body[at:at] = [ir.Assign(ir.Const(100, loc), hundred, loc), again]
            block.seen = True
            return block

    register("before-inference", Counts)

    @njit
    def f(n):
        total = 0
        for i in range(n):
            total += i
        return total

    assert f(4) == 406


# ---- expressions of arrays ----

def axy(a, x, y):
    return a * x + y


def test_array_expressions_have_the_state_that_rewrites_know(register):
    from rumba.numba.np.ufunc.array_exprs import RewriteArrayExprs

    class Looks(Rewrite):
        def match(self, func_ir, block, typemap, calltypes):
            return False

    register("after-inference", Looks)
    made = {}

    def keep(kind, state):
        if kind == "after-inference" and state.func_id.func_name == "axy":
            made["state"] = state

    token = run.watchers.set((keep,))
    a = np.arange(3.0)
    try:
        place = rewrite_registry.rewrites["after-inference"].index(RewriteArrayExprs)
        rewrite_registry.rewrites["after-inference"].remove(RewriteArrayExprs)
        result = njit(axy)(a, a, a)
    finally:
        rewrite_registry.rewrites["after-inference"].insert(place, RewriteArrayExprs)
        run.watchers.reset(token)
    np.testing.assert_array_equal(result, axy(a, a, a))
    state = made["state"]
    rewrite = RewriteArrayExprs(state)
    [block] = state.func_ir.blocks.values()
    assert rewrite.match(state.func_ir, block, state.typemap, state.calltypes)
    assert rewrite.crnt_block is block and rewrite.typemap is state.typemap
    assert rewrite.matches == list(rewrite.array_assigns) and len(rewrite.matches) == 2
    replace_map, used_vars, dead_vars = rewrite._handle_matches()
    assert used_vars == {"a", "x", "y"} and dead_vars == {rewrite.matches[0]}
    assert list(replace_map.values()).count(None) == 1
    new = rewrite.apply()
    [expr] = new.find_exprs("arrayexpr")
    fn, [(inner, [one, two]), three] = expr.expr
    assert (fn, inner, one.name, two.name, three.name) == (operator.add, operator.mul, "a", "x", "y")
    assert expr.ty == state.typemap["a"]


@pytest.mark.parametrize("function", [
    axy,
    lambda a, x, y: np.sin(a) * x + 2,
    lambda a, x, y: (a < x) & (y > 1.0),
    lambda a, x, y: -a ** 2 + x,
])
def test_array_expressions_are_read_back(register, function):
    class Touches(Rewrite):
        """Changes something, so that the whole function is read back."""

        def match(self, func_ir, block, typemap, calltypes):
            self.block = block
            return not hasattr(block, "touched")

        def apply(self):
            self.block.touched = True
            return self.block

    register("after-inference", Touches)
    a, x, y = np.arange(4.0), np.linspace(1, 2, 4), np.ones(4)
    result, seen = watch("after-inference", njit(function), a, x, y)
    np.testing.assert_array_equal(result, function(a, x, y))
    [state] = [state for state in seen.values() if state.function is function]
    assert count(state.func_ir, "arrayexpr") == 1 and count(state.func_ir, "binop") == 0


def test_array_expressions_stay_as_they_are_written():
    from rumba.nrt_stats import rtsys

    def allocations(function):
        a = np.arange(5.0)
        np.testing.assert_array_equal(function(a, a, a), axy(a, a, a))
        before = rtsys.get_allocation_stats().alloc
        function(a, a, a)
        return rtsys.get_allocation_stats().alloc - before

    assert (allocations(njit(axy)), allocations(njit(no_rewrites=True)(axy))) == (1, 2)


def test_dumps_show_what_is_rewritten():
    import subprocess
    import sys

    source = '''
import numpy as np
from rumba import njit
@njit
def f(a0, a1, a2):
    return a0 * a1 + a2
@njit
def g(x):
    if x == 0:
        raise ValueError("x cannot be zero")
    return 1 / x
a = np.arange(3.)
f(a, a, a), g(1)
'''
    out = subprocess.run(
        [sys.executable, "-c", source], capture_output=True, text=True, check=True, env={"RUMBA_DUMP_IR": "1"}).stdout
    before, after = out.split("REWRITING:")[1].split("_" * 60, 1)
    assert "a0 * a1" in before and "arrayexpr" not in before
    assert "arrayexpr(ty=array(float64, 1d, C), expr=('+', [('*', [Var(a0, " in after
    assert "raise <class 'ValueError'>('x cannot be zero')" in out


# ---- the way there and back ----

def functions_of(path):
    def codes(code):
        for const in code.co_consts:
            if isinstance(const, pytypes.CodeType):
                yield const
                yield from codes(const)

    with open(path) as file:
        top = compile(file.read(), path, "exec")
    for code in codes(top):
        if code.co_flags & 1 and not code.co_flags & 0x2A0:  # functions; no generators and coroutines
            cells = tuple(pytypes.CellType() for _ in code.co_freevars)
            yield pytypes.FunctionType(code, {}, code.co_name, None, cells or None)


def test_a_function_that_no_rewrite_changes_is_the_same():
    from rumba.errors import NumbaError

    number = 0
    # Every third file, which takes ten seconds.
    for path in sorted(glob.glob(f"{__file__.rpartition('/')[0]}/*.py"))[::3]:
        for function in functions_of(path):
            try:
                before, after = run.identity(function)
            except NumbaError:
                continue
            assert before == after, f"{path}: {function.__name__}"
            number += 1
    assert number > 700


def test_nothing_is_imported_where_there_are_no_rewrites():
    import subprocess
    import sys

    source = "import sys; from rumba import njit; njit(lambda x: x + 1)(1); print('rumba.rewriting' in sys.modules, 'rumba.numba_ir' in sys.modules)"
    out = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, check=True).stdout
    assert out.split() == ["False", "False"]


def test_the_examples_of_the_page():
    import pathlib
    import re
    import subprocess
    import sys

    page = pathlib.Path(__file__).parents[2] / "docs" / "rewrites.md"
    source = "\n".join(re.findall(r"^```python\n(.*?)^```", page.read_text(), re.M | re.S))
    assert source.count("@register_rewrite") == 4
    subprocess.run([sys.executable, "-c", source], check=True)


def closures(x):
    def add(y):
        return x + y
    return add(1) + add(2.5)


def branches(x):
    total = 0
    for i in range(9):
        if i == x:
            continue
        if total > 20 and x is not None:
            break
        total += 10 // (i + 1) if i < 5 else i
    else:
        raise ValueError("not found")
    return -total


def comprehensions(n):
    return [i * 2 for i in range(n) if i % 3], len({i: str(i) for i in range(n)}), sum([i for i in range(n)])


def swapping(a, b):
    while a < 100:
        a, b = b, a + b
    return a, b


def text(x):
    first, *rest = (x, x + 1, x + 2)
    return f"{first!r} and {rest[-1]:>4}", "ab" in "cab", not x, x is None


def maybe(x):
    if x > 2:
        y = x
    return y + 1 if x > 1 else -1


def arrays(n):
    a = np.arange(n) * 1.0
    a[1:3] += np.sqrt(a[1:3]) * 2 - a[0]
    b = np.where(a > 1, a, -a)
    return float(b.sum()), float(a[-1]), (a + b)[::2]


def keywords(x):
    def inner(a, *rest, b=2, **more):
        return a + len(rest) + b + len(more)
    return inner(x), inner(x, 1, 2), inner(*(x, 1), b=5), inner(x, b=1, c=3)


@pytest.mark.parametrize("function, args", [
    (closures, (3,)), (branches, (2,)), (branches, (5,)), (comprehensions, (5,)), (swapping, (1, 2)), (text, (7,)),
    (maybe, (3,)), (maybe, (1,)), (arrays, (6,)), (keywords, (1,))])
def test_results_of_functions_that_are_read_back(register, function, args):
    class Touches(Rewrite):
        """Gives each block back once, so that all functions go the whole way."""

        def __init__(self, pipeline):
            super().__init__(pipeline)
            self.seen = set()

        def match(self, func_ir, block, typemap, calltypes):
            self.block = block
            return id(block) not in self.seen

        def apply(self):
            self.seen.add(id(self.block))
            return self.block

    register("before-inference", Touches)
    register("after-inference", Touches)
    expected, result = function(*args), njit(function)(*args)
    if function is arrays:
        np.testing.assert_array_equal(result[2], expected[2])
        result, expected = result[:2], expected[:2]
    assert repr(result) == repr(expected)


def test_expressions_of_arrays_stay_where_calls_change_what_they_read(register):
    class Nothing(Rewrite):
        def match(self, func_ir, block, typemap, calltypes):
            self.block, seen = block, id(func_ir) in self.seen
            self.seen.add(id(func_ir))
            return not seen

        def apply(self):
            return self.block

        seen = set()

    register("after-inference", Nothing)

    def f(a):
        t = a + 1
        np.add(a, a * 2, a)
        return t + a

    assert (njit(f)(np.arange(4.0)) == f(np.arange(4.0))).all()
