"""Intrinsics: machine code that libraries write with llvmlite."""
import ctypes
import pickle
import subprocess
import sys

import pytest
from llvmlite import ir
from rumba import errors, njit, types
from rumba.codegen import cgutils
from rumba.extending import intrinsic, overload


def adder(number):
    @intrinsic
    def add(typingctx, x):
        """Adds a number."""
        def codegen(context, builder, signature, args):
            return builder.add(args[0], args[0].type(number))

        return types.int64(types.int64), codegen

    return add


def test_without_llvmlite_the_error_says_what_is_missing():
    program = """
import sys
sys.modules["llvmlite"] = None
from rumba import errors, njit, types
from rumba.extending import intrinsic

@intrinsic
def add(typingctx, x):
    return types.int64(types.int64), lambda context, builder, signature, args: args[0]

try:
    njit(lambda x: add(x))(1)
except errors.LoweringError as error:
    print(error)
"""
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "install the package llvmlite" in ran.stdout and "'add'" in ran.stdout


def test_python_cannot_call_it():
    add = adder(1)
    assert add.__doc__ == "Adds a number." and repr(add) == "<intrinsic add>"
    with pytest.raises(NotImplementedError, match="<intrinsic add> is not usable in pure-python"):
        add(1)


class TestCode:
    """With llvmlite."""

    def test_numbers(self):
        one, ten = adder(1), adder(10)
        f = njit(lambda x: one(x) + ten(x) * one(7))
        assert f(5) == 6 + 15 * 8
        assert f(True) == 2 + 11 * 8

    def test_in_loops_it_is_inlined(self):
        add = adder(3)

        @njit
        def f(n):
            total = 0
            for i in range(n):
                total = add(total) + i
            return total

        assert f(100) == 300 + 4950
        assert "call i64 @intrinsic" not in f.inspect_llvm(f.signatures[0])

    def test_aggregates_have_numbas_form(self):
        @intrinsic
        def swap(typingctx, pair, z, maybe):
            result = types.Tuple((types.complex128, types.int64))

            def codegen(context, builder, signature, args):
                pair, z, maybe = args
                assert pair.type == ir.ArrayType(ir.IntType(64), 2)
                assert maybe.type == ir.LiteralStructType([ir.IntType(64), ir.IntType(1)])
                first, second = (builder.extract_value(pair, at) for at in range(2))
                flipped = context.get_constant_undef(types.complex128)
                flipped = builder.insert_value(flipped, builder.extract_value(z, 1), 0)
                flipped = builder.insert_value(flipped, builder.extract_value(z, 0), 1)
                content = builder.select(
                    builder.extract_value(maybe, 1), builder.extract_value(maybe, 0), first.type(1000))
                total = builder.add(builder.sub(second, first), content)
                return context.make_tuple(builder, signature.return_type, [flipped, total])

            return result(pair, z, maybe), codegen

        @njit
        def f(a, b, z, absent):
            maybe = None if absent else a
            result = swap((a, b), z, maybe)
            return result

        assert f(3, 10, 1 + 2j, False) == (2 + 1j, 10)
        assert f(3, 10, 1 + 2j, True) == (2 + 1j, 1007)

    def test_blocks_globals_and_calls_of_its_own(self):
        @intrinsic
        def bits_or_minus_one(typingctx, x):
            def codegen(context, builder, signature, args):
                place = builder.alloca(ir.IntType(64))
                builder.store(ir.IntType(64)(-1), place)
                table = ir.GlobalVariable(builder.module, ir.IntType(64), "more")
                table.initializer, table.linkage = ir.IntType(64)(100), "internal"
                with builder.if_then(builder.icmp_signed(">", args[0], args[0].type(0))):
                    count = builder.module.declare_intrinsic("llvm.ctpop", [ir.IntType(64)])
                    builder.store(builder.add(builder.call(count, args), builder.load(table)), place)
                return builder.load(place)

            return types.int64(types.int64), codegen

        f = njit(lambda x: bits_or_minus_one(x))
        assert (f(255), f(-3)) == (108, -1)

    def test_conversions_constants_and_no_result(self):
        @intrinsic
        def third(typingctx, x):
            def codegen(context, builder, signature, args):
                value = context.cast(builder, args[0], signature.args[0], types.float64)
                return builder.fdiv(value, context.get_constant(types.float64, 3.0))

            return types.float64(x), codegen

        @intrinsic
        def nothing(typingctx, x):
            return types.void(types.int32), lambda context, builder, signature, args: None

        @njit
        def f(x):
            nothing(x)
            return third(x)

        assert (f(9), f(1.5), f(True)) == (3.0, 0.5, 1 / 3)

    def test_stack_memory_lives_as_long_as_the_caller(self):
        """Libraries pass the address of a number to a function of C."""
        word = types.int64

        @intrinsic
        def address_of(typingctx, x):
            def codegen(context, builder, signature, args):
                return cgutils.alloca_once_value(builder, args[0])
            return types.CPointer(word)(word), codegen

        @intrinsic
        def value_at(typingctx, x):
            return word(types.CPointer(word)), lambda context, builder, signature, args: builder.load(args[0])

        copy = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(lambda *addresses: ctypes.memmove(*addresses, 8) and None)

        @njit
        def f(n):
            total = 0
            for at in range(n):
                source, target = address_of(at + 7), address_of(0)
                copy(target, source)
                total += 3 * value_at(source) + value_at(target)
            return total

        assert f(10) == sum(4 * (at + 7) for at in range(10))

    def test_attributes_of_arguments_are_those_of_another_convention(self):
        @intrinsic
        def same(typingctx, x):
            def codegen(context, builder, signature, args):
                builder.function.args[0].add_attribute("noalias")
                return args[0]
            return x(x), codegen

        assert njit(lambda x: same(x))(4) == 4

    def test_literals_keywords_and_overloads(self):
        @intrinsic(prefer_literal=True)
        def chooses(typingctx, x, times):
            if not isinstance(x, types.IntegerLiteral):
                return types.int64(types.int64, types.int64), lambda c, builder, s, args: builder.mul(*args)
            value = x.literal_value * 1000
            return x(x, times), lambda context, builder, signature, args: args[0].type(value)

        def function(x):
            raise NotImplementedError

        overload(function)(lambda x: lambda x: chooses(times=x, x=x) + 1)
        assert njit(lambda x: (chooses(4, x), chooses(x, 3), function(x)))(5) == (4000, 15, 26)

    def test_types_that_it_does_not_take(self):
        @intrinsic
        def ints(typingctx, x):
            if isinstance(x, types.Integer):
                return x(x), lambda context, builder, signature, args: args[0]
            if isinstance(x, types.Float):
                raise errors.TypingError("no floats")

        assert njit(lambda x: ints(x))(1) == 1
        with pytest.raises(errors.TypingError, match="no floats"):
            njit(lambda x: ints(x))(1.5)
        with pytest.raises(errors.TypingError, match="no match"):
            njit(lambda x: ints(x))(1j)
        with pytest.raises(errors.TypingError, match="missing a required argument: 'x'"):
            njit(lambda: ints())()

    def test_text_for_the_assembler(self):
        def made(text):
            @intrinsic
            def triple(typingctx, x):
                def codegen(context, builder, signature, args):
                    word = ir.IntType(64)
                    return builder.asm(ir.FunctionType(word, [word]), text, "=r,r", args, side_effect=False)
                return types.int64(types.int64), codegen
            return njit("int64(int64)")(lambda x: triple(x + 1))

        with pytest.raises(errors.LoweringError, match="has text for the assembler"):
            made("lea ($1,$1,2), $0")(4)

    def test_code_generators_that_fail(self):
        def failing(codegen, result=types.int64):
            @intrinsic
            def broken(typingctx, x):
                return result(x), codegen

            return njit(lambda x: broken(x))

        with pytest.raises(errors.LoweringError, match="non-void function returns None"):
            failing(lambda context, builder, signature, args: None)(1)
        with pytest.raises(ZeroDivisionError) as caught:
            failing(lambda context, builder, signature, args: 1 // 0)(1)
        assert any("code generator of the" in note for note in getattr(caught.value, "__notes__", ["code generator of the"]))
        with pytest.raises(errors.UnsupportedError, match="`context.no_such_function`"):
            failing(lambda context, builder, signature, args: context.no_such_function(builder))(1)
        with pytest.raises(errors.LoweringError, match="LLVM does not read the text"):
            failing(lambda context, builder, signature, args: args[0], types.float64)(1)

    def test_it_travels_with_the_functions_that_call_it(self):
        add = adder(5)
        f = njit(lambda x: add(x))
        assert pickle.loads(pickle.dumps(f))(1) == f(1) == 6
        assert pickle.loads(pickle.dumps(add)) is add
        other = subprocess.run(
            [sys.executable, "-c", "import pickle, sys; print(pickle.load(sys.stdin.buffer)(1))"],
            input=pickle.dumps(f), capture_output=True, check=True)
        assert other.stdout.split() == [b"6"]


def test_intrinsics_have_a_target():
    def number(n):
        def written(typingctx, x):
            def codegen(context, builder, signature, args):
                return context.get_constant(signature.return_type, n)
            return types.int64(x), codegen
        return written

    here, elsewhere = intrinsic(target="cpu")(number(1)), intrinsic(target="cuda")(number(2))
    assert njit(lambda x: here(x))(5) == 1
    with pytest.raises(errors.TypingError, match="for the target 'cuda', and this code is for 'cpu'"):
        njit(lambda x: elsewhere(x))(5)
    with pytest.raises(errors.NonexistentTargetError):
        intrinsic(target="quantum")(number(3))
