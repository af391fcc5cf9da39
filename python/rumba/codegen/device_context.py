"""Target contexts of other targets: what their code generators ask is answered by the target's own context.

A library derives a context from `numba.core.base.BaseContext`, overrides what is different on its target, and installs
registries of code in it, which serve that target alone.

Absent: the context of this processor (`rumba.codegen.target_context`, `rumba.compat.targets`).
"""
import copy

from .. import errors, types
from ..extending import overload_registry
from .call_conv import CallConvention, Counting
from .target_context import Context


class _Contexts(type):
    """The context of this processor is one, too, though it is not derived: it needs no llvmlite."""

    def __instancecheck__(cls, value):
        return super().__instancecheck__(value) or cls is BaseContext and getattr(type(value), "is_target_context", False)


class BaseContext(Context, metaclass=_Contexts):
    """A context that a library derives its own from."""

    address_size = 64

    def __init__(self, typing_context, target):
        super().__init__()
        self.typing_context, self.target_name = typing_context, target
        self.fndesc, self.environment, self.fastmath = None, None, False
        # Operations and what writes their code; registries that are installed, and how they are read.
        self.special_ops, self._registries, self._installed = {}, {}, []
        # Libraries that code goes into, as Numba keeps them.
        self._codelib_stack = []
        self.init()

    def init(self):
        """For subclasses: makes what the context needs."""

    def refresh(self):
        """For subclasses: looks at registries again."""

    def install_registry(self, registry):
        """Has the code of a registry serve this target."""
        if registry not in self._installed:
            self._installed.append(registry)

    def for_code(self, can_fail):
        """The same context for one piece of code."""
        made = copy.copy(self)
        made.can_fail, made.kept = can_fail, []
        made.nrt = Counting(made)
        made.__dict__["call_conv"] = CallConvention(made)
        return made

    def _registered(self, kind, matches):
        """What was registered last that matches."""
        found = [entry[0] for registry in self._installed for entry in getattr(registry, kind) if matches(*entry[1:])]
        return found[-1] if found else None

    def get_constant_generic(self, builder, ty, value):
        """A constant, as the target's registries or the base have it."""
        written = self._registered("constants", lambda wanted: _is_of(ty, wanted[0]))
        if written is not None:
            return written(self, builder, ty, value)
        return super().get_constant_generic(builder, ty, value)

    def cast(self, builder, value, fromty, toty):
        """A value as one of another type, as the target's registries or the base convert it."""
        written = self._registered("casts", lambda wanted: _is_of(fromty, wanted[0]) and _is_of(toty, wanted[1]))
        if written is not None and fromty != toty:
            return written(self, builder, fromty, toty, value)
        return super().cast(builder, value, fromty, toty)

    def get_function(self, fn, sig, _firstcall=True):
        """What writes a call of a function with a signature: as the target's registries have it, or as an overload for the target
        has it. NumbaNotImplementedError if there is neither."""
        key = getattr(fn, "typing_key", fn)

        def matches(function, wanted):
            return function == key and len(wanted) == len(sig.args) and all(map(_is_of, sig.args, wanted))

        written = self._registered("functions", matches)
        if written is not None:
            return lambda builder, args: written(self, builder, sig, args)
        found = overload_for(self.target_name, key, tuple(sig.args))
        if found is None:
            raise errors.NumbaNotImplementedError(f"{fn}, {tuple(sig.args)}: there is no code for the target {self.target_name!r}")
        return lambda builder, args: self.compile_internal(builder, found, sig, args)


def _is_of(ty, wanted):
    return isinstance(ty, wanted) if isinstance(wanted, type) else ty == wanted or types.unliteral(ty) == wanted


def overload_for(target, function, args):
    """The compiled function that implements a call for just this target, or for a family it is of; None if there is none."""
    from ..compat.target_registry import target_override

    name = overload_registry.known_name(function)
    if name is None:
        return None
    with target_override(target):
        seen = overload_registry.Snapshot()
        if not overload_registry.is_targeted(seen, "function", None, name):
            return None
        return overload_registry.resolve(seen, "function", None, name, args, (), 0)[0]


def context_for_target(can_fail=False):
    """The context of a piece of code for the target that functions compile for."""
    target = overload_registry.current_target()
    if target == "cpu":
        return Context(can_fail)
    from ..compat.target_registry import dispatcher_registry, target_registry

    dispatcher = dispatcher_registry.get(target_registry[target])
    context = getattr(getattr(dispatcher, "targetdescr", None), "target_context", None)
    return context.for_code(can_fail) if isinstance(context, BaseContext) else Context(can_fail)
