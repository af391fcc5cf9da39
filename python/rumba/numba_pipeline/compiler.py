"""Compilation without a dispatcher, and pass pipelines: the interface for tools."""
import base64
import copy
import zlib

from ..compat.options import PARALLEL_PARTS, ParallelOptions
from .builder import DefaultPassBuilder
from .machinery import PassManager
from .state import StateDict, _CompileStatus

_FLAGS = frozenset(
    "enable_looplift enable_pyobject enable_pyobject_looplift force_pyobject release_gil no_compile debuginfo "
    "boundscheck forceinline no_cpython_wrapper no_cfunc_wrapper auto_parallel nrt no_rewrites error_model fastmath "
    "noalias inline dbg_extend_lifetimes dbg_optnone dbg_directives_only use_target_abi target_backend".split())


# What summaries often have, which packs them well.
_OFTEN = " ".join([*sorted(_FLAGS), *(f"'{part}': True" for part in PARALLEL_PARTS), "inline=always", "=True, "]).encode()


class Flags:
    """Switches of a compilation; the ones that are not set are false."""

    def __init__(self, **values):
        for name, value in values.items():
            setattr(self, name, value)

    def __setattr__(self, name, value):
        if name not in _FLAGS:
            raise AttributeError(f"'Flags' object has no attribute {name!r}")
        if name == "auto_parallel" and not isinstance(value, ParallelOptions):
            value = ParallelOptions(value)
        self.__dict__[name] = value

    def __getattr__(self, name):
        if name not in _FLAGS:
            raise AttributeError(f"'Flags' object has no attribute {name!r}")
        return ParallelOptions(False) if name == "auto_parallel" else False

    def copy(self):
        """The same switches."""
        return Flags(**self.__dict__)

    def summary(self):
        """What is set, as text for people."""
        return ", ".join(f"{name}={value}" for name, value in sorted(self.__dict__.items()))

    def get_mangle_string(self):
        """The summary in the letters of symbols, and shorter where it is long."""
        packer = zlib.compressobj(9, zdict=_OFTEN)
        packed = packer.compress(self.summary().encode()) + packer.flush()
        return base64.b32encode(packed).decode().rstrip("=").lower()

    @classmethod
    def demangle(cls, mangled):
        """The summary that was made letters of symbols."""
        packed = base64.b32decode(mangled.upper() + "=" * (-len(mangled) % 8))
        return zlib.decompressobj(zdict=_OFTEN).decompress(packed).decode()

    def __repr__(self):
        return f"Flags({self.summary()})"


DEFAULT_FLAGS = Flags(nrt=True)

# Switches by the options of decorators that set them.
_BY_OPTION = {
    "nogil": "release_gil", "parallel": "auto_parallel", "debug": "debuginfo", "forceobj": "force_pyobject",
    **{name: name for name in (
        "boundscheck", "forceinline", "no_rewrites", "error_model", "fastmath", "inline", "no_cpython_wrapper",
        "no_cfunc_wrapper", "noalias")}}


def flags_of(options):
    """The switches that options of a decorator set."""
    flags = DEFAULT_FLAGS.copy()
    for name, flag in _BY_OPTION.items():
        if options.get(name):
            setattr(flags, flag, options[name])
    return flags


def run_frontend(func, inline_closures=False, emit_dels=False):
    """A Python function before its types are known, in Numba's shape (`rumba.numba_ir`)."""
    from . import bridge
    from ..rewriting import liveness

    func_ir = bridge.frontend(getattr(func, "py_func", func))
    if emit_dels:
        liveness.place_dels(func_ir.blocks)
    return func_ir


class CompilerBase:
    """A compilation. Subclasses say by which passes: `define_pipelines()` gives their managers; passes find what they
    work on in `state`."""

    def __init__(self, typingctx, targetctx, library, args, return_type, flags, locals):
        self.state = StateDict(
            typingctx=typingctx, targetctx=targetctx, library=library, args=args, return_type=return_type, flags=flags,
            locals=locals or {}, bc=None, func_id=None, func_ir=None, lifted=(), lifted_from=None, typemap=None,
            calltypes=None, type_annotation=None, status=_CompileStatus(), reload_init=[], metadata={},
            parfor_diagnostics=None, cr=None)

    def define_pipelines(self):
        """The managers of passes: the first is run."""
        raise NotImplementedError(f"{type(self).__name__}.define_pipelines() gives a list of PassManagers")

    def compile_extra(self, func):
        """Compiles a Python function for the types of arguments."""
        if "lower" in self.state:
            return self.run_passes(func)
        self.state.func_ir = self.state.cr = None
        return _standalone(self, getattr(func, "py_func", func))

    def compile_ir(self, func_ir, lifted=(), lifted_from=None):
        """Compiles a function in Numba's shape for the types of arguments."""
        self.state.func_ir, self.state.lifted, self.state.lifted_from = func_ir, lifted, lifted_from
        func = func_ir.func_id.func
        return self.run_passes(func) if "lower" in self.state else _standalone(self, func)

    def run_passes(self, func):
        """Runs the passes over a Python function; what a compilation gives."""
        from ..numba_ir.bytecode import FunctionIdentity
        from .untyped import ExtractByteCode

        state = self.state
        state.func_id = FunctionIdentity.from_function(func)
        ExtractByteCode().run_pass(state)
        managers = list(self.define_pipelines())
        for manager in managers[:1]:
            manager.run(state)
        if state.get("cr") is None and "compile_result" in state:
            state.cr = state.compile_result()
        return state.cr


class Compiler(CompilerBase):
    """The usual compilation."""

    def define_pipelines(self):
        """The usual passes."""
        manager = DefaultPassBuilder.define_nopython_pipeline(self.state)
        manager.finalize()
        return [manager]


def _standalone(pipeline, func):
    """Compiles a function for nobody but who asks."""
    from .. import numba_pipeline

    state = pipeline.state
    dispatcher = _dispatcher(func, state.flags, state.locals, type(pipeline))
    numba_pipeline.compile_by(pipeline, dispatcher, _signature(state.args, state.return_type))
    return state.cr


def _dispatcher(func, flags, locals, pipeline_class):
    from ..decorators import jit

    options = {"nopython": True}
    if flags.force_pyobject:
        options = {"forceobj": True, "looplift": bool(flags.enable_looplift)}
    if flags.release_gil:
        options["nogil"] = True
    if flags.auto_parallel.enabled:
        options["parallel"] = {name: getattr(flags.auto_parallel, name) for name in PARALLEL_PARTS}
    for name in ("no_rewrites", "error_model", "boundscheck", "fastmath"):
        if getattr(flags, name):
            options[name] = getattr(flags, name)
    return jit(func, locals=copy.copy(locals) or None, pipeline_class=pipeline_class, **options)


def _signature(args, return_type):
    from ..types import Signature

    return tuple(args) if return_type is None else Signature(return_type, tuple(args), None)


def compile_extra(typingctx, targetctx, func, args, return_type, flags, locals, library=None, pipeline_class=None):
    """Compiles a Python function for argument types; what `dispatcher.overloads` holds for it."""
    dispatcher = _dispatcher(getattr(func, "py_func", func), flags, locals, pipeline_class)
    dispatcher._unit_compile(_signature(args, return_type))
    return next(iter(dispatcher.overloads.values()))


def compile_ir(typingctx, targetctx, func_ir, args, return_type, flags, locals, lifted=(), lifted_from=None,
               is_lifted_loop=False, library=None, pipeline_class=Compiler):
    """Compiles a function in Numba's shape for argument types."""
    pipeline = pipeline_class(typingctx, targetctx, library, args, return_type, flags, locals)
    return pipeline.compile_ir(func_ir, lifted, lifted_from)
