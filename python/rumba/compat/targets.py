"""The context objects that Numba's extensions expect around a compilation, as far as they mean
something here: they answer questions about types."""
from .. import types
from .._rumba import Dispatcher
from ..errors import NonexistentTargetError


class TypingContext:
    """Answers questions about types."""

    def resolve_value_type(self, value):
        """The type of a global value."""
        return types.typeof(value)

    resolve_argument_type = resolve_value_type

    def can_convert(self, fromty, toty):
        """How a value of one type becomes one of the other, or None."""
        from ..types.convert import conversion

        return conversion(fromty, toty)

    def unify_types(self, *typelist):
        """The type that values of all these types fit in, or None."""
        from ..types.convert import unify

        return unify(*typelist)

    def unify_pairs(self, first, second):
        """The type that values of both types fit in, or None."""
        return self.unify_types(first, second)

    def refresh(self):
        """Registrations are seen at once; there is nothing to do."""


class TargetContext:
    """Answers questions about the machine."""

    def refresh(self):
        """Registrations are seen at once; there is nothing to do."""


class Target:
    """What code is compiled for."""

    def __init__(self, name):
        self.target_name = name
        self.typing_context, self.target_context = TypingContext(), TargetContext()


cpu_target = Target("cpu")
# Extensions ask the class.
Dispatcher.targetdescr = cpu_target


def resolve_dispatcher_from_str(target):
    """The class of the dispatchers that compile for a target."""
    if target != cpu_target.target_name:
        raise NonexistentTargetError(f"there is no target {target!r}, only {cpu_target.target_name!r}")
    return Dispatcher
