"""Extensions that write code in Rumba's own form, with a builder over the ops of the Explicit phase."""
import subprocess
import sys

import numpy as np
import pytest
from leaks import nothing_leaks  # noqa: F401  the fixture

from rumba import errors, njit, types
from rumba.extending import explicit, intrinsic, models, overload, overload_attribute
from rumba.numba.extending import (
    box, lower_builtin, make_attribute_wrapper, register_model, type_callable, typeof_impl, unbox)
from rumba.numba.core.imputils import lower_cast, lower_constant, lower_getattr, lower_setattr
from rumba.numba.core.typing.templates import AttributeTemplate, infer_getattr
from support import forgotten_overloads


def written(result, *params):
    """Makes an intrinsic of `codegen(b, args)`."""
    def decorate(codegen):
        def typed(typingctx, *args):
            return types.signature(result, *params), explicit(lambda b, signature, args: codegen(b, args))

        typed.__name__ = codegen.__name__
        source = {"typed": typed}
        names = ", ".join(f"x{at}" for at in range(len(params)))
        exec(f"def declared(typingctx{', ' if names else ''}{names}):\n return typed(typingctx, {names})", source)
        return intrinsic(source["declared"])

    return decorate


@written(types.float64, types.float64, types.float64)
def hypotenuse(b, args):
    x, y = args
    return b.fsqrt(b.fma(x, x, b.fmul(y, y)))


@written(types.int64, types.int64, types.int64)
def checked_quotient(b, args):
    x, y = args
    with b.if_then(b.icmp("eq", y, b.iconst("i64", 0))):
        b.raise_(ZeroDivisionError, 'no "quotient"')
    return b.sdiv(x, y)


@written(types.int64, types.int64)
def triangle(b, args):
    total = b.stack_slot(8)
    b.store(0, total, b.iconst("i64", 0))
    with b.loop(args[0]) as number:
        b.store(0, total, b.iadd(b.load("i64", 0, total), number))
    return b.load("i64", 0, total)


def test_operations_blocks_and_exceptions():
    @njit
    def f(x, y):
        return hypotenuse(x, y)

    @njit
    def divided(x, y):
        try:
            return checked_quotient(x, y)
        except ZeroDivisionError:
            return -1

    assert f(3, 4) == 5.0 and divided(7, 2) == 3 and divided(7, 0) == -1
    with pytest.raises(ZeroDivisionError, match='^no "quotient"$'):
        njit(lambda x: checked_quotient(x, 0))(1)
    assert njit(lambda n: triangle(n))(101) == 5050


def test_values_of_several_parts():
    @intrinsic
    def swapped(typingctx, pair):
        first, second = pair

        def codegen(b, signature, args):
            (one, other), = args
            return other, one

        return types.Tuple((second, first))(pair), explicit(codegen)

    @intrinsic
    def turned(typingctx, z):
        def codegen(b, signature, args):
            return args[0].replace(real=b.fneg(args[0].imag), imag=args[0].real)

        return z(z), explicit(codegen)

    @intrinsic
    def second_item(typingctx, a):
        def codegen(b, signature, args):
            with b.if_then(b.icmp("slt", args[0].shape[0], b.iconst("i64", 2))):
                b.raise_(IndexError)
            return b.load("f64", 8, args[0].data)

        return types.float64(a), explicit(codegen)

    assert njit(lambda a, b: swapped((a, b)))(1, 2.5) == (2.5, 1)
    assert njit(lambda z: turned(z))(1 + 2j) == (1 + 2j) * 1j
    look = njit(lambda a: second_item(a))
    assert look(np.array([1.5, 2.5])) == 2.5
    with pytest.raises(IndexError):
        look(np.zeros(1))


def test_what_it_refers_to_is_counted():
    @intrinsic
    def first_of(typingctx, pair):
        def codegen(b, signature, args):
            b.incref_value(signature.return_type, args[0][0])
            return args[0][0]

        return pair[0](pair), explicit(codegen)

    @njit
    def f(n):
        return first_of((np.arange(n), np.ones(n))).sum()

    assert f(5) == 10


def test_calls_of_compiled_functions_and_of_c():
    def helper(x, y):
        if y == 0:
            raise ValueError("zero", x)
        return x / y, x * y

    @intrinsic
    def both(typingctx, x, y):
        signature = types.UniTuple(types.float64, 2)(types.float64, types.float64)
        return signature, explicit(lambda b, signature, args: b.call_compiled(helper, signature, *args))

    @written(types.int32, types.int32)
    def upper(b, args):
        return b.call("toupper", "i32", args[0])

    compiled = njit(lambda x, y: both(x, y))
    assert compiled(3.0, 2.0) == (1.5, 6.0)
    with pytest.raises(ValueError) as raised:
        compiled(3.0, 0.0)
    assert raised.value.args == ("zero", 3.0)
    assert njit(lambda x: upper(np.int32(x)))(ord("r")) == ord("R")


@pytest.mark.parametrize("codegen, message", [
    (lambda b, args: b.iad(args[0], args[0]), "there is no op 'iad' in the Explicit phase: is .*iadd"),
    (lambda b, args: b.iadd(args[0]), r"the op `iadd` takes \(value, value\), not"),
    (lambda b, args: b.iadd(args[0], 1), r"the op `iadd` takes \(value, value\), not"),
    (lambda b, args: b.load(args[0]), r"the op `load` takes \(<Native>, <Int>, value\), not"),
    (lambda b, args: b.fadd(args[0], args[0]), "the code of an extension is wrong: .*fadd"),
    (lambda b, args: b.iconst("i65", 0), "'i65' is no machine type"),
    (lambda b, args: 1, "1 is no value of the builder"),
    (lambda b, args: None, r"returns the parts \(i64\), not \(\)"),
    (lambda b, args: b.jump(b.block()), "behind the end|is empty"),
    (lambda b, args: (b.jump(b.block()), b.iconst("i64", 0)), "stands behind the end of block0"),
])
def test_mistakes_are_told(codegen, message):
    broken = written(types.int64, types.int64)(codegen)
    with pytest.raises(errors.LoweringError, match=message):
        njit(lambda x: broken(x))(1)


class Interval:
    def __init__(self, low, high):
        self.low, self.high = low, high


class IntervalType(types.Type):
    def __init__(self):
        super().__init__("Interval")

    def can_convert_to(self, context, other):
        from rumba.types import Conversion

        return Conversion.safe if other == types.float64 else None


@typeof_impl.register(Interval)
def typeof_interval(value, context):
    return IntervalType()


@register_model(IntervalType)
class IntervalModel(models.StructModel):
    def __init__(self, dmm, fe_type):
        super().__init__(dmm, fe_type, [("low", types.float64), ("high", types.float64)])


make_attribute_wrapper(IntervalType, "low", "low")
make_attribute_wrapper(IntervalType, "high", "high")


@type_callable(Interval)
def type_interval(context):
    return lambda low, high: IntervalType() if low == high == types.float64 else None


@lower_builtin(Interval, types.Float, types.Float)
@explicit
def make_interval(b, sig, args):
    return b.struct(sig.return_type, low=args[0], high=args[1])


@unbox(IntervalType)
@explicit
def unbox_interval(b, ty, obj):
    return b.attribute(obj, "low", types.float64), b.attribute(obj, "high", types.float64)


@box(IntervalType)
@explicit
def box_interval(b, ty, interval):
    return b.construct(Interval, (interval.low, types.float64), (interval.high, types.float64))


@lower_cast(IntervalType, types.float64)
@explicit
def middle_of(b, fromty, toty, interval):
    return b.fmul(b.fadd(interval.low, interval.high), b.fconst("f64", 0.5))


@lower_constant(IntervalType)
@explicit
def constant_interval(b, ty, value):
    return b.fconst("f64", value.low), b.fconst("f64", value.high)


@overload_attribute(IntervalType, "width")
def interval_width(interval):
    return lambda interval: interval.high - interval.low


UNIT = Interval(0, 1)


def test_a_type_of_ones_own():
    @njit
    def widened(interval, by):
        return Interval(interval.low - by, interval.high + by), interval.width

    wide, width = widened(Interval(1, 4), 0.5)
    assert (wide.low, wide.high, width) == (0.5, 4.5, 3.0) and type(wide) is Interval
    assert njit(lambda x: UNIT.low <= x <= UNIT.high)(0.5)
    assert njit(types.float64(IntervalType()))(lambda interval: interval)(Interval(2, 4)) == 3.0
    with pytest.raises(AttributeError, match="high"):
        widened(type("Half", (Interval,), {"__init__": lambda self: setattr(self, "low", 1.0)})(), 1.0)
    with pytest.raises(TypeError, match="must be real number, not str"):
        widened(Interval("a", 1), 1.0)


def test_objects_that_are_made_on_the_way_are_released():
    @njit
    def through(interval):
        return interval

    class Refuses(Interval):
        pass

    low = 1234.5
    interval = Interval(low, low)
    through(interval)
    before = sys.getrefcount(low), sys.getrefcount(Interval)
    for _ in range(100):
        through(interval)
    assert (sys.getrefcount(low), sys.getrefcount(Interval)) == before
    text = "a text that is no number"
    bad = Interval(low, text)
    for _ in range(3):
        with pytest.raises(TypeError):
            through(bad)
    before = sys.getrefcount(text)
    for _ in range(100):
        with pytest.raises(TypeError):
            through(bad)
    assert sys.getrefcount(text) == before


def interval_is_true(interval):
    if isinstance(interval, IntervalType):
        return lambda interval: interval.low != interval.high


def test_truth_of_values_of_ones_own():
    @njit
    def f(interval):
        return (1 if interval else 2), not interval

    with forgotten_overloads():
        overload(bool)(interval_is_true)
        assert f(Interval(1, 2)) == (1, False) and f(Interval(1, 1)) == (2, True)


class Row:
    def __init__(self, flag, count, small, weight, interval):
        self.values = flag, count, small, weight, interval

    def __getitem__(self, index):
        return self.values[index]


class RowType(types.Type):
    def __init__(self):
        super().__init__("Row")


MEMBERS = [("flag", types.boolean), ("count", types.uint64), ("small", types.int16), ("weight", types.float32),
           ("interval", IntervalType())]


@typeof_impl.register(Row)
def typeof_row(value, context):
    return RowType()


@register_model(RowType)
class RowModel(models.StructModel):
    def __init__(self, dmm, fe_type):
        super().__init__(dmm, fe_type, MEMBERS)


for name, _ in MEMBERS:
    make_attribute_wrapper(RowType, name, name)


@unbox(RowType)
@explicit
def unbox_row(b, ty, obj):
    return [b.item(obj, index, member) for index, (_, member) in enumerate(MEMBERS)]


@box(RowType)
@explicit
def box_row(b, ty, row):
    return b.construct(Row, *((part, member) for part, (_, member) in zip(row, MEMBERS)))


def test_members_of_every_kind():
    @njit
    def f(row):
        return row, row.flag, row.count + np.uint64(1), row.small, row.weight, row.interval.width

    row, *rest = f(Row(True, 2**63, -5, 0.5, Interval(1, 3)))
    assert rest == [True, 2**63 + 1, -5, 0.5, 2.0]
    assert row.values[:4] == (True, 2**63, -5, 0.5) and row.values[4].high == 3.0
    with pytest.raises(OverflowError):
        f(Row(True, -1, 0, 0.0, UNIT))
    with pytest.raises(IndexError):
        f(type("Short", (Row,), {"__getitem__": lambda self, index: (1, 2)[index]})(1, 2, 3, 4, 5))


def test_nothing_of_it_needs_llvmlite():
    code = f"""
import sys
sys.modules["llvmlite"] = None
sys.path[:0] = {sys.path!r}
import test_explicit_code as tests
tests.test_a_type_of_ones_own()
tests.test_operations_blocks_and_exceptions()
tests.test_calls_of_compiled_functions_and_of_c()
"""
    subprocess.run([sys.executable, "-c", code], check=True)


class Gauge:
    """Something whose value is in memory, at an address."""

    def __init__(self):
        self.memory = np.zeros(1)
        self.address = self.memory.ctypes.data


class GaugeType(types.Type):
    def __init__(self):
        super().__init__("Gauge")


@typeof_impl.register(Gauge)
def typeof_gauge(value, context):
    return GaugeType()


@register_model(GaugeType)
class GaugeModel(models.StructModel):
    def __init__(self, dmm, fe_type):
        super().__init__(dmm, fe_type, [("address", types.intp)])


@unbox(GaugeType)
@explicit
def unbox_gauge(b, ty, obj):
    return b.attribute(obj, "address", types.intp)


@infer_getattr
class GaugeAttributes(AttributeTemplate):
    key = GaugeType

    def resolve_value(self, value):
        return types.float64

    def resolve_unknown(self, value):
        return types.float64


@lower_getattr(GaugeType, "value")
@explicit
def read_gauge(b, typ, gauge):
    return b.load("f64", 0, b.bitcast("ptr", gauge.address))


@lower_setattr(GaugeType, "value")
@explicit
def write_gauge(b, sig, args):
    gauge, value = args
    b.store(0, b.bitcast("ptr", gauge.address), value)


def test_attributes_that_templates_state():
    @njit
    def f(gauge, value):
        gauge.value = value
        return gauge.value * 2

    gauge = Gauge()
    assert f(gauge, 2.5) == 5.0 and gauge.memory[0] == 2.5 and f(gauge, 4) == 8.0
    with pytest.raises(errors.LoweringError, match="No definition for lowering Gauge.unknown"):
        njit(lambda gauge: gauge.unknown)(gauge)


def test_identity_of_values():
    @njit
    def same(a, b, take):
        c = a if take else b
        return a is b, a is not b, c is a, a is c, a is None

    low, high = Interval(1, 3), Interval(1, 4)
    assert same(low, high, True) == (False, True, True, True, False)
    assert same(low, high, False) == (False, True, False, False, False)
    unknown, zero, minus_zero = Interval(0, float("nan")), Interval(0, 0.0), Interval(0, -0.0)
    assert same(unknown, zero, True) == (False, True, True, True, False)
    assert same(zero, minus_zero, True) == (False, True, True, True, False)
