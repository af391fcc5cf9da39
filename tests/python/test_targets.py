"""Targets: a hierarchy of classes, by which overloads are chosen."""
import pytest
from rumba import errors, njit, types
from rumba.extending import intrinsic, overload, overload_attribute, overload_method
from rumba.numba.core.descriptors import TargetDescriptor
from rumba.numba.core.registry import cpu_target
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
        resolve_dispatcher_from_str("toy")
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
    with pytest.raises(errors.TypingError, match="for the target 'gpu', and this code for 'cpu'"):
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
