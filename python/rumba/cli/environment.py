"""The command `rumba env`: the environment variables with their meanings and values."""
import os

# Name, whether the prefix `NUMBA_` works as well as `RUMBA_`, default, meaning.
VARIABLES = (
    ("AS_NUMBA", False, "0", "`1`: `import numba` finds Rumba, in this process and its child processes"),
    ("BOUNDSCHECK", True, "", "`1` or `0`: enables or disables bounds checks, overriding the option `boundscheck`"),
    ("CACHE_DIR", True, "~/.cache/rumba", "the folder of the cache"),
    ("CACHE_SIZE", False, "512M", "the size limit of the cache; the least recently used functions are evicted"),
    ("CACHE_LOCATOR_CLASSES", True, "", "names of Numba's cache locators; unknown names are an error"),
    ("CPU", False, "host", "the x86-64 level that cached code is compiled for: `x86-64-v2`, `-v3`, `-v4` or `host`"),
    ("CHROME_TRACE", True, "", "a file for a timeline of compilations and their passes, which chrome://tracing and Perfetto can display"),
    ("DEBUG_ARRAY_OPT", True, "0", "`1`: prints the typed SSA form of functions with `parallel=True`, after fusion and outlining of loops"),
    ("DEBUG_ARRAY_OPT_STATS", True, "0", "`1`: prints the origin of each parallel loop, and the number of fused operations"),
    ("DEBUG_CACHE", True, "0", "`1`: prints what the cache loads and saves"),
    ("DEBUGINFO", True, "0", "`1`: functions are compiled for gdb, as with `debug=True` ([debugging](debugging.md))"),
    ("DEBUG_INLINE_CLOSURE", True, "0", "`1`: prints the code before and after the passes that inline"),
    ("DEBUG_PRINT_AFTER", True, "none", "prints the code after these passes (comma-separated names, or `all`)"),
    ("DEBUG_PRINT_BEFORE", True, "none", "the same before the passes"),
    ("DISABLE_ERROR_MESSAGE_HIGHLIGHTING", True, "0", "`1`: no colors in error messages, like `NO_COLOR=1`"),
    ("DISABLE_JIT", True, "0", "`1`: the decorators return the plain Python functions"),
    ("DISABLE_PERFORMANCE_WARNINGS", True, "0", "`1`: no NumbaPerformanceWarning"),
    ("DUMP_BYTECODE", True, "0", "`1`: prints the bytecode of compiled functions"),
    ("DUMP_CFG", True, "0", "`1`: prints their control flow graphs"),
    ("DUMP_IR", True, "0", "`1`: prints Numba's IR"),
    ("DUMP_SSA", True, "0", "`1`: prints the untyped SSA form"),
    ("DUMP_TYPEGRAPH", False, "0", "`1`: prints the type dependence graph"),
    ("DUMP_TYPED", False, "0", "`1`: prints the typed SSA form"),
    ("DUMP_EXPLICIT", False, "0", "`1`: prints the explicit form, from which LLVM IR is generated"),
    ("DUMP_LLVM", True, "0", "`1`: prints LLVM IR before LLVM's passes"),
    ("DUMP_OPTIMIZED", True, "0", "`1`: prints LLVM IR after them"),
    ("DUMP_ASSEMBLY", True, "0", "`1`: prints the assembly"),
    ("ENABLE_PROFILING", True, "0", "`1`: like `RUMBA_PERF=map,jitdump`"),
    ("ENABLE_SYS_MONITORING", True, "0", "`1`: profilers see calls of compiled functions ([profiling](profiling.md))"),
    ("FALLBACK", False, "0", "`1`: functions that do not compile run in object mode, as with `fallback=True`"),
    ("FUNCTION_CACHE_SIZE", True, "128", "the number of unpickled functions that are kept, so that each is compiled once"),
    ("GDB_BINARY", True, "gdb", "the debugger that `gdb()` attaches"),
    ("JIT_COVERAGE", True, "0", "`1`: coverage.py is told of compiled lines"),
    ("LOG", False, "", "`compile`: writes a line to standard error for each compilation: function, types, time"),
    ("NOTES", False, "0", "`1`: prints performance notes when a function compiles: variables of [several types](what-compiles.md#values-of-several-types)"),
    ("NRT_STATS", True, "1", "`0`: allocations are not counted until `memsys_enable_stats()` is called"),
    ("NUM_THREADS", True, "processors", "the maximum number of threads for parallel loops"),
    ("OPT", True, "3", "`0`, `1` or `2`: a lower optimization level for everything"),
    ("PARALLEL_DIAGNOSTICS", True, "0", "`1` to `4`: prints reports on parallel loops"),
    ("PERF", False, "", "`map`, `jitdump`, `samples`, or several with commas: what profilers are told of compiled code ([profiling](profiling.md))"),
    ("REMARKS", False, "0", "`1`: collects LLVM's remarks on vectorized loops for `f.explain()`; compilation is slower"),
    ("THREADING_LAYER", True, "default", "accepted: there is one layer, which is safe for threads and forks"),
    ("THREADING_LAYER_PRIORITY", True, "tbb omp workqueue", "accepted, likewise"),
    ("VERIFY", False, "0", "`1`: runs the verifier after every pass; for compiler development"),
)


def is_ours(name):
    """Whether an environment variable is one of Rumba's or Numba's."""
    return name.startswith(("RUMBA_", "NUMBA_"))


def show(markdown=False):
    """Prints the variables; the exit status."""
    if markdown:
        print("\n".join(table()))
        return 0
    for name, shared, unset, what in VARIABLES:
        prefixes = ("RUMBA_", "NUMBA_") if shared else ("RUMBA_",)
        value = next((f"{prefix}{name}={os.environ[prefix + name]}" for prefix in prefixes if prefix + name in os.environ), None)
        print(f"RUMBA_{name}" + (f" or NUMBA_{name}" if shared else ""))
        print(f"    {what.replace('`', '')}")
        print(f"    {value}" if value else f"    not set, default {unset or 'empty'}")
    return 0


def table():
    """The lines of the table of the documentation."""
    rows = [(f"`RUMBA_{name}`" + (f", `NUMBA_{name}`" if shared else ""), f"`{unset}`" if unset else "", what)
            for name, shared, unset, what in VARIABLES]
    return ["| variable | default | what it does |", "|---|---|---|", *(f"| {' | '.join(row)} |" for row in rows)]
