"""The tutorial "Extending the frontend", step by step, and the rows of what it tells of."""
import operator

import numpy as np
import pytest
from leaks import nothing_leaks  # noqa: F401  for each test here
from rumba.extending import datamodel
from rumba import errors, jit, njit, types
from rumba.numba.core import cgutils
from rumba.numba.core.imputils import (
    Registry as CodeRegistry, RefType, call_iternext, impl_ret_borrowed, iternext_impl, lower_builtin, lower_getattr,
    lower_setattr)
from rumba.numba.core.registry import cpu_target
from rumba.numba.core.typing.context import BaseContext, Context
from rumba.numba.core.typing.templates import (
    AbstractTemplate, AttributeTemplate, CallableTemplate, ConcreteTemplate, Registry, bound_function, fold_arguments,
    infer_getattr, infer_global, signature)
from rumba.numba.extending import NativeValue, box, overload, overload_attribute, register_model, typeof_impl, unbox
from rumba.types import Function, bool_, float32
from support import forgotten_overloads


@pytest.fixture(autouse=True)
def forgets():
    with forgotten_overloads():
        yield


class Interval:
    """A half-open interval on the real number line."""

    def __init__(self, lo, hi):
        self.lo, self.hi = lo, hi

    def __repr__(self):
        return f"Interval({self.lo}, {self.hi})"


def valid_interval(interval):
    """Whether interval.lo <= interval.hi."""
    return interval.lo <= interval.hi


class IntervalType(types.Type):
    def __init__(self):
        super().__init__(name="Interval")


interval_type = IntervalType()


class Tag:
    pass


class TagType(types.Dummy):
    def __init__(self):
        super().__init__("Tag")


TAG = Tag()


def struct(kind, cls, **members):
    """Registers values of a class as structs of these members, which come in."""
    class Model(datamodel.StructModel):
        def __init__(self, dmm, fe_type):
            super().__init__(dmm, fe_type, list(members.items()))

    register_model(kind)(Model)

    @unbox(kind)
    def take_in(typ, obj, c):
        made = cgutils.create_struct_proxy(typ)(c.context, c.builder)
        for name, ty in members.items():
            part = c.pyapi.object_getattr_string(obj, name)
            setattr(made, name, c.unbox(ty, part).value)
            c.pyapi.decref(part)
        return NativeValue(made._getvalue(), is_error=c.pyapi.c_api_error())


def typing_registry():
    """The tutorial's `intervaldecl`."""
    registry = Registry()

    @registry.register_attr
    class IntervalAttributes(AttributeTemplate):
        key = interval_type
        _attributes = dict(lo=float32, hi=float32)

        def generic_resolve(self, value, attr):
            return self._attributes[attr]

    class ValidIntervalSignature(ConcreteTemplate):
        key = valid_interval
        cases = [signature(bool_, interval_type)]

    registry.register_global(valid_interval, Function(ValidIntervalSignature))

    @registry.register_global(operator.add)
    class AdditionSignature(ConcreteTemplate):
        key = operator.add
        cases = [signature(interval_type, interval_type, interval_type)]

    registry.register_global(TAG, TagType())
    return registry


def code_registry():
    """The code for what the tutorial states."""
    registry = CodeRegistry("interval")

    def shown(context, builder, value):
        return cgutils.create_struct_proxy(interval_type)(context, builder, value=value)

    @registry.lower(valid_interval, interval_type)
    def is_valid(context, builder, sig, args):
        interval = shown(context, builder, args[0])
        return builder.fcmp_ordered("<=", interval.lo, interval.hi)

    @registry.lower_getattr(interval_type, "lo")
    def lo(context, builder, typ, value):
        return shown(context, builder, value).lo

    @registry.lower_getattr_generic(interval_type)
    def other(context, builder, typ, value, attr):
        return getattr(shown(context, builder, value), attr)

    @registry.lower(operator.add, interval_type, interval_type)
    def add(context, builder, sig, args):
        one, other = (shown(context, builder, arg) for arg in args)
        made = cgutils.create_struct_proxy(interval_type)(context, builder)
        made.lo, made.hi = builder.fadd(one.lo, other.lo), builder.fadd(one.hi, other.hi)
        return made._getvalue()

    return registry


def install():
    """All steps of the tutorial, to where code runs."""
    typeof_impl.register(Interval)(lambda value, context: interval_type)
    struct(IntervalType, Interval, lo=float32, hi=float32)

    @box(IntervalType)
    def hand_out(typ, value, c):
        interval = cgutils.create_struct_proxy(typ)(c.context, c.builder, value=value)
        parts = [c.box(float32, interval.lo), c.box(float32, interval.hi)]
        cls = c.pyapi.unserialize(c.pyapi.serialize_object(Interval))
        made = c.pyapi.call_function_objargs(cls, parts)
        for part in (*parts, cls):
            c.pyapi.decref(part)
        return made

    cpu_target.typing_context.install_registry(typing_registry())
    cpu_target.target_context.install_registry(code_registry())


def test_step_a_type_in_a_signature_before_its_model():
    class Unheld(types.Type):
        def __init__(self):
            super().__init__("Unheld")

    with pytest.raises(errors.TypingError, match="Unknown attribute 'lo' of type Unheld"):
        jit(types.bool_(Unheld(), types.float32))(lambda interval, x: interval.lo <= x < interval.hi)


def test_row_3_6_registry_means_nothing_until_it_is_installed():
    def marked(x):
        return x

    registry = Registry()

    @registry.register_global(marked)
    class Marked(AbstractTemplate):
        def generic(self, args, kws):
            return signature(types.int64, *args)

    use = njit(lambda x: marked(x))
    with pytest.raises(errors.TypingError):
        use(1)
    cpu_target.typing_context.install_registry(registry)
    lower_builtin(marked, types.Integer)(lambda context, builder, sig, args: builder.add(args[0], args[0]))
    assert use(4) == 8
    # What it gets later is seen, too.

    def later(x):
        return x

    registry.register_global(later)(Marked)
    lower_builtin(later, types.Integer)(lambda context, builder, sig, args: args[0])
    assert njit(lambda x: later(x))(4) == 4


def test_row_3_4_signatures_for_attributes_functions_operators_and_global_values():
    install()
    inside = jit(types.bool_(interval_type, types.float32))(lambda interval, x: interval.lo <= x < interval.hi)
    assert (inside(Interval(1, 3), 2.0), inside(Interval(1, 3), 3.0)) == (True, False)
    valid = njit(lambda interval: valid_interval(interval))
    assert (valid(Interval(1, 3)), valid(Interval(4, 3))) == (True, False)
    total = njit(lambda a, b: a + b)(Interval(1, 3), Interval(2, 5))
    assert (total.lo, total.hi) == (3, 8)

    @njit
    def adds(a, b):
        a += b
        return a

    assert adds(Interval(1, 3), Interval(2, 5)).hi == 8
    unit = Interval(0, 1)
    assert njit(lambda x: unit.lo <= x < unit.hi)(0.5)


def test_row_3_4_a_global_value_with_a_type():
    install()

    def weight(tag):
        pass

    @overload(weight)
    def weight_of_tag(tag):
        if isinstance(tag, TagType):
            return lambda tag: 7

    assert njit(lambda: weight(TAG))() == 7
    assert types.typeof(TAG) == TagType()
    with pytest.raises(errors.TypingError):
        njit(lambda tag: tag)(Tag())


def test_row_3_5_a_context_of_ones_own():
    class OwnContext(Context):
        def init(self):
            self.install_registry(typing_registry())

    context = OwnContext()
    context.refresh()
    assert context.resolve_getattr(interval_type, "lo") == float32
    assert context.resolve_getattr(interval_type, "middle") is None
    function = context.resolve_value_type(valid_interval)
    assert isinstance(function, Function)
    assert context.resolve_function_type(function, (interval_type,), {}) == signature(bool_, interval_type)
    assert context.resolve_function_type(operator.add, (interval_type, interval_type), {}).return_type == interval_type
    assert context.resolve_value_type(TAG) == TagType()
    # What the compiler knows, it knows, too.
    assert context.resolve_function_type(operator.add, (types.int64, types.float64), {}).return_type == types.float64
    assert context.resolve_getattr(types.complex128, "real") == types.float64
    assert context.resolve_getattr(types.complex128, "nonsense") is None
    assert context.resolve_setattr(interval_type, "lo", types.float64).args == (interval_type, float32)
    # Nobody else sees it.
    assert isinstance(context, BaseContext)
    other = Context()
    assert other.resolve_getattr(interval_type, "lo") is None
    assert cpu_target.typing_context.resolve_value_type(3.0) == types.float64


def test_row_3_5_install_by_its_old_name():
    context = Context()
    context.install(typing_registry())
    assert context.resolve_getattr(interval_type, "hi") == float32


def test_row_3_7_generic_resolve_is_asked_behind_resolve_name():
    class Named(AttributeTemplate):
        key = IntervalType

        def resolve_middle(self, value):
            return types.int64

        def generic_resolve(self, value, attr):
            return {"size": types.float64}.get(attr)

    typeof_impl.register(Interval)(lambda value, context: interval_type)
    struct(IntervalType, Interval, lo=float32, hi=float32)
    infer_getattr(Named)
    lower_getattr(IntervalType, "middle")(lambda context, builder, typ, value: context.get_constant(types.int64, 5))
    lower_getattr(IntervalType, "size")(lambda context, builder, typ, value: context.get_constant(types.float64, 2.5))
    assert njit(lambda i: (i.middle, i.size))(Interval(1, 2)) == (5, 2.5)
    with pytest.raises(errors.TypingError, match="Unknown attribute 'area' of type Interval"):
        njit(lambda i: i.area)(Interval(1, 2))


def test_row_3_7_an_attribute_without_code_is_told():
    class Bare(types.Type):
        def __init__(self):
            super().__init__("Bare")

    @infer_getattr
    class Stated(AttributeTemplate):
        key = Bare

        def generic_resolve(self, value, attr):
            return types.int64

    with pytest.raises(errors.LoweringError, match=r"No definition for lowering Bare\.size"):
        njit(types.int64(Bare()))(lambda x: x.size)


def test_row_3_7_bound_function():
    @infer_getattr
    class Methods(AttributeTemplate):
        key = IntervalType

        @bound_function("Interval.scaled")
        def resolve_scaled(self, ty, args, kws):
            return signature(types.float64, *args, *kws.values())

    typeof_impl.register(Interval)(lambda value, context: interval_type)
    struct(IntervalType, Interval, lo=float32, hi=float32)

    @lower_builtin("Interval.scaled", IntervalType, types.Float, types.Float)
    def scaled(context, builder, sig, args):
        interval = cgutils.create_struct_proxy(sig.args[0])(context, builder, value=args[0])
        return builder.fadd(builder.fmul(builder.fpext(interval.hi, args[1].type), args[1]), args[2])

    assert njit(lambda i: i.scaled(2.0, 0.5))(Interval(1, 3)) == 6.5
    assert njit(lambda i: i.scaled(2.0, offset=0.5))(Interval(1, 3)) == 6.5
    found = cpu_target.typing_context.resolve_getattr(interval_type, "scaled")
    assert isinstance(found, types.BoundFunction) and found.this == interval_type


def test_row_3_7_lower_setattr():
    cell = np.zeros(1)

    class CellType(types.Type):
        def __init__(self):
            super().__init__("Cell")

    class Cell:
        def __init__(self, items):
            self.items = items

    typeof_impl.register(Cell)(lambda value, context: CellType())
    struct(CellType, Cell, items=types.float64[::1])

    @infer_getattr
    class Attributes(AttributeTemplate):
        key = CellType

        def resolve_value(self, value):
            return types.float64

    @lower_setattr(CellType, "value")
    def assign(context, builder, sig, args):
        held = cgutils.create_struct_proxy(sig.args[0])(context, builder, value=args[0])
        array = context.make_array(types.float64[::1])(context, builder, value=held.items)
        builder.store(args[1], array.data)

    @njit
    def write(cell, value):
        cell.value = value

    write(Cell(cell), 2.5)
    assert cell[0] == 2.5
    write(Cell(cell), 4)
    assert cell[0] == 4.0


def test_row_3_8_concrete_template_takes_the_signature_that_fits_best():
    def half(x):
        return x / 2

    @infer_global(half)
    class Half(ConcreteTemplate):
        cases = [signature(types.float64, types.float64), signature(types.int32, types.int32)]

    lower_builtin(half, types.float64)(lambda context, builder, sig, args: builder.fmul(args[0], args[0].type(0.5)))
    lower_builtin(half, types.int32)(lambda context, builder, sig, args: builder.ashr(args[0], args[0].type(1)))
    use = njit(lambda x: half(x))
    assert use(3.0) == 1.5 and use(np.float32(3)) == 1.5 and use(np.int32(5)) == 2 and use(np.int16(5)) == 2


def test_row_3_8_a_callable_template_and_a_key_of_its_own():
    def twice(x):
        return x

    @infer_global(twice, typing_key="twice the value")
    class Twice(CallableTemplate):
        def generic(self):
            return lambda x: x

    lower_builtin("twice the value", types.Integer)(
        lambda context, builder, sig, args: builder.add(args[0], args[0]))
    assert njit(lambda v: twice(v) + twice(x=v))(4) == 16


class Count:
    def __init__(self, stop, items):
        self.stop, self.items = stop, items


class CountType(types.SimpleIterableType):
    def __init__(self):
        super().__init__("Count", CountIterator())


class CountIterator(types.SimpleIteratorType):
    def __init__(self):
        super().__init__("CountIterator", types.Tuple([types.int64, types.float64[::1]]))


def register_count():
    """Values that are gone through: numbers, each with the same array."""
    typeof_impl.register(Count)(lambda value, context: CountType())
    struct(CountType, Count, stop=types.int64, items=types.float64[::1])

    @register_model(CountIterator)
    class Model(datamodel.StructModel):
        def __init__(self, dmm, fe_type):
            super().__init__(dmm, fe_type, [
                ("at", types.EphemeralPointer(types.int64)), ("stop", types.int64), ("items", types.float64[::1])])

    @lower_builtin("getiter", CountType)
    def begin(context, builder, sig, args):
        count, made = context.make_helper(builder, sig.args[0], args[0]), context.make_helper(builder, sig.return_type)
        made.at = cgutils.alloca_once_value(builder, context.get_constant(types.int64, 0))
        made.stop, made.items = count.stop, count.items
        return impl_ret_borrowed(context, builder, sig.return_type, made._getvalue())

    @lower_builtin("iternext", CountIterator)
    @iternext_impl(RefType.BORROWED)
    def advance(context, builder, sig, args, result):
        iterator = context.make_helper(builder, sig.args[0], args[0])
        at = builder.load(iterator.at)
        is_valid = builder.icmp_signed("<", at, iterator.stop)
        result.set_valid(is_valid)
        with builder.if_then(is_valid):
            result.yield_(context.make_tuple(builder, sig.return_type.first_type, [at, iterator.items]))
            builder.store(builder.add(at, context.get_constant(types.int64, 1)), iterator.at)


def test_row_3_11_iteration_over_a_users_type():
    register_count()

    @njit
    def pairs(count):
        total = 0
        for i, items in count:
            for j, _ in count:
                if j > i:
                    break
                total += j * 10 + int(items[0])
        return total

    assert pairs(Count(4, np.ones(2))) == sum(j * 10 + 1 for i in range(4) for j in range(i + 1))
    items = np.arange(3.0)

    @njit
    def last(count):
        found = None
        for _, found in count:
            pass
        return found

    assert last(Count(2, items)) is items and last(Count(0, items)) is None
    assert njit(lambda count: sum([i for i, _ in count]))(Count(5, items)) == 10

    @njit
    def by_hand(count):
        iterator = iter(count)
        return next(iterator)[0], next(iterator)[0]

    assert by_hand(Count(5, items)) == (0, 1)


def test_row_3_11_iteration_that_raises_leaves_nothing():
    register_count()

    @njit
    def fails(count):
        for i, items in count:
            if i == 2:
                raise ValueError("two")

    with pytest.raises(ValueError, match="two"):
        fails(Count(4, np.ones(2)))


def test_row_3_11_iteration_without_next_is_told():
    class Endless(types.SimpleIterableType):
        def __init__(self):
            super().__init__("Endless", types.SimpleIteratorType("EndlessIterator", types.int64))

    lower_builtin("getiter", Endless)(lambda context, builder, sig, args: args[0])

    @njit
    def loop(x):
        for _ in x:
            pass

    with pytest.raises(errors.TypingError, match="EndlessIterator, of which no code says what comes next"):
        loop.compile((Endless(),))


def test_row_3_11_getitem_and_iter_by_overloads():
    typeof_impl.register(Interval)(lambda value, context: interval_type)
    struct(IntervalType, Interval, lo=float32, hi=float32)
    overload_attribute(IntervalType, "stop")(lambda interval: lambda interval: 3)

    @overload(operator.getitem)
    def item(interval, index):
        if isinstance(interval, IntervalType):
            return lambda interval, index: index * 2

    @overload(iter)
    def ends(interval):
        if isinstance(interval, IntervalType):
            def items(interval):
                for at in range(interval.stop):
                    yield interval[at]

            return items

    @njit
    def total(interval):
        found = 0
        for item in interval:
            found += item
        return found

    assert total(Interval(1, 3)) == 6


def test_iternext_without_who_holds_the_item_is_refused():
    with pytest.raises(ValueError, match="RefType"):
        iternext_impl(lambda context, builder, sig, args, result: None)
    assert callable(call_iternext)


def test_fold_arguments():
    import inspect

    def function(a, b=2, *rest):
        pass

    def folded(*args, **kws):
        return fold_arguments(
            inspect.signature(function), args, kws, lambda index, parameter, value: (parameter.name, value),
            lambda index, parameter, default: (parameter.name, default, "default"),
            lambda index, parameter, values: (parameter.name, tuple(values), "rest"))

    assert folded(1) == (("a", 1), ("b", 2, "default"), ("rest", (), "rest"))
    assert folded(1, 3, 4, 5) == (("a", 1), ("b", 3), ("rest", (4, 5), "rest"))
    assert folded(b=3, a=1) == (("a", 1), ("b", 3), ("rest", (), "rest"))
    with pytest.raises(TypeError):
        folded()
