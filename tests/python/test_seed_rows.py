"""Rows of the documents on rewrites (0), extending the frontend (3) and function calls (4) that other tests do not stand for: one
test each, named after the row.

Absent: the other rows (test_seed_0, test_seed_3, test_seed_4).
"""
import operator

import numpy as np
import pytest

from rumba import cfunc, errors, jit, njit, types, vectorize
from rumba.extending import models, overload, overload_attribute
from rumba.numba.core import ir, typing
from rumba.numba.core.compiler import CompilerBase, DefaultPassBuilder
from rumba.numba.core.compiler_machinery import FunctionPass, register_pass
from rumba.numba.core.rewrites import Rewrite, register_rewrite, rewrite_registry
from rumba.numba.core.typed_passes import NopythonTypeInference
from rumba.numba.extending import (
    NativeValue, box, lower_builtin, make_attribute_wrapper, register_model, type_callable, typeof_impl, unbox)
from rumba.nrt_stats import rtsys
from support import forgotten_overloads


class registered:
    """Registers rewrites while the block runs."""

    def __init__(self, phase, *classes):
        self.phase, self.classes = phase, classes

    def __enter__(self):
        for cls in self.classes:
            register_rewrite(self.phase)(cls)

    def __exit__(self, *exception):
        for cls in self.classes:
            rewrite_registry.rewrites[self.phase].remove(cls)


class Doubles(Rewrite):
    """Makes constants of 7 constants of 14."""

    made = []

    def __init__(self, pipeline, *args, **kws):
        self.pipeline = pipeline
        Doubles.made.append(self)

    def match(self, func_ir, block, typemap, calltypes):
        self.asked = func_ir, typemap, calltypes
        self.block = block
        self.found = [inst for inst in block.find_insts(ir.Assign) if isinstance(inst.value, ir.Const) and inst.value.value == 7]
        return bool(self.found)

    def apply(self):
        block = self.block.copy()
        block.body = [
            ir.Assign(ir.Const(14, inst.loc), inst.target, inst.loc) if inst in self.found else inst for inst in self.block.body]
        return block


def seven(x):
    if x:
        return 7
    return 0


def test_row_0_1_the_compiler_makes_users_rewrites():
    Doubles.made.clear()
    with registered("before-inference", Doubles):
        assert njit(seven)(1) == 14
    (made,) = {id(one): one for one in Doubles.made}.values()
    assert made.pipeline.func_ir is made.asked[0]


@pytest.mark.parametrize("phase", ["before-inference", "after-inference"])
def test_row_0_2_match_is_asked_for_every_block(phase):
    seen = []

    class Looks(Rewrite):
        def match(self, func_ir, block, typemap, calltypes):
            seen.append((block, typemap, calltypes))
            return False

        def apply(self):
            raise AssertionError

    with registered(phase, Looks):
        assert njit(seven)(1) == 7
    assert len({id(block) for block, _, _ in seen}) >= 3
    for _, typemap, calltypes in seen:
        assert (typemap is None and calltypes is None) == (phase == "before-inference")
    if phase == "after-inference":
        assert seen[0][1]["x"] == types.int64


def test_row_0_3_apply_replaces_the_block(monkeypatch, capsys):
    from rumba import config

    monkeypatch.setattr(config, "DUMP_IR", True)
    with registered("before-inference", Doubles):
        assert njit(seven)(1) == 14 and njit(seven)(0) == 0
    assert "REWRITING" in capsys.readouterr().out


def test_row_0_4_what_match_collects_apply_uses():
    class Renames(Rewrite):
        def match(self, func_ir, block, typemap, calltypes):
            self.block = block
            self.adds = [expr for expr in block.find_exprs("binop") if expr.fn is operator.add]
            return bool(self.adds)

        def apply(self):
            block = self.block.copy()
            for inst in block.find_insts(ir.Assign):
                if inst.value in self.adds:
                    inst.value = ir.Expr.binop(operator.sub, inst.value.lhs, inst.value.rhs, inst.loc)
            return block

    with registered("before-inference", Renames):
        assert njit(lambda x, y: x + y)(7, 3) == 4


def test_row_0_6_a_block_is_offered_until_nothing_matches():
    class OneByOne(Rewrite):
        def match(self, func_ir, block, typemap, calltypes):
            self.block = block
            self.found = next((inst for inst in block.find_insts(ir.Assign)
                               if isinstance(inst.value, ir.Const) and inst.value.value == 7), None)
            return self.found is not None

        def apply(self):
            block = self.block.copy()
            block.body = [ir.Assign(ir.Const(1, inst.loc), inst.target, inst.loc) if inst is self.found else inst
                          for inst in self.block.body]
            return block

    class Endless(OneByOne):
        def match(self, func_ir, block, typemap, calltypes):
            super().match(func_ir, block, typemap, calltypes)
            return True

    with registered("before-inference", OneByOne):
        assert njit(lambda x: (x + 7) * (x - 7) + 7 * x)(10) == 11 * 9 + 10
    with registered("before-inference", Endless), pytest.raises(errors.CompilerError, match="Endless"):
        njit(lambda x: x + 7)(1)


def test_row_0_7_without_rewrites():
    with registered("before-inference", Doubles):
        assert njit(no_rewrites=True)(seven)(1) == 7
    a = np.arange(100.0)

    def allocations(function):
        function(a)
        before = rtsys.get_allocation_stats().mi_alloc
        function(a)
        return rtsys.get_allocation_stats().mi_alloc - before

    assert allocations(njit(lambda a: a * 2 + 1)) == 1
    assert allocations(njit(no_rewrites=True)(lambda a: a * 2 + 1)) == 2


def test_row_0_10_the_tree_of_an_array_expression():
    seen = []

    class Looks(Rewrite):
        def match(self, func_ir, block, typemap, calltypes):
            seen.append(([expr.expr for expr in block.find_exprs("arrayexpr")], [str(inst) for inst in block.body]))
            return False

        def apply(self):
            raise AssertionError

    def f(a0, a1, a2):
        return a0 * a1 + a2

    def kept(a0, a1, a2):
        product = a0 * a1
        return product + a2, product

    a = np.arange(3.0)
    with registered("after-inference", Looks):
        np.testing.assert_array_equal(njit(f)(a, a, a), f(a, a, a))
        one, other = njit(kept)(a, a, a)
    np.testing.assert_array_equal(one, a * a + a)
    np.testing.assert_array_equal(other, a * a)
    fn, (product, last) = seen[0][0][0]
    assert fn is operator.add and product[0] is operator.mul and [var.name for var in product[1]] == ["a0", "a1"] and last.name == "a2"
    # The product by itself is gone, and what it was assigned to.
    assert not any(" * " in line for line in seen[0][1])


@vectorize(["float64(float64)"])
def one_more(x):
    return x + 1


def test_row_0_11_what_the_leaves_and_operators_are():
    a, b = np.arange(1.0, 50.0), np.arange(2.0, 51.0)
    for f in (lambda a, b: np.sin(a) * b + 2, lambda a, b: one_more(a) + b * 2, lambda a, b: -a > b - 3.5, lambda a, b: abs(a) // b):
        compiled = njit(f)
        result = compiled(a, b)
        before = rtsys.get_allocation_stats().mi_alloc
        compiled(a, b)
        assert rtsys.get_allocation_stats().mi_alloc - before == 1
        assert result.dtype == f(a, b).dtype
        np.testing.assert_allclose(result, f(a, b), rtol=1e-15)


class Interval:
    def __init__(self, low, high):
        self.low, self.high = low, high


class IntervalType(types.Type):
    def __init__(self, step):
        self.step = step
        super().__init__(f"Interval({step})")


@typeof_impl.register(Interval)
def typeof_interval(value, context):
    return IntervalType(1)


@register_model(IntervalType)
class IntervalModel(models.StructModel):
    def __init__(self, dmm, fe_type):
        super().__init__(dmm, fe_type, [("low", types.float64), ("high", types.float64)])


make_attribute_wrapper(IntervalType, "low", "low")
make_attribute_wrapper(IntervalType, "high", "high")


@type_callable(Interval)
def type_interval(context):
    return lambda low, high: IntervalType(1) if low == high == types.float64 else None


@lower_builtin(Interval, types.Float, types.Float)
def make_interval(context, builder, sig, args):
    from rumba.numba.core import cgutils

    made = cgutils.create_struct_proxy(sig.return_type)(context, builder)
    made.low, made.high = args
    return made._getvalue()


@unbox(IntervalType)
def unbox_interval(typ, obj, c):
    from rumba.numba.core import cgutils

    made = cgutils.create_struct_proxy(typ)(c.context, c.builder)
    for name in ("low", "high"):
        part = c.pyapi.object_getattr_string(obj, name)
        setattr(made, name, c.unbox(types.float64, part).value)
        c.pyapi.decref(part)
    return NativeValue(made._getvalue(), is_error=c.pyapi.c_api_error())


@box(IntervalType)
def box_interval(typ, value, c):
    from rumba.numba.core import cgutils

    made = cgutils.create_struct_proxy(typ)(c.context, c.builder, value=value)
    parts = [c.box(types.float64, made.low), c.box(types.float64, made.high)]
    kind = c.pyapi.unserialize(c.pyapi.serialize_object(Interval))
    result = c.pyapi.call_function_objargs(kind, parts)
    for part in (*parts, kind):
        c.pyapi.decref(part)
    return result


@overload_attribute(IntervalType, "width")
def interval_width(interval):
    return lambda interval: interval.high - interval.low


def add_intervals(one, other):
    if isinstance(one, IntervalType) and isinstance(other, IntervalType):
        return lambda one, other: Interval(one.low + other.low, one.high + other.high)


def move_interval(one, by):
    if isinstance(one, IntervalType) and isinstance(by, types.Number):
        return lambda one, by: Interval(one.low + by, one.high + by)


@pytest.fixture(autouse=True, scope="module")
def operators():
    """Other tests do not see them."""
    with forgotten_overloads():
        for implementation in (add_intervals, move_interval):
            overload(operator.add)(implementation)
        yield


UNIT = Interval(0, 1)


def test_row_3_1_one_type_for_each_variable():
    @njit
    def f(x):
        y = x + 1
        return y * 0.5

    f(3)
    (compiled,) = f.overloads.values()
    typemap = compiled.type_annotation.typemap
    assert typemap["x"] == typemap["y"] == types.int64 and compiled.signature.return_type == types.float64
    # What has none runs on objects, where that is asked for, and is named.
    with pytest.warns(errors.NumbaPerformanceWarning, match="unknowable"):
        def unknowable(x):
            return x

        unknowable = object()
        assert jit(lambda x: (x, unknowable)[0], fallback=True)(1) == 1


def test_row_3_2_types_with_parameters_specialize():
    assert IntervalType(1) == IntervalType(1) != IntervalType(2)
    narrow = jit(types.boolean(IntervalType(1), types.float32))(lambda interval, x: interval.low <= x)
    assert narrow(Interval(0, 1), np.float32(0.5)) and narrow.signatures == [(IntervalType(1), types.float32)]


def test_row_3_3_arguments_globals_and_what_is_computed():
    @njit
    def f(interval):
        joined = interval + UNIT
        return interval.width, UNIT.width, joined.width

    assert f(Interval(1, 4)) == (3.0, 1.0, 4.0)


def test_row_3_9_operators_are_extended_one_after_the_other():
    assert njit(lambda a, b: (a + b).high)(Interval(1, 4), Interval(1, 2)) == 6.0
    assert njit(lambda a: (a + 2).low)(Interval(1, 4)) == 3.0


def test_row_3_10_in_place_operators_fall_back():
    @njit
    def f(interval):
        interval += interval
        interval += 1
        return interval

    result = f(Interval(1, 4))
    assert (result.low, result.high) == (3.0, 9.0)


def test_row_3_12_the_type_of_values():
    @njit
    def f(interval):
        return interval.low, UNIT.high

    assert f(Interval(1, 4)) == (1.0, 1.0) and f.signatures == [(IntervalType(1),)]


def test_row_3_13_model_code_boxing_and_unboxing():
    result = njit(lambda low, high: Interval(low, high))(1.5, 2.5)
    assert type(result) is Interval and (result.low, result.high) == (1.5, 2.5)
    with pytest.raises(AttributeError):
        njit(lambda interval: interval.low)(type("Half", (Interval,), {"__init__": lambda self: None})())


def plain(x):
    return x + 1


def test_row_4_2_a_plain_function_as_callee():
    with pytest.raises(errors.TypingError, match="Untyped global name 'plain': Cannot determine Numba type of <class 'function'>"):
        njit(lambda x: plain(x))(1)
    assert njit(lambda x: plain(x), auto=True)(1) == 2


def test_row_4_3_signatures():
    signature = typing.signature(types.int64, types.float64, types.int32)
    assert isinstance(signature, typing.Signature) and signature.return_type == types.int64
    assert signature.args == (types.float64, types.int32) and signature.pysig is None
    assert signature == types.int64(types.float64, types.int32)


def test_row_4_5_what_is_compiled_is_found_again():
    f = njit(lambda x: x + 1)
    entry = f.compile((types.int64,))
    (first,) = f.overloads.values()
    f.compile((types.int64,))
    assert list(f.overloads) == [(types.int64,)] and f.overloads[types.int64,].signature == first.signature and entry(1) == 2


STATES = []


@register_pass(mutates_CFG=False, analysis_only=True)
class Keeps(FunctionPass):
    """Keeps the state of a compilation."""

    _name = "keeps_the_state"

    def __init__(self):
        FunctionPass.__init__(self)

    def run_pass(self, state):
        STATES.append(state)
        return False


class KeepingCompiler(CompilerBase):
    def define_pipelines(self):
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.add_pass_after(Keeps, NopythonTypeInference)
        passes.finalize()
        return [passes]


def test_row_4_6_the_state_of_a_compilation():
    STATES.clear()
    assert njit(pipeline_class=KeepingCompiler)(plain)(1) == 2
    state = STATES[-1]
    assert state.func_id.func_qualname == "plain" and state.bc is not None and state.func_ir.arg_names == ("x",)
    assert state.typemap["x"] == types.int64 and state.return_type == types.int64 and state.calltypes
    assert state.flags is not None and isinstance(state.metadata, dict)


def test_row_4_8_the_function_and_its_entry_are_in_one_module():
    f = njit(plain)
    f(1)
    described = f.overloads[types.int64,].fndesc
    # The function itself has gone into what Python enters, which alone calls it.
    assert f"define i64 @{described.llvm_cpython_wrapper_name}(" in f.inspect_llvm()[types.int64,].replace('"', "")
    assert described.llvm_func_name.startswith("_ZN") and described.llvm_func_name != described.llvm_cpython_wrapper_name


def test_row_4_9_no_further_types():
    f = njit(plain)
    f(1)
    f.disable_compile()
    assert f(2) == 3
    with pytest.raises(TypeError):
        f("a")


def test_row_4_10_conversions_where_nothing_compiles():
    f = njit([types.float64(types.float64)])(plain)
    assert f(1) == 2.0 and isinstance(f(np.float32(1)), float)
    both = njit([types.float64(types.float64, types.int64), types.float64(types.int64, types.float64)])(lambda x, y: x + y)
    with pytest.raises(TypeError, match="[Aa]mbiguous"):
        both(1, 1)


def test_row_4_11_what_there_is_is_listed():
    f = njit([types.int64(types.int64)])(plain)
    with pytest.raises(TypeError, match="No matching definition for argument type.s.*") as raised:
        f("text")
    assert "int64" in str(raised.value)


def test_row_4_12_a_compiled_function_as_an_argument():
    double = njit(lambda x: 2 * x)
    apply = njit(lambda f, x: f(x))
    assert apply(double, 3) == 6
    ((function, number),) = apply.overloads
    assert isinstance(function, types.Dispatcher) and function.dispatcher is double and number == types.int64


def test_row_4_13_functions_of_one_prototype():
    prototype = types.FunctionType(types.int64(types.int64))
    one = cfunc(types.int64(types.int64))(lambda x: x + 1)
    two = cfunc(types.int64(types.int64))(lambda x: x * 10)

    @njit
    def chosen(functions, which, x):
        return functions[which](x)

    assert [chosen((one, two), which, 5) for which in (0, 1)] == [6, 50]
    assert njit(types.int64(prototype, types.int64))(lambda f, x: f(x))(two, 4) == 40


def test_row_4_15_results_do_not_depend_on_calls_before():
    foo = njit(lambda a, b: a + b)
    before = foo(2, 2)
    foo(2, 2.5)
    assert isinstance(before, int) and isinstance(foo(2, 2), int)
    other = njit(lambda a, b: a + b)
    other(2, 2.5)
    assert isinstance(other(2, 2), int)
