"""Types that libraries add with content: structs that come in, go out, have members and stand in for others."""
import contextlib
import operator
import sys

import numpy as np
import pytest
from leaks import nothing_leaks  # noqa: F401  for each test here
from rumba import errors, njit, types
from rumba.extending import datamodel
from rumba.extending import intrinsic, overload, overload_attribute, overload_method
from rumba.extending.typeof_box import NativeValue, box, lower_cast, lower_constant, register_model, typeof_impl, unbox
from rumba.extending.lower_builtin import lower_builtin, make_attribute_wrapper, type_callable
from rumba.numba import typed, vectorize
from rumba.numba.core import cgutils
from rumba.numba.core.imputils import impl_ret_borrowed
from rumba.types import Conversion
from support import forgotten_overloads


@pytest.fixture(autouse=True)
def forgets():
    with forgotten_overloads():
        yield


class Interval:
    def __init__(self, lo, hi):
        self.lo, self.hi = lo, hi

    def __eq__(self, other):
        return (self.lo, self.hi) == (other.lo, other.hi)

    def __repr__(self):
        return f"Interval({self.lo}, {self.hi})"


class IntervalType(types.Type):
    def __init__(self):
        super().__init__("Interval")


interval_type = IntervalType()


def register_interval():
    typeof_impl.register(Interval)(lambda value, context: interval_type)
    make_attribute_wrapper(IntervalType, "lo", "lo")
    make_attribute_wrapper(IntervalType, "hi", "hi")

    @register_model(IntervalType)
    class IntervalModel(datamodel.StructModel):
        def __init__(self, dmm, fe_type):
            super().__init__(dmm, fe_type, [("lo", types.float64), ("hi", types.float64)])

    @type_callable(Interval)
    def type_interval(context):
        return lambda lo, hi: interval_type if {type(lo), type(hi)} == {types.Float} else None

    @lower_builtin(Interval, types.Float, types.Float)
    def make(context, builder, sig, args):
        made = cgutils.create_struct_proxy(sig.return_type)(context, builder)
        made.lo, made.hi = args
        return made._getvalue()

    @unbox(IntervalType)
    def unbox_interval(typ, obj, c):
        failed = cgutils.alloca_once_value(c.builder, cgutils.false_bit)
        made = cgutils.create_struct_proxy(typ)(c.context, c.builder)
        with contextlib.ExitStack() as stack:
            for name in ("lo", "hi"):
                part = c.pyapi.object_getattr_string(obj, name)
                with cgutils.early_exit_if_null(c.builder, stack, part):
                    c.builder.store(cgutils.true_bit, failed)
                native = c.unbox(types.float64, part)
                c.pyapi.decref(part)
                with cgutils.early_exit_if(c.builder, stack, native.is_error):
                    c.builder.store(cgutils.true_bit, failed)
                setattr(made, name, native.value)
        return NativeValue(made._getvalue(), is_error=c.builder.load(failed))

    @box(IntervalType)
    def box_interval(typ, value, c):
        made = cgutils.create_struct_proxy(typ)(c.context, c.builder, value=value)
        parts = [c.box(types.float64, made.lo), c.box(types.float64, made.hi)]
        kind = c.pyapi.unserialize(c.pyapi.serialize_object(Interval))
        result = c.pyapi.call_function_objargs(kind, parts)
        for part in (*parts, kind):
            c.pyapi.decref(part)
        return result


class TestStructs:
    """Two numbers."""

    @pytest.fixture(autouse=True)
    def registered(self, forgets):
        register_interval()

    def test_in_and_out(self):
        same = njit(lambda x: x)
        assert same(Interval(2, 3)) == Interval(2.0, 3.0)
        assert same.signatures == [(interval_type,)]
        assert njit(lambda x, y: (y, x.lo))(Interval(2, 3), Interval(4, 5)) == (Interval(4, 5), 2)

    def test_named_by_an_attribute(self):
        class Own:
            def __init__(self, lo, hi, known=True):
                self.lo, self.hi, self.known = lo, hi, known

            @property
            def _numba_type_(self):
                return interval_type if self.known else None

        span = njit(lambda x: x.hi - x.lo)
        assert span(Own(2, 5)) == 3 and span.signatures == [(interval_type,)]
        outside = Own(1, 2)
        assert njit(lambda: outside.lo)() == 1
        with pytest.raises(errors.TypingError, match="Cannot determine Numba type"):
            span(Own(2, 5, known=False))
        # Rumba's own containers have the attribute, too, and are the same objects in compiled code.
        kept = typed.List([1.0])
        first = njit(lambda: kept[0])
        assert first() == 1.0
        kept[0] = 2.5
        assert first() == 2.5

    def test_made_in_compiled_code(self):
        @njit
        def hull(a, b):
            return Interval(min(a.lo, b.lo), max(a.hi, b.hi))

        assert hull(Interval(1, 2), Interval(-3, 1.5)) == Interval(-3, 2)
        with pytest.raises(errors.TypingError, match="Interval"):
            njit(lambda: Interval(1, 2))()

    def test_attributes_methods_and_operators(self):
        overload_attribute(IntervalType, "width")(lambda self: lambda self: self.hi - self.lo)
        overload_method(IntervalType, "scaled")(lambda self, by: lambda self, by: Interval(self.lo * by, self.hi * by))

        @overload(operator.contains)
        def contains(interval, x):
            if isinstance(interval, IntervalType):
                return lambda interval, x: interval.lo <= x < interval.hi

        @njit
        def f(interval, x):
            return interval.width, interval.scaled(2.0), x in interval

        assert f(Interval(1, 4), 3) == (3.0, Interval(2, 8), True)
        assert f(Interval(1, 4), 4)[2] is False

    def test_in_tuples_lists_and_optionals(self):
        @njit
        def widest(intervals):
            best = intervals[0]
            for one in intervals:
                if one.hi - one.lo > best.hi - best.lo:
                    best = one
            return best

        given = [Interval(1, 2), Interval(5, 9), Interval(3, 4)]
        assert widest(given) == Interval(5, 9)
        assert widest(tuple(given)) == Interval(5, 9)
        maybe = njit(lambda x, some: x if some else None)
        assert maybe(Interval(1, 2), True) == Interval(1, 2) and maybe(Interval(1, 2), False) is None
        assert njit(lambda x: [x, Interval(0.0, 1.0)])(Interval(1, 2)) == [Interval(1, 2), Interval(0, 1)]

    def test_what_cannot_come_in(self):
        f = njit(lambda x: x.lo)
        with pytest.raises(TypeError, match="unbox a value of type unicode_type as float64"):
            f(Interval("a", 1))
        broken = Interval(1, 2)
        del broken.hi
        with pytest.raises(AttributeError, match="no attribute 'hi'"):
            f(broken)
        assert f(Interval(1, 2)) == 1

    def test_printing(self, capsys):
        njit(lambda x: print("it is", x, 1))(Interval(1, 2))
        assert capsys.readouterr().out == "it is Interval(1.0, 2.0) 1\n"


def test_without_a_way_in_or_out():
    class Token:
        pass

    class TokenType(types.Type):
        pass

    token_type = TokenType("token")
    typeof_impl.register(Token)(lambda value, context: token_type)
    register_model(TokenType)(type("Model", (datamodel.StructModel,), {
        "__init__": lambda self, dmm, fe_type: datamodel.StructModel.__init__(self, dmm, fe_type, [("x", types.intp)])}))
    with pytest.raises(TypeError, match="can't unbox token type"):
        njit(lambda x: 1)(Token())

    @intrinsic
    def make(typingctx, x):
        def codegen(context, builder, signature, args):
            return cgutils.create_struct_proxy(token_type)(context, builder, x=args[0])._getvalue()

        return token_type(types.intp), codegen

    with pytest.raises(TypeError, match="cannot convert native token to Python object"):
        njit(lambda x: make(x))(1)


class Handle:
    """What has to be given back when it is not used any more."""

    def __init__(self, number):
        self.number = number


class HandleType(types.Type):
    pass


handle_type = HandleType("handle")


class Pair:
    """Two handles."""

    def __init__(self, first, second):
        self.first, self.second = first, second


class PairType(types.Type):
    pass


pair_type = PairType("pair")


def register_handles(note):
    """Values whose cleanup calls `note` with the object that they were taken from."""
    typeof_impl.register(Handle)(lambda value, context: handle_type)
    typeof_impl.register(Pair)(lambda value, context: pair_type)
    make_attribute_wrapper(HandleType, "number", "number")
    make_attribute_wrapper(PairType, "first", "first")
    make_attribute_wrapper(PairType, "second", "second")

    def modeled(typeclass, members):
        def begin(self, dmm, fe_type):
            datamodel.StructModel.__init__(self, dmm, fe_type, members)

        register_model(typeclass)(type("Model", (datamodel.StructModel,), {"__init__": begin}))

    modeled(HandleType, [("number", types.int64)])
    modeled(PairType, [("first", handle_type), ("second", handle_type)])

    @unbox(HandleType)
    def unbox_handle(typ, obj, c):
        number = c.pyapi.object_getattr_string(obj, "number")
        made = cgutils.create_struct_proxy(typ)(c.context, c.builder)
        native = c.unbox(types.int64, number)
        made.number = native.value

        def cleanup():
            function = c.pyapi.unserialize(c.pyapi.serialize_object(note))
            c.pyapi.decref(c.pyapi.call_function_objargs(function, [number]))
            c.pyapi.decref(function)
            c.pyapi.decref(number)

        with c.builder.if_then(native.is_error):
            c.pyapi.decref(number)
        return NativeValue(made._getvalue(), is_error=native.is_error, cleanup=cleanup)

    @unbox(PairType)
    def unbox_pair(typ, obj, c):
        made = cgutils.create_struct_proxy(typ)(c.context, c.builder)
        parts = []
        for name in ("first", "second"):
            part = c.pyapi.object_getattr_string(obj, name)
            parts.append(c.unbox(handle_type, part))
            setattr(made, name, parts[-1].value)
            c.pyapi.decref(part)

        def cleanup():
            for part in reversed(parts):
                part.cleanup()

        return NativeValue(made._getvalue(), is_error=parts[1].is_error, cleanup=cleanup)


class TestCleanup:
    """`NativeValue(cleanup=)`: code that runs after the call."""

    @pytest.fixture(autouse=True)
    def registered(self, forgets):
        self.given_back = []
        register_handles(self.given_back.append)

    def test_behind_the_call(self):
        f = njit(lambda a, b: a.number + b.number)
        assert f(Handle(41), Handle(1)) == 42
        assert self.given_back == [1, 41]
        assert f(a=Handle(2), b=Handle(3)) == 5
        assert self.given_back == [1, 41, 3, 2]

    def test_in_tuples_and_inside_of_other_values(self):
        f = njit(lambda t, n: t[0].number + t[1].first.number * t[1].second.number + n)
        assert f((Handle(1), Pair(Handle(2), Handle(3))), 10) == 17
        assert self.given_back == [3, 2, 1]

    def test_where_the_call_raises(self):
        @njit
        def f(a):
            if a.number > 1:
                raise ValueError("too many", a.number)
            return 1 // a.number

        for number, raised in ((5, ValueError), (0, ZeroDivisionError)):
            with pytest.raises(raised):
                f(Handle(number))
        assert self.given_back == [5, 0]

    def test_where_a_later_argument_cannot_come_in(self):
        f = njit(lambda a, b: a.number + b.number)
        with pytest.raises(TypeError, match="unbox a value of type unicode_type as int64"):
            f(Handle(1), Handle("a"))
        assert self.given_back == [1]
        assert f(Handle(1), Handle(2)) == 3

    def test_an_exception_of_the_cleanup(self):
        register_handles(lambda number: 1 // 0)
        with pytest.raises(ZeroDivisionError):
            njit(lambda a: a.number)(Handle(1))

    def test_not_in_containers(self):
        for given in ([Handle(1)], {1: Handle(1)}):
            with pytest.raises(errors.UnsupportedError, match="handle is only taken in as an argument"):
                njit(lambda x: len(x))(given)
        assert self.given_back == []


class TestConstants:
    """What globals and closure variables hold."""

    @pytest.fixture(autouse=True)
    def registered(self, forgets):
        register_interval()

    def test_of_numbers(self):
        unit = Interval(0, 1)

        @njit
        def f(x):
            return unit.lo <= x <= unit.hi, unit

        assert f(0.5) == (True, Interval(0, 1)) and f(1.5) == (False, Interval(0, 1))
        unit.hi = 2
        assert f(1.5)[0] is False

    def test_each_closure_has_its_own(self):
        def scaled_by(interval):
            return njit(lambda x: x * interval.hi)

        assert [scaled_by(Interval(1, by))(2.0) for by in (3, 4)] == [6, 8]

    def test_in_tuples_and_containers(self):
        pair = Interval(1, 2), Interval(3, 4)

        @njit
        def f(i):
            found = [pair[0]]
            found.append(pair[i])
            return found, pair

        assert f(1) == (list(pair), pair)

    def test_with_memory(self):
        register_named()
        named = Named(np.arange(3.0))

        @njit
        def f(i):
            kept = [named, Named(named.values * 2)]
            return named, named.values, kept[1].values[i], kept[0]

        for _ in range(3):
            same, values, item, other = f(2)
            assert same.values is values is other.values is named.values and item == 4
        given = named.values
        del f, named, same, values, other
        assert given.sum() == 3

    def test_of_narrow_members(self):
        class Narrow:
            pass

        class NarrowType(types.Type):
            pass

        narrow_type = NarrowType("narrow")
        kinds = [types.int8, types.uint8, types.int16, types.uint32, types.float32, types.boolean, types.complex128]
        names = [f"m{at}" for at in range(len(kinds))]
        typeof_impl.register(Narrow)(lambda value, context: narrow_type)

        def begin(self, dmm, fe_type):
            datamodel.StructModel.__init__(self, dmm, fe_type, list(zip(names, kinds)))

        register_model(NarrowType)(type("Model", (datamodel.StructModel,), {"__init__": begin}))
        for name in names:
            make_attribute_wrapper(NarrowType, name, name)

        @lower_constant(NarrowType)
        def constant(context, builder, ty, value):
            made = cgutils.create_struct_proxy(ty)(context, builder)
            for name, kind in zip(names, kinds):
                setattr(made, name, context.get_constant_generic(builder, kind, getattr(value, name)))
            return made._getvalue()

        value = Narrow()
        given = (-100, 200, -30000, 4_000_000_000, 0.5, True, 1 - 2j)
        for name, member in zip(names, given):
            setattr(value, name, member)
        f = njit(lambda: (value.m0, value.m1, value.m2, value.m3, value.m4, value.m5, value.m6))
        assert f() == given

    def test_methods_of_ufuncs_stay_known(self):
        register_named()
        add = vectorize(lambda a, b: a + b)
        add(1.0, 2)
        assert list(njit(lambda table: add.reduce(table, axis=1))(np.ones((2, 3)))) == [3.0, 3.0]

    def test_methods_of_streams_stay_known(self, capsys):
        register_named()

        @njit
        def written():
            sys.stdout.flush()
            return sys.stdout.write("text")

        assert written() == 4 and capsys.readouterr().out == "text"

    def test_one_with_an_address_is_not_cached(self):
        register_named()
        named = Named(np.arange(3.0))
        f = njit(lambda: named.values.sum(), cache=True)
        with pytest.warns(errors.NumbaWarning, match="Cannot cache compiled function .*lies in the memory of this process"):
            assert f() == 3.0
        assert not f.stats.cache_hits

    def test_what_cannot_be_one(self):
        broken = Interval("a", 1)
        with pytest.raises(TypeError, match="unbox a value of type unicode_type as float64"):
            njit(lambda: broken.lo)()
        register_handles(print)
        handle = Handle(1)
        with pytest.raises(errors.UnsupportedError, match="handle is only taken in as an argument"):
            njit(lambda: handle.number)()


class Named:
    """An array with a name."""

    def __init__(self, values):
        self.values = values


class NamedType(types.ArrayCompatible):
    def __init__(self, values):
        self.as_array = values
        super().__init__(f"named({values})")


def register_named():
    typeof_impl.register(Named)(lambda value, context: NamedType(typeof_impl(value.values, context)))
    make_attribute_wrapper(NamedType, "values", "values")

    @register_model(NamedType)
    class NamedModel(datamodel.StructModel):
        def __init__(self, dmm, fe_type):
            super().__init__(dmm, fe_type, [("values", fe_type.as_array)])

    @unbox(NamedType)
    def unbox_named(typ, obj, c):
        values = c.pyapi.object_getattr_string(obj, "values")
        made = cgutils.create_struct_proxy(typ)(c.context, c.builder)
        made.values = c.unbox(typ.as_array, values).value
        c.pyapi.decref(values)
        return NativeValue(made._getvalue())

    @box(NamedType)
    def box_named(typ, value, c):
        made = cgutils.create_struct_proxy(typ)(c.context, c.builder, value=value)
        values = c.box(typ.as_array, made.values)
        kind = c.pyapi.unserialize(c.pyapi.serialize_object(Named))
        result = c.pyapi.call_function_objargs(kind, [values])
        c.pyapi.decref(kind)
        c.pyapi.decref(values)
        return result

    @type_callable(Named)
    def type_named(context):
        return lambda values: NamedType(values) if isinstance(values, types.Array) else None

    @lower_builtin(Named, types.Array)
    def make(context, builder, sig, args):
        made = cgutils.create_struct_proxy(sig.return_type)(context, builder)
        made.values = args[0]
        return impl_ret_borrowed(context, builder, sig.return_type, made._getvalue())

    @lower_builtin("__array__", NamedType)
    def as_array(context, builder, sig, args):
        return cgutils.create_struct_proxy(sig.args[0])(context, builder, ref=args[0])._get_ptr_by_name("values")

    @type_callable("__array_wrap__")
    def type_wrap(context):
        return lambda given, result: NamedType(result) if isinstance(given, NamedType) else None

    @lower_builtin("__array_wrap__", NamedType, types.Array)
    def wrap(context, builder, sig, args):
        made = cgutils.create_struct_proxy(sig.return_type)(context, builder)
        made.values = args[1]
        return impl_ret_borrowed(context, builder, sig.return_type, made._getvalue())


class TestMembersWithMemory:
    """An array inside."""

    @pytest.fixture(autouse=True)
    def registered(self, forgets):
        register_named()

    @pytest.mark.parametrize("values", [np.arange(5), np.arange(12.0).reshape(3, 4).T, np.arange(10)[::2]])
    def test_arrays_stay_the_same_objects(self, values):
        assert njit(lambda x: x)(Named(values)).values is values
        assert njit(lambda x: x.values)(Named(values)) is values
        assert njit(lambda x: Named(x))(values).values is values

    def test_other_types_have_no_more_members(self):
        for value in ([1], np.zeros(2, "i4, f8")[0], np.random.default_rng(1)):
            with pytest.raises(errors.TypingError, match="Unknown attribute 'lacking' of type"):
                njit(lambda x: x.lacking)(value)

    def test_what_is_new_is_freed(self):
        @njit
        def doubled(x):
            kept = [Named(x.values * 2), x]
            return kept[0]

        np.testing.assert_array_equal(doubled(Named(np.arange(3))).values, [0, 2, 4])

    def test_an_array_that_only_the_object_held(self):
        class Lazy(Named):
            values = property(lambda self: np.arange(1000) + 1, lambda self, value: None)

        assert njit(lambda x: x.values.sum())(Lazy(None)) == 500500

    def test_as_arrays(self):
        @njit
        def f(x):
            return len(x), x[1], x[1:], np.sqrt(x)

        count, item, part, roots = f(Named(np.array([1.0, 4.0, 9.0])))
        assert (count, item) == (3, 4.0)
        np.testing.assert_array_equal(part.values, [4.0, 9.0])
        np.testing.assert_array_equal(roots.values, [1.0, 2.0, 3.0])


class TestConversions:
    """Values that convert to numbers by themselves."""

    @pytest.fixture(autouse=True)
    def registered(self, forgets):
        class Ounces:
            def __init__(self, count):
                self.count = count

        class OuncesType(types.Type):
            def can_convert_to(self, context, other):
                return Conversion.safe if isinstance(other, (types.Integer, types.Float)) else None

        self.kind, self.ty = Ounces, OuncesType("ounces")
        typeof_impl.register(Ounces)(lambda value, context: self.ty)

        @register_model(OuncesType)
        class OuncesModel(datamodel.PrimitiveModel):
            def __init__(self, dmm, fe_type):
                super().__init__(dmm, fe_type, cgutils.intp_t)

        @unbox(OuncesType)
        def unbox_ounces(typ, obj, c):
            count = c.pyapi.object_getattr_string(obj, "count")
            return c.unbox(types.intp, count)

        @lower_cast(OuncesType, types.Number)
        def cast(context, builder, fromty, toty, value):
            return context.cast(builder, value, types.intp, toty)

    def test_at_borders_of_functions(self):
        assert njit(types.float64(self.ty))(lambda x: x)(self.kind(7)) == 7.0
        assert njit(lambda x: abs(int(x) if False else 3))(self.kind(7)) == 3

    def test_in_arithmetic(self):
        assert njit(lambda x, y: x + y)(self.kind(7), self.kind(5)) == 12
        assert njit(lambda x, y: x * y)(self.kind(7), 0.5) == 3.5

        @njit
        def total(x):
            x += 1
            return x

        assert total(self.kind(7)) == 8


def test_users_code_calls_compiled_python():
    class Checked:
        pass

    class CheckedType(types.Opaque):
        pass

    checked_type = CheckedType("checked")
    typeof_impl.register(Checked)(lambda value, context: checked_type)
    register_model(CheckedType)(datamodel.OpaqueModel)

    def positive(x):
        if x < 0:
            raise ValueError("it is negative")
        return x + 1

    def taking(number, function):
        @unbox(CheckedType)
        def unbox_checked(typ, obj, c):
            given = [c.context.get_constant(types.intp, number)]
            failed, value = c.pyapi.call_jit_code(function, types.voidptr(types.intp), given)
            return NativeValue(value, is_error=failed)

    @box(CheckedType)
    def box_checked(typ, value, c):
        return c.pyapi.long_from_ssize_t(c.builder.ptrtoint(value, cgutils.intp_t))

    taking(41, positive)
    assert njit(lambda x: x)(Checked()) == 42
    taking(-1, positive)
    with pytest.raises(ValueError, match="it is negative"):
        njit(lambda x: x)(Checked())
    taking(41, lambda x: 2 * x)
    assert njit(lambda x: x)(Checked()) == 82


def test_lists_of_other_types_are_refused():
    register_interval()
    with pytest.raises(TypeError, match="heterogeneous list"):
        njit(lambda x: x[0].lo)([Interval(1, 2), 3])
