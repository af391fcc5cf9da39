"""Calls in two steps: the type of a result is stated, its code written."""
import math

import numpy as np
import pytest
from rumba import errors, njit, types
from rumba.extending.lower_builtin import lower_builtin, lower_getattr, type_callable
from rumba.extending.templates import (
    AbstractTemplate, AttributeTemplate, CallableTemplate, ConcreteTemplate, infer_getattr, infer_global,
)
from rumba.extending import intrinsic
from support import forgotten_overloads


@pytest.fixture(autouse=True)
def forgets():
    with forgotten_overloads():
        yield


def stated():
    def root(x=None):
        raise NotImplementedError

    @type_callable(root)
    def type_root(context):
        def typer(x=None):
            if x in (None, types.none):
                return types.int32
            return x if isinstance(x, types.Float) else None

        return typer

    @lower_builtin(root)
    @lower_builtin(root, types.none)
    def nullary(context, builder, sig, args):
        return context.get_constant(sig.return_type, 42)

    @lower_builtin(root, types.Float)
    def unary(context, builder, sig, args):
        return context.compile_internal(builder, lambda x: math.sqrt(2 * x), sig, args)

    return root


def test_types_then_code():
    root = stated()
    assert njit(lambda: root())() == 42
    assert njit(lambda: root(None))() == 42
    assert njit(lambda x: root(x))(18.0) == 6.0
    with pytest.raises(errors.TypingError, match="root"):
        njit(lambda x: root(x))(1j)


def test_the_code_whose_types_say_most_is_taken():
    def which(x):
        raise NotImplementedError

    type_callable(which)(lambda context: lambda x: types.int64)
    for number, kind in enumerate([types.Any, types.Number, types.Integer, types.int8]):
        lower_builtin(which, kind)(
            lambda context, builder, sig, args, number=number: context.get_constant(types.int64, number))
    f = njit(lambda x: which(x))
    assert [f("text"), f(1.5), f(1)] == [0, 1, 2]
    assert njit("int64(int8)")(lambda x: which(x))(1) == 3


def test_a_type_without_code():
    def half(x):
        raise NotImplementedError

    type_callable(half)(lambda context: lambda x: types.int64)
    with pytest.raises(errors.LoweringError, match="No definition for lowering half.*lower_builtin"):
        njit(lambda x: half(x))(1)


def test_exceptions_leave_the_code():
    @intrinsic
    def checked(typingctx, x):
        def check(x):
            if x > 10:
                raise ValueError("too big", x)
            return x * 2

        def codegen(context, builder, signature, args):
            negative = builder.icmp_signed("<", args[0], args[0].type(0))
            with builder.if_then(negative, likely=False):
                context.call_conv.return_user_exc(builder, OverflowError, ("negative", 1))
            return context.compile_internal(builder, check, signature, args)

        return types.int64(types.int64), codegen

    f = njit(lambda x: checked(x) + 1)
    assert f(4) == 9
    with pytest.raises(ValueError) as raised:
        f(11)
    assert raised.value.args == ("too big", 11)
    with pytest.raises(OverflowError) as raised:
        f(-1)
    assert raised.value.args == ("negative", 1)
    assert f(5) == 11


def test_many_results_go_through_memory():
    @intrinsic
    def many(typingctx, x):
        result = types.Tuple([types.int64, types.float64, types.int8, types.float32, types.boolean, types.complex128])

        def codegen(context, builder, signature, args):
            given = [context.cast(builder, args[0], types.int64, ty) for ty in result]
            return context.make_tuple(builder, result, given)

        return result(types.int64), codegen

    assert njit(lambda x: many(x))(3) == (3, 3.0, 3, 3.0, True, 3 + 0j)


class TestTemplates:
    """Classes that state types."""

    def test_concrete_and_abstract(self):
        def twice(x):
            raise NotImplementedError

        @infer_global(twice)
        class Twice(ConcreteTemplate):
            cases = [types.int64(types.int64), types.float64(types.float64)]

        @lower_builtin(twice, types.Number)
        def code(context, builder, sig, args):
            return (builder.add if isinstance(sig.args[0], types.Integer) else builder.fadd)(args[0], args[0])

        f = njit(lambda x: twice(x))
        assert (f(4), f(1.5), f(True)) == (8, 3.0, 2)

        @infer_global(twice)
        class TwiceText(AbstractTemplate):
            def generic(self, args, kws):
                if isinstance(args[0], types.UnicodeType):
                    return types.int64(args[0])

        @lower_builtin(twice, types.unicode_type)
        def code_of_text(context, builder, sig, args):
            return context.compile_internal(builder, lambda x: 2 * len(x), sig, args)

        assert f("abc") == 6

    def test_constants_are_offered_as_such_where_nothing_else_fits(self):
        def field(x, name):
            raise NotImplementedError

        @infer_global(field)
        class Field(AbstractTemplate):
            def generic(self, args, kws):
                if not isinstance(args[1], types.StringLiteral):
                    raise errors.TypingError("a constant name")
                return types.int64(*args)

        @lower_builtin(field, types.Integer, types.StringLiteral)
        def code(context, builder, sig, args):
            return builder.add(args[0], context.get_constant(types.int64, len(sig.args[1].literal_value)))

        assert njit(lambda x: field(x, "abc"))(4) == 7
        with pytest.raises(errors.TypingError, match="a constant name"):
            njit(lambda x, name: field(x, name))(4, "abc")

    @pytest.mark.parametrize("where, seen", [
        (np.s_[1:], (1, 2**63 - 1, 1)), (np.s_[:-2], (0, -2, 1)), (np.s_[2:5:3], (2, 5, 3)), (np.s_[::-1], (2**63 - 1, -2**63, -1))])
    def test_slices_have_numbers_for_what_is_left_out(self, where, seen):
        def members(x):
            raise NotImplementedError

        @infer_global(members)
        class Members(AbstractTemplate):
            def generic(self, args, kws):
                return types.UniTuple(types.int64, 3)(*args)

        @lower_builtin(members, types.SliceType)
        def code(context, builder, sig, args):
            helper = context.make_helper(builder, sig.args[0], args[0])
            return context.make_tuple(builder, sig.return_type, [helper.start, helper.stop, helper.step])

        assert njit(lambda x: members(x))(where) == seen
        if where.step is None:
            start, stop = where.start, where.stop
            assert njit(lambda: members(slice(start, stop)))() == seen

    def test_functions_of_c_are_called_by_their_address(self):
        import ctypes

        from rumba.c_interop.callbacks import make_function_type

        absolute = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)(("abs", ctypes.CDLL(None)))

        def of_c(x):
            raise NotImplementedError

        type_callable(of_c)(lambda context: lambda x: types.int32)

        @lower_builtin(of_c, types.int32)
        def code(context, builder, sig, args):
            kind = make_function_type(absolute)
            address = context.add_dynamic_addr(builder, kind.get_pointer(absolute), info="abs")
            pointer = builder.bitcast(address, context.get_function_pointer_type(kind))
            return context.call_function_pointer(builder, pointer, args)

        assert njit(lambda x: of_c(types.int32(x)))(-3) == 3

    def test_callable(self):
        def pick(x, y):
            raise NotImplementedError

        @infer_global(pick)
        class Pick(CallableTemplate):
            def generic(self):
                return lambda x, y: y

        lower_builtin(pick, types.Any, types.Any)(lambda context, builder, sig, args: args[1])
        assert njit(lambda x: pick(y=x, x=1))(2.5) == 2.5

    def test_attributes(self):
        @infer_getattr
        class Attributes(AttributeTemplate):
            key = types.Integer

            def resolve_doubled(self, ty):
                return types.float64

        @lower_getattr(types.Integer, "doubled")
        def doubled(context, builder, ty, value):
            number = context.cast(builder, value, ty, types.float64)
            return builder.fadd(number, number)

        assert njit(lambda x: x.doubled)(21) == 42.0
