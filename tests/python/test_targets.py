"""Targets: a hierarchy of classes, by which overloads are chosen."""
import gc
import math
import operator
import pickle
import sys

import numpy as np
import pytest
from rumba import errors, njit, types
from rumba.extending import overload_registry
from rumba.extending import intrinsic, overload, overload_attribute, overload_method
from rumba.numba.core.base import BaseContext
from rumba.numba.core.compiler import CompilerBase, DefaultPassBuilder
from rumba.numba.core.compiler_machinery import FunctionPass, register_pass
from rumba.numba.core.descriptors import TargetDescriptor
from rumba.numba.core.dispatcher import Dispatcher
from rumba.numba.core.imputils import Registry
from rumba.numba.core.registry import cpu_target
from rumba.numba.core.typed_passes import PreLowerStripPhis
from rumba.numba.core.typing import Context
from support import forgotten_overloads
from rumba.numba.core.target_extension import (
    CPU, GPU, Generic, current_target, dispatcher_registry, jit_registry, resolve_dispatcher_from_str, resolve_target_str,
    target_override, target_registry)


class Toy(GPU):
    """A device that is not there."""


target_registry["toy"] = Toy


def test_the_registry():
    assert target_registry["toy"] is Toy and resolve_target_str("cpu") is CPU and issubclass(Toy, Generic)
    with pytest.raises(errors.NonexistentTargetError, match="No target is registered against 'other'"):
        target_registry["other"]
    assert dispatcher_registry[CPU] is resolve_dispatcher_from_str("cpu") is type(njit(lambda: 0))
    with pytest.raises(errors.NonexistentTargetError):
        resolve_dispatcher_from_str("gpu")
    assert jit_registry[CPU](lambda x: x + 1)(1) == 2
    with pytest.raises(TypeError):
        jit_registry["cpu"] = None
    assert isinstance(cpu_target, TargetDescriptor)


def test_row_1_4_the_most_special_overload_serves():
    def where():
        pass

    def ask():
        return njit(lambda: where())()

    overload(where, target="gpu")(lambda: lambda: "gpu")
    with pytest.raises(errors.TypingError, match="for the target 'gpu', and this code is for 'cpu'"):
        ask()
    overload(where)(lambda: lambda: "generic")
    assert ask() == "generic"
    overload(where, target="cpu")(lambda: lambda: "cpu")
    assert ask() == "cpu"
    with target_override("toy"):
        assert current_target() == "toy" and ask() == "gpu"
        overload(where, target="toy")(lambda: lambda: "toy")
        assert ask() == "toy"
        with target_override("gpu"):
            assert ask() == "gpu"
    assert current_target() == "cpu" and ask() == "cpu"


def test_intrinsics_methods_and_attributes_of_a_target():
    @intrinsic(target="toy")
    def seven(typingctx):
        return types.int64(), lambda context, builder, sig, args: context.get_constant(types.int64, 7)

    overload_method(types.Float, "doubled", target="toy")(lambda x: lambda x: x * 2)
    overload_attribute(types.Float, "half", target="toy")(lambda x: lambda x: x / 2)

    def program(x):
        return seven(), x.doubled(), x.half

    with target_override("toy"):
        assert njit(program)(3.0) == (7, 6.0, 1.5)
    with pytest.raises(errors.TypingError):
        njit(program)(3.0)


def test_a_target_that_fails_leaves_the_one_before():
    with pytest.raises(errors.NonexistentTargetError), target_override("other"):
        pass
    with pytest.raises(ZeroDivisionError), target_override("toy"):
        raise ZeroDivisionError
    assert current_target() == "cpu"


class ToyContext(BaseContext):
    """The context of the toy: it adds one to its constants, and has a question of its own."""

    def init(self):
        self.install_registry(toy_code)

    def scale(self):
        return 1000


class ToyTarget(TargetDescriptor):
    def __init__(self):
        super().__init__("toy")
        self.typing_context = Context()
        self.target_context = ToyContext(self.typing_context, "toy")


toy_code = Registry("toy")


@toy_code.lower_constant(types.Integer)
def constant_of_toy(context, builder, ty, value):
    return context.get_constant(ty, value + 1)


class ToyDispatcher(Dispatcher):
    targetdescr = ToyTarget()


dispatcher_registry[Toy] = ToyDispatcher
jit_registry[Toy] = ToyDispatcher


@intrinsic(target="toy")
def subtracted(typingctx, x, y):
    return x(x, y), lambda context, builder, sig, args: builder.sub(*args)


def toy_adds(x, y):
    if isinstance(x, types.Integer) and isinstance(y, types.Integer):
        return lambda x, y: subtracted(x, y)


def toy_sin(x):
    return lambda x: 1234.0


@pytest.fixture(autouse=True, scope="module")
def toy_functions():
    """Other tests do not see them."""
    with forgotten_overloads():
        overload(operator.add, target="toy")(toy_adds)
        overload(math.sin, target="toy")(toy_sin)
        yield


def program(x, y):
    return x + y, math.sin(0.0)


def test_a_second_target_with_its_own_operators():
    toy, here = ToyDispatcher(program), njit(program)
    assert here(7, 3) == (10, 0.0) and toy(7, 3) == (4, 1234.0) and here(7, 3) == (10, 0.0)
    # What it says nothing of is as for every target.
    assert toy(7.5, 3.0) == (10.5, 1234.0)
    assert type(toy) is ToyDispatcher and isinstance(toy, Dispatcher) and toy.targetdescr is ToyDispatcher.targetdescr
    assert toy.signatures == [(types.int64, types.int64), (types.float64, types.float64)]
    assert toy.py_func is program and toy.__name__ == "program" and toy.targetctx is toy.targetdescr.target_context


def test_what_is_for_no_target_is_compiled_for_each():
    def plus_one(x):
        pass

    overload(plus_one)(lambda x: lambda x: x + 1)

    def both(x):
        return plus_one(x)

    assert ToyDispatcher(both)(5) == 4 and njit(both)(5) == 6 and ToyDispatcher(both)(5) == 4


def test_recursion_on_another_target():
    @ToyDispatcher
    def down(n):
        return 0 if n <= 0 else down(n + 1) + n

    # It subtracts: down(3) = down(2) - 3 and so on.
    assert down(3) == -1 - 2 - 3


def test_a_target_context_of_ones_own():
    @intrinsic(target="toy")
    def scaled(typingctx, x):
        def codegen(context, builder, sig, args):
            seven = context.get_constant_generic(builder, types.int64, 7)
            return builder.mul(args[0], builder.mul(seven, context.get_constant(types.int64, context.scale())))

        return types.int64(types.int64), codegen

    @intrinsic
    def constant_seven(typingctx):
        return types.int64(), lambda context, builder, sig, args: context.get_constant_generic(builder, types.int64, 7)

    assert ToyDispatcher(lambda x: scaled(x))(2) == 2 * 8 * 1000
    # The registry of the toy serves the toy alone.
    assert njit(lambda: constant_seven())() == 7


def test_code_here_calls_a_function_of_another_target():
    toy = ToyDispatcher(program)

    @njit
    def host(x):
        return x + toy(x, 1)[0], math.sin(x)

    assert host(4) == (4 + 3, math.sin(4))
    failing = ToyDispatcher(lambda x: 1 // x)

    @njit
    def caught(x):
        try:
            return failing(x)
        except ZeroDivisionError:
            return -1

    assert caught(0) == -1 and caught(1) == 1
    with pytest.raises(errors.TypingError, match="takes no arguments by keyword"):
        njit(lambda: toy(x=1, y=2))()
    with pytest.raises(errors.TypingError, match="the function 'program' is for the target 'toy', and this code for 'cpu'"):
        njit(lambda f: f(1, 2))(toy)


def test_the_decorator_with_a_target():
    assert njit(_target="toy")(program)(1, 2)[0] == -1 and type(njit(program, target_backend="toy")) is ToyDispatcher
    fixed = njit([(types.int64, types.int64)], _target="toy")(program)
    assert fixed.signatures == [(types.int64, types.int64)]
    with pytest.raises(TypeError):
        fixed("a", 1)
    with pytest.raises(errors.NonexistentTargetError, match="No target is registered against 'elsewhere'"):
        njit(_target="elsewhere")(program)


def test_an_overload_for_this_processor_comes_before_the_rules(monkeypatch):
    name = overload_registry.name_of_key(math.cos)
    monkeypatch.setitem(overload_registry._functions, name, list(overload_registry.registered(name)))
    seen = []

    @overload(math.cos, target="cpu")
    def own_cos(x):
        seen.append(x)
        if x == types.float32:
            return lambda x: -5.0

    assert njit(lambda x: math.cos(x))(np.float32(0)) == -5.0 and seen
    assert njit(lambda x: math.cos(x))(0.0) == 1.0


def test_what_is_for_other_targets_is_told():
    def only_there():
        pass

    overload(only_there, target="cuda")(lambda: lambda: 1)
    overload_attribute(types.Float, "third", target="toy")(lambda x: lambda x: x / 3)
    with pytest.raises(errors.TypingError) as raised:
        ToyDispatcher(lambda: only_there())()
    assert "test_what_is_for_other_targets_is_told.<locals>.only_there" in str(raised.value)
    assert f"for the current target: '{__name__}.Toy'" in str(raised.value)
    with pytest.raises(errors.TypingError, match="A string takes strings beside it"):
        njit(lambda x: x + 1)("text")
    with pytest.raises(errors.TypingError, match="Unknown attribute 'third'"):
        njit(lambda x: x.third)(1.0)
    assert ToyDispatcher(lambda x: x.third)(6.0) == 2.0


class OffloadCalls(FunctionPass):
    """Has calls run on the toy for which it has code."""

    _name = "offload_calls"

    def __init__(self):
        FunctionPass.__init__(self)

    def run_pass(self, state):
        changed = False
        for block in state.func_ir.blocks.values():
            for call in block.find_exprs("call"):
                function = state.typemap[call.func.name]
                with target_override("toy"):
                    signature = function.get_call_type(state.typingctx, state.calltypes[call].args, {})
                    try:
                        resolve_dispatcher_from_str("toy").targetdescr.target_context.get_function(function, signature)
                    except errors.NumbaNotImplementedError:
                        continue
                call.target, changed = "toy", True
        return changed


register_pass(mutates_CFG=False, analysis_only=False)(OffloadCalls)


class OffloadCompiler(CompilerBase):
    def define_pipelines(self):
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.add_pass_after(OffloadCalls, PreLowerStripPhis)
        passes.finalize()
        return [passes]


def test_a_pass_gives_calls_another_target():
    @njit(pipeline_class=OffloadCompiler)
    def both(x):
        return math.sin(x), math.sqrt(x), x + 1

    assert both(4) == (1234.0, 2.0, 5)


def test_dispatchers_of_a_target_are_objects_like_others():
    from rumba.serialize import dispatcher as serialize

    with pytest.raises(TypeError, match="ToyDispatcher.. takes the Python function to compile"):
        ToyDispatcher()
    with pytest.raises(TypeError, match="only a Python function can be compiled"):
        ToyDispatcher(3)
    toy = ToyDispatcher(program)
    assert toy(7, 3)[0] == 4
    packed = pickle.dumps(toy)
    assert pickle.loads(packed) is toy
    # As in another process.
    serialize._known.clear()
    again = pickle.loads(packed)
    assert again is not toy and type(again) is ToyDispatcher and again(7, 3)[0] == 4

    class Owner:
        method = ToyDispatcher(lambda self, x: x)

    assert Owner().method.__self__.__class__ is Owner
    # What earlier tests left counts no longer.
    gc.collect()
    before = sys.getrefcount(ToyDispatcher), sys.getrefcount(program)
    for _ in range(100):
        one = ToyDispatcher(program)
        one.itself = one
    del one
    gc.collect()
    assert (sys.getrefcount(ToyDispatcher), sys.getrefcount(program)) == before
