"""The command `rumba env`: the environment variables with their meanings and values."""
import os

# Name, what it is when unset, what it does. `RUMBA_` stands before each; those with True may have `NUMBA_` there.
VARIABLES = (
    ("AS_NUMBA", False, "0", "`1`: `import numba` finds Rumba, in this process and those that it starts"),
    ("BOUNDSCHECK", True, "", "`1` or `0`: checks indices of arrays, or does not, whatever the option `boundscheck` says"),
    ("CACHE_DIR", True, "~/.cache/rumba", "the folder of machine code that is kept for later processes"),
    ("CACHE_SIZE", False, "512M", "how many bytes the cache may take; the least recently used functions are evicted"),
    ("CACHE_LOCATOR_CLASSES", True, "", "names of Numba's cache locators; names that do not exist are an error"),
    ("CPU", False, "host", "the level of x86-64 that cached code is made for: `x86-64-v2`, `-v3`, `-v4` or `host`"),
    ("CHROME_TRACE", True, "", "a file for the compilations of the process and their passes, which chrome://tracing and Perfetto show"),
    ("DEBUG_ARRAY_OPT", True, "0", "`1`: prints the typed SSA form of functions with `parallel=True`, in which loops are fused and cut out"),
    ("DEBUG_ARRAY_OPT_STATS", True, "0", "`1`: prints where each of their parallel loops is from, and how many operations fused"),
    ("DEBUG_CACHE", True, "0", "`1`: prints what the cache loads and saves"),
    ("DEBUG_PRINT_AFTER", True, "none", "prints the code after these passes (names with commas between them, or `all`)"),
    ("DEBUG_PRINT_BEFORE", True, "none", "the same before the passes"),
    ("DISABLE_ERROR_MESSAGE_HIGHLIGHTING", True, "0", "`1`: error messages have no colors; so does `NO_COLOR=1`"),
    ("DISABLE_JIT", True, "0", "`1`: the decorators give the plain Python functions"),
    ("DISABLE_PERFORMANCE_WARNINGS", True, "0", "`1`: no NumbaPerformanceWarning"),
    ("DUMP_BYTECODE", True, "0", "`1`: prints the bytecode of what is compiled"),
    ("DUMP_CFG", True, "0", "`1`: prints its control flow graph"),
    ("DUMP_IR", True, "0", "`1`: prints it in Numba's form"),
    ("DUMP_SSA", True, "0", "`1`: prints the untyped SSA form"),
    ("DUMP_TYPEGRAPH", False, "0", "`1`: prints which types follow from which"),
    ("DUMP_TYPED", False, "0", "`1`: prints the typed SSA form"),
    ("DUMP_EXPLICIT", False, "0", "`1`: prints the explicit form, which LLVM IR is made from"),
    ("DUMP_LLVM", True, "0", "`1`: prints LLVM IR before LLVM's passes"),
    ("DUMP_OPTIMIZED", True, "0", "`1`: prints LLVM IR after them"),
    ("DUMP_ASSEMBLY", True, "0", "`1`: prints the machine code"),
    ("FALLBACK", False, "0", "`1`: functions that do not compile run in object mode, as with `fallback=True`"),
    ("FUNCTION_CACHE_SIZE", True, "128", "how many functions from pickles are kept, so that the same one is compiled once"),
    ("LOG", False, "", "`compile`: writes a line to the standard error for each compilation: the function, the types, the time"),
    ("NUM_THREADS", True, "processors", "how many threads parallel loops run on at most"),
    ("OPT", True, "3", "`0`, `1` or `2`: compiles everything at this level of optimization"),
    ("PARALLEL_DIAGNOSTICS", True, "0", "`1` to `4`: prints what became of parallel loops"),
    ("REMARKS", False, "0", "`1`: LLVM tells `f.explain()` which loops it vectorized, and why others not; compilations take longer"),
    ("THREADING_LAYER", True, "default", "accepted: there is one layer, which is safe for threads and forks"),
    ("THREADING_LAYER_PRIORITY", True, "tbb omp workqueue", "accepted, likewise"),
    ("VERIFY", False, "0", "`1`: checks the code after every pass; for those who change the compiler"),
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
