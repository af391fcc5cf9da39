"""Compiling a function without a dispatcher of its own: the door that tools use."""


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


def compile_extra(typingctx, targetctx, func, args, return_type, flags, locals, library=None, pipeline_class=None):
    """Compiles a Python function for argument types; what `dispatcher.overloads` holds for it."""
    from .decorators import jit
    from .types import Signature

    options = {"forceobj": True} if flags.force_pyobject else {"nopython": True}
    if flags.release_gil:
        options["nogil"] = True
    if flags.error_model:
        options["error_model"] = flags.error_model
    dispatcher = jit(func.py_func if hasattr(func, "py_func") else func, locals=locals or None, **options)
    signature = tuple(args) if return_type is None else Signature(return_type, tuple(args), None)
    dispatcher._unit_compile(signature)
    return next(iter(dispatcher.overloads.values()))
