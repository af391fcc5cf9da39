"""The context objects that Numba's extensions expect around a compilation, as far as they have a meaning here: they
answer queries about types."""
import functools

from .. import upcalls
from .._rumba import Dispatcher


class _Ops(dict):
    """Operations and what writes their code. Whoever changes it tells the compiler."""

    def __setitem__(self, op, hook):
        super().__setitem__(op, hook)
        self._changed()

    def __delitem__(self, op):
        super().__delitem__(op)
        self._changed()

    def pop(self, *args):
        """Takes an operation out."""
        found = super().pop(*args)
        self._changed()
        return found

    def _changed(self):
        upcalls.special_ops_changed()


class TargetContext:
    """Answers questions about the machine: what it does not say itself, the context of code generators does."""

    is_target_context = True

    def __init__(self, typing_context=None, target="cpu"):
        # What writes the code of operations that rewrites make, by their names.
        self.special_ops = _Ops()
        # Libraries that code goes into, as Numba keeps them.
        self._codelib_stack = []
        if typing_context is not None:
            self.typing_context = typing_context

    @functools.cached_property
    def typing_context(self):
        """What answers questions about types."""
        return upcalls.typing_context()

    def codegen(self):
        """What makes libraries of machine code by hand, with llvmlite."""
        return self._codegen

    @functools.cached_property
    def _codegen(self):
        from ..codegen.libraries import JITCPUCodegen

        return JITCPUCodegen("rumba.exec")

    def create_module(self, name):
        """An empty module for llvmlite's builders."""
        return self._codegen.create_empty_module(name)

    @property
    def target_data(self):
        """The layout of data, as LLVM knows it."""
        return self._codegen.target_data

    def refresh(self):
        """Registrations are seen at once; there is nothing to do."""

    def install_registry(self, registry):
        """Lets the compiler see the code that a registry of a library holds, and what it gets later."""
        registry.install()

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        from ..codegen.target_context import Context

        return getattr(Context(), name)


class Target:
    """What code is compiled for."""

    def __init__(self, target_name):
        self.target_name = self._target_name = target_name

    @functools.cached_property
    def typing_context(self):
        """What answers questions about types."""
        return upcalls.typing_context()

    @functools.cached_property
    def target_context(self):
        """What answers questions about the machine."""
        return TargetContext(self.typing_context)


cpu_target = Target("cpu")
# Extensions ask the class.
Dispatcher.targetdescr = cpu_target
