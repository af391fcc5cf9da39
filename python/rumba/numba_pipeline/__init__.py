"""Compilations with a custom pipeline: `@njit(pipeline_class=MyCompiler)`.

| file | what |
|---|---|
| `compiler` | compilation without a dispatcher, pipelines as classes: the interface for tools |
| `machinery` | passes, their registry, managers that run them in order |
| `debug_print` | what is printed around passes, and how long they take |
| `builder` | the usual passes in order |
| `untyped`, `typed` | Numba's passes before and from inference on |
| `state` | what passes know of a compilation |
| `bridge` | functions between the compiler and passes |
| `inline`, `inline_overloads` | calls that become what they call, or what implements them |
| `prune` | ways that are never taken |
| `ssa` | variables that are assigned once |

A compilation begins in the extension, which calls `compile` here. The pipeline makes the function in Numba's shape, runs
its passes over it (types are asked for by `bridge.infer`), and `NativeLowering` calls back for machine code of what they
made of it. A compiled function with a pipeline that others call is `opened` for each combination of types.

None of this is imported where nobody asks for a pipeline.
"""
import contextvars

from ..errors import CompilerError
from ..rewriting.run import TargetOps

# What is being compiled by a pipeline: pairs of a compiled function and types of arguments.
_active = contextvars.ContextVar("active", default=())
# The pipeline that a compilation shall run, where somebody has made it already.
_ready = contextvars.ContextVar("ready", default=None)


def compile(dispatcher, function, args, result, code):
    """Compiles a function for types of arguments by its pipeline. `code(statements, values, result)` makes machine code
    of what the passes made of it, and gives the unit."""
    pipeline = _ready.get()
    units = []

    def lower(statements, values):
        units.append(code(statements, values, result))

    def compile_result():
        from ..dispatch.dispatcher import result_of

        return result_of(dispatcher, units[-1]) if units else None

    run = pipeline.run_passes if pipeline is not None else None
    if pipeline is None:
        pipeline = _new(dispatcher, args, result)
        run = pipeline.compile_extra
    pipeline.state.update(lower=lower, compile_result=compile_result, dispatcher=dispatcher)
    tokens = _active.set((*_active.get(), (dispatcher, args))), _ready.set(None)
    try:
        run(function)
    finally:
        _active.reset(tokens[0])
        _ready.reset(tokens[1])
        del pipeline.state["lower"], pipeline.state["compile_result"]
    if units:
        known = dispatcher.__dict__.setdefault("_pipeline_metadata", {})
        known[units[-1].signature.args] = pipeline.state.metadata


def compile_by(pipeline, dispatcher, signature):
    """Compiles a function by a pipeline that is there already."""
    token = _ready.set(pipeline)
    try:
        return dispatcher._unit_compile(signature)
    finally:
        _ready.reset(token)


def opened(dispatcher, args, values):
    """What the pipeline of a function that others call makes of it for types of arguments; None where it is at work on
    them already. `values` gets what the function refers to."""
    if any(known is dispatcher and types == args for known, types in _active.get()):
        return None
    made = []
    pipeline = _new(dispatcher, args, None)
    pipeline.state.update(
        lower=lambda statements, _: made.append(statements), values=values, dispatcher=dispatcher)
    tokens = _active.set((*_active.get(), (dispatcher, args))), _ready.set(None)
    try:
        pipeline.compile_extra(dispatcher.py_func)
    finally:
        _active.reset(tokens[0])
        _ready.reset(tokens[1])
    if not made:
        raise CompilerError(
            f"the pipeline of {dispatcher.py_func.__qualname__} made no machine code: its passes end with NativeLowering")
    return made[-1]


def _new(dispatcher, args, result):
    """A pipeline for a compilation."""
    from .compiler import flags_of
    from ..compat.targets import cpu_target

    options = dispatcher.targetoptions
    return options["pipeline_class"](
        cpu_target.typing_context, TargetOps(), None, args, result, flags_of(options), dict(options.get("locals", {})))
