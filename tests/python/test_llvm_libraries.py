"""Machine code by hand: libraries of LLVM's modules with llvmlite, structs in memory, C's printf."""
import ctypes
import pickle
import struct

import pytest
from llvmlite import binding, ir

from rumba import njit, types
from rumba.extending import intrinsic
from rumba.numba.core import cgutils, cpu, typing
from rumba.numba.core.codegen import JITCPUCodegen
from rumba.numba.core.registry import cpu_target

_SUM = "define i32 @sum(i32 %a, i32 %b) {\n  %c = add i32 %a, %b\n  ret i32 %c\n}"
_TWICE = "declare i32 @sum(i32, i32)\ndefine i32 @twice(i32 %a) {\n  %b = call i32 @sum(i32 %a, i32 %a)\n  ret i32 %b\n}"
_INTS = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)


def _library(codegen, text, *linked):
    library = codegen.create_library("made")
    library.add_llvm_module(binding.parse_assembly(text))
    for other in linked:
        library.add_linking_library(other)
    return library


@pytest.fixture
def twice():
    codegen = JITCPUCodegen("test")
    return _library(codegen, _TWICE, _library(codegen, _SUM))


def test_libraries_call_each_other(twice):
    assert _INTS(twice.get_pointer_to_function("twice"))(21) == 42
    assert twice.get_pointer_to_function("nothing") == 0
    with pytest.raises(RuntimeError, match="completed object"):
        twice.add_llvm_module(binding.parse_assembly(_SUM))


@pytest.mark.parametrize("how", ["serialize_using_bitcode", "serialize_using_object_code"])
def test_libraries_are_serialized(twice, how):
    state = pickle.loads(pickle.dumps(getattr(twice, how)()))
    again = JITCPUCodegen("other").unserialize_library(state)
    assert _INTS(again.get_pointer_to_function("twice"))(4) == 8


def test_what_people_read(twice):
    twice.finalize()
    assert "@twice" in twice.get_llvm_str() and "twice:" in twice.get_asm_str()
    assert "digraph" in twice.get_function_cfg("twice").dot
    with pytest.raises(NameError, match="nothing"):
        twice.get_function_cfg("nothing")
    cached = JITCPUCodegen("other").unserialize_library(twice.serialize_using_object_code())
    with pytest.warns(UserWarning, match="Inspection disabled"):
        assert "@twice" not in cached.get_llvm_str()


def test_machine_code_depends_on_the_processor():
    first, second = JITCPUCodegen("a"), JITCPUCodegen("b")
    assert first.magic_tuple() == second.magic_tuple() == pickle.loads(pickle.dumps(first.magic_tuple()))


def test_structs_in_memory():
    class Pair(cgutils.Structure):
        _fields = [("a", types.int32), ("b", types.float64)]

    context = cpu.CPUContext(typing.Context())
    module = context.create_module("pairs")
    function = ir.Function(module, ir.FunctionType(ir.VoidType(), [ir.IntType(64)]), "fill")
    builder = ir.IRBuilder(function.append_basic_block())
    kind = Pair(context, builder)._type
    pair = Pair(context, builder, ref=builder.inttoptr(function.args[0], kind.as_pointer()))
    pair.a = ir.IntType(32)(7)
    pair.b = builder.fadd(builder.sitofp(pair.a, ir.DoubleType()), ir.DoubleType()(0.5))
    assert len(pair) == 2
    with pytest.raises(AttributeError, match="no member 'c', only a, b"):
        pair.c = 1
    with pytest.raises(TypeError, match="Invalid store"):
        pair.a = ir.DoubleType()(1)
    builder.ret_void()
    library = context.codegen().create_library("pairs")
    library.add_ir_module(module)
    memory = ctypes.create_string_buffer(16)
    ctypes.CFUNCTYPE(None, ctypes.c_size_t)(library.get_pointer_to_function("fill"))(ctypes.addressof(memory))
    assert struct.unpack("=i4xd", memory.raw) == (7, 7.5)


def test_the_target_context_makes_libraries():
    context = cpu_target.target_context
    assert context.codegen() is context.codegen()
    assert context.typing_context is cpu_target.typing_context
    assert context.target_data.get_abi_size is not None


def test_printf(capfd):
    @intrinsic
    def show(typingctx, number):
        def codegen(context, builder, signature, args):
            context.printf(builder, "%lld\n", *args)

        return types.void(number), codegen

    njit(lambda: show(123456))()
    ctypes.CDLL(None).fflush(None)
    assert capfd.readouterr().out == "123456\n"


def test_texts_for_llvm():
    assert cgutils.normalize_ir_text("abc") == "abc"
    assert cgutils.normalize_ir_text("é").encode("latin1") == "é".encode()
