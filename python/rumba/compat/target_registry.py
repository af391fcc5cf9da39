"""Targets as a class hierarchy: overloads for a target also serve derived targets, the most specific first.

Machine code is made for 'cpu' alone. `target_override("name")` compiles what stands inside for this processor with the overloads and
intrinsics of another target, as for a device that is tried out without being there.

Absent: the choice among overloads (`rumba.extending.overload_registry`).
"""
import abc
import collections

from ..extending import overload_registry
from .._rumba import Dispatcher
from ..decorators import jit
from ..errors import NonexistentTargetError


class Target(abc.ABC):
    """What code is compiled for."""

    @classmethod
    def inherits_from(cls, other):
        """Whether what serves another target serves this one."""
        return issubclass(cls, other)


class Generic(Target):
    """Every target."""


class CPU(Generic):
    """This processor."""


class GPU(Generic):
    """Graphics cards."""


class CUDA(GPU):
    """Those of NVIDIA."""


class NPyUfunc(Target):
    """Loops of ufuncs."""


class _TargetRegistry(collections.UserDict):
    """Targets by their names."""

    def __getitem__(self, name):
        if name not in self.data:
            raise NonexistentTargetError(f"No target is registered against '{name}', known targets:\n" + "\n".join(
                f"{known}: {target}" for known, target in self.data.items()))
        return self.data[name]

    def __setitem__(self, name, target):
        super().__setitem__(name, target)
        names = {cls: known for known, cls in self.data.items() if known.islower()}
        for known, cls in self.data.items():
            overload_registry.lineages[known] = tuple(
                names.get(base, base.__name__) for base in cls.__mro__ if issubclass(base, Target) and base is not Target)
        overload_registry.changed()


target_registry = _TargetRegistry()
for _name, _target in (("generic", Generic), ("CPU", CPU), ("cpu", CPU), ("GPU", GPU), ("gpu", GPU), ("CUDA", CUDA),
                       ("cuda", CUDA), ("npyufunc", NPyUfunc)):
    target_registry[_name] = _target


class DelayedRegistry(dict):
    """What a target has, by its class."""

    def __setitem__(self, target, value):
        if not (isinstance(target, type) and issubclass(target, Target)):
            raise TypeError(f"a class of targets is registered, not {target!r}")
        super().__setitem__(target, value)


# The decorator and the class of dispatchers of each target.
jit_registry, dispatcher_registry = DelayedRegistry(), DelayedRegistry()
jit_registry[CPU], dispatcher_registry[CPU] = jit, Dispatcher


class JitDecorator(abc.ABC):
    """A decorator that compiles for a target."""

    @abc.abstractmethod
    def __call__(self):
        """Decorates."""


class target_override:
    """A context in which functions compile with what is there for another target."""

    def __init__(self, name):
        self._name = name

    def __enter__(self):
        target_registry[self._name]
        self._before = current_target()
        overload_registry.set_target(self._name)

    def __exit__(self, *exception):
        overload_registry.set_target(self._before)


def current_target():
    """The name of the target that functions compile for."""
    return overload_registry.current_target()


def resolve_target_str(target_str):
    """The class of a target by its name."""
    return target_registry[target_str]


def get_local_target(context):
    """The class of the target that functions compile for."""
    return target_registry[current_target()]


def resolve_dispatcher_from_str(target_str):
    """The class of the dispatchers of a target; NonexistentTargetError if it has none."""
    target = target_registry[target_str]
    if target not in dispatcher_registry:
        raise NonexistentTargetError(f"the target {target_str!r} has no dispatchers of its own")
    return dispatcher_registry[target]
