"""Compiling a function without a dispatcher of its own: the door that tools use."""
from types import SimpleNamespace

_FLAGS = frozenset(
    "enable_looplift enable_pyobject enable_pyobject_looplift force_pyobject release_gil no_compile debuginfo "
    "boundscheck forceinline no_cpython_wrapper no_cfunc_wrapper auto_parallel nrt no_rewrites error_model fastmath "
    "noalias inline dbg_extend_lifetimes dbg_optnone use_target_abi".split())


class Flags:
    """Switches of a compilation; the ones that are not set are false."""

    def __init__(self, **values):
        for name, value in values.items():
            setattr(self, name, value)

    def __setattr__(self, name, value):
        if name not in _FLAGS:
            raise AttributeError(f"there is no flag {name!r}")
        self.__dict__[name] = value

    def __getattr__(self, name):
        if name not in _FLAGS:
            raise AttributeError(f"there is no flag {name!r}")
        return False

    def copy(self):
        """The same switches."""
        return Flags(**self.__dict__)

    def __repr__(self):
        return f"Flags({', '.join(f'{name}={value}' for name, value in self.__dict__.items())})"


DEFAULT_FLAGS = Flags(nrt=True)


def run_frontend(func, inline_closures=False, emit_dels=False):
    """A Python function before its types are known, in Numba's shape (`rumba.ir`)."""
    from ._rumba import rewriting
    from .ir.utils import remove_dels
    from .rewriting import view

    func_ir, _ = view.build(func, rewriting.untyped(func))
    if not emit_dels:
        remove_dels(func_ir.blocks)
    return func_ir


class CompilerBase:
    """A compilation that can be looked into: `state` has the function in Numba's shape as its rewrites left it."""

    def __init__(self, typingctx, targetctx, library, args, return_type, flags, locals):
        self.typingctx, self.targetctx, self.library, self.flags = typingctx, targetctx, library, flags
        self.args, self.return_type, self.locals = args, return_type, locals
        self.state = SimpleNamespace(func_ir=None, args=args, return_type=return_type, flags=flags, locals=locals)

    def compile_extra(self, func):
        """Compiles a Python function for the types of arguments."""
        from ._rumba import rewriting
        from .rewriting import rewrite_registry, run

        def watch(kind, state):
            if kind == "after-inference" and state.function is function:
                self.state = state

        function = getattr(func, "py_func", func)
        token = run.watchers.set((*run.watchers.get(), watch))
        rewriting.enable(True)
        try:
            return compile_extra(
                self.typingctx, self.targetctx, func, self.args, self.return_type, self.flags, self.locals, self.library)
        finally:
            run.watchers.reset(token)
            rewrite_registry.changed()


class Compiler(CompilerBase):
    """The compilation that decorators use."""


def compile_extra(typingctx, targetctx, func, args, return_type, flags, locals, library=None, pipeline_class=None):
    """Compiles a Python function for argument types; what `dispatcher.overloads` holds for it."""
    from .decorators import jit
    from .types import Signature

    options = {"forceobj": True} if flags.force_pyobject else {"nopython": True}
    if flags.release_gil:
        options["nogil"] = True
    if flags.no_rewrites:
        options["no_rewrites"] = True
    if flags.error_model:
        options["error_model"] = flags.error_model
    dispatcher = jit(func.py_func if hasattr(func, "py_func") else func, locals=locals or None, **options)
    signature = tuple(args) if return_type is None else Signature(return_type, tuple(args), None)
    dispatcher._unit_compile(signature)
    return next(iter(dispatcher.overloads.values()))
