"""Functions without a custom pipeline, for settings and tools that refer to Numba's passes: which are printed, and
how long each took.

Absent: the passes that really run for such functions (`driver::pipeline`).
"""
from ..tools.pass_timings import PARTS_OF_LLVM
from .machinery import pass_timings

# The compiler's own passes that do the work of Numba's, which begin with these. All others stand before inference or behind it.
_WORK = {
    "translate_bytecode": ("decode", "ssa"), "ir_processing": None, "generic_rewrites": ("rewrite",),
    "literal_unroll": None, "nopython_type_inference": ("infer",), "nopython_rewrites": ("fuse_elementwise",),
    "native_lowering": None, "nopython_backend": ("llvm", "link")}
# What runs within `infer` and within `llvm`, whose times have it.
_PARTS = frozenset((
    *"literal_unroll unbound_methods getattr_calls super_calls static_dicts constant_literals tuples_from_lists sink_lists".split(),
    *"array_comprehensions desugar promote_edges".split(), *PARTS_OF_LLVM))


def names():
    """The names of Numba's passes, in order."""
    return [pass_cls.name() for pass_cls, _ in _manager().passes]


def _manager():
    from types import SimpleNamespace

    from .builder import DefaultPassBuilder

    return DefaultPassBuilder.define_nopython_pipeline(SimpleNamespace(func_ir=None, flags=SimpleNamespace()))


def times(pass_times):
    """How long Numba's passes took, by the times of the compiler's own: `{"nopython": {"0_translate_bytecode": ...}}`."""
    work = dict.fromkeys(_WORK, 0.0)
    known = {ours: numbas for numbas, all_ours in _WORK.items() for ours in all_ours or ()}
    is_typed = False
    for ours, seconds in whole(pass_times).items():
        work[known.get(ours, "native_lowering" if is_typed else "ir_processing")] += seconds
        is_typed |= ours == "infer"
    return {"nopython": {f"{at}_{name}": pass_timings(0.0, work.get(name, 0.0), 0.0) for at, name in enumerate(names())}}


def whole(pass_times):
    """The times of passes without those of their parts, so that the sum is that of the compilation."""
    return {name: seconds for name, seconds in pass_times.items() if name not in _PARTS}


def timers(pass_times):
    """Numba's sums: the seconds of a whole compilation, and those of LLVM within it."""
    in_llvm = sum(pass_times.get(name, 0.0) for name in _WORK["nopython_backend"])
    return {"compiler_lock": sum(whole(pass_times).values()), "llvm_lock": in_llvm}


def pipeline_for(settings):
    """The class of pipelines that shows what settings ask for, or None: pairs of a name and a value."""
    asked = {word for name, value in settings for word in value.split(",") if name.startswith("DEBUG_PRINT")}
    shows = any(name in ("ANNOTATE", "HTML", "DEBUG_INLINE_CLOSURE", "_DEBUG") for name, _ in settings)
    if not shows and not asked & {*names(), "all"}:
        return None
    from .compiler import Compiler

    return Compiler
