"""The settings: one attribute for each, read from `RUMBA_<NAME>` or `NUMBA_<NAME>`.

A program may assign to an attribute. What a setting means is said where it is used; a setting that
nothing uses yet is still kept, so that programs which set it run. Settings may stand in a file of the folder where a program is
started, too (`.numba_config.yaml`, where PyYAML is installed); the environment comes first.
"""
import os
import sys

from . import _rumba

_FLAGS = (
    "ALWAYS_WARN_UNINIT_VAR ANNOTATE DEBUG DEBUGINFO_DEFAULT DEBUG_ARRAY_OPT "
    "DEBUG_ARRAY_OPT_RUNTIME DEBUG_ARRAY_OPT_STATS DEBUG_CACHE DEBUG_FRONTEND DEBUG_INLINE_CLOSURE DEBUG_JIT "
    "DEBUG_NRT DEBUG_NRT_STACK_LIMIT DEBUG_TYPEINFER DEVELOPER_MODE DIFF_IR DISABLE_CUDA "
    "DISABLE_ERROR_MESSAGE_HIGHLIGHTING DISABLE_JIT DISABLE_PERFORMANCE_WARNINGS DISABLE_TYPEINFER_FAIL_CACHE "
    "DUMP_ASSEMBLY DUMP_BYTECODE DUMP_CFG DUMP_FUNC_OPT DUMP_IR DUMP_LLVM DUMP_OPTIMIZED "
    "DUMP_SSA ENABLE_CUDASIM ENABLE_PROFILING ENABLE_SYS_MONITORING EXTEND_VARIABLE_LIFETIMES FULL_TRACEBACKS "
    "HIGHLIGHT_DUMPS JIT_COVERAGE LLVM_PASS_TIMINGS NRT_STATS PARALLEL_DIAGNOSTICS SHOW_HELP SLP_VECTORIZE TRACE "
    "CUDA_DEBUGINFO_DEFAULT CUDA_ENABLE_MINOR_VERSION_COMPATIBILITY CUDA_LOG_API_ARGS "
    "CUDA_PER_THREAD_DEFAULT_STREAM CUDA_USE_NVIDIA_BINDING"
).split()


def _pair(text):
    major, _, minor = text.partition(".")
    return int(major), int(minor or 0)


def _words(text):
    return text.split()


def _truth(text):
    return text.strip() not in ("", "0")


def _log_kinds(text):
    kinds = text.replace(",", " ").split()
    if not {"compile"}.issuperset(kinds):
        raise ValueError(text)
    return kinds


# Name -> (what it is when unset, how its text is read).
_SETTINGS = {
    **{name: (0, int) for name in _FLAGS},
    "BOUNDSCHECK": (None, int),
    "CACHE_DIR": ("", str),
    "CACHE_LOCATOR_CLASSES": ("", str),
    "CHROME_TRACE": ("", str),
    "COLOR_SCHEME": ("no_color", str),
    "CPU_FEATURES": (None, str),
    "CPU_NAME": (None, str),
    "CUDA_ARRAY_INTERFACE_SYNC": (1, int),
    "CUDA_DEALLOCS_COUNT": (10, int),
    "CUDA_DEALLOCS_RATIO": (0.2, float),
    "CUDA_DEFAULT_PTX_CC": ((5, 0), _pair),
    "CUDA_DRIVER": ("", str),
    "CUDA_INCLUDE_PATH": ("/usr/local/cuda/include", str),
    "CUDA_LOG_LEVEL": ("", str),
    "CUDA_LOG_SIZE": (1024, int),
    "CUDA_LOW_OCCUPANCY_WARNINGS": (1, int),
    "CUDA_MEMORY_MANAGER": ("default", str),
    "CUDA_VERBOSE_JIT_LOG": (1, int),
    "CUDA_WARN_ON_IMPLICIT_COPY": (1, int),
    "DEBUG_PRINT_AFTER": ("none", str),
    "DEBUG_PRINT_BEFORE": ("none", str),
    "DEBUG_PRINT_WRAP": ("none", str),
    "DISABLE_INTEL_SVML": (False, _truth),
    "ENABLE_AVX": (True, _truth),
    # Whether np.array of a comprehension makes its array without a list (crates/sema/infer/src/desugar/array_comprehensions.rs).
    "FILL_ARRAYS": (1, int),
    "FORCE_CUDA_CC": (None, _pair),
    "FUNCTION_CACHE_SIZE": (128, int),
    "GDB_BINARY": ("gdb", str),
    "HTML": (None, str),
    "DYLD_WORKAROUND": (0, int),
    "LAPACK_BUILD_ILP64": (0, int),
    "LOG": ([], _log_kinds),
    "LLVM_REFPRUNE_FLAGS": ("all", str),
    "LLVM_REFPRUNE_PASS": (1, int),
    "LOOP_VECTORIZE": (1, int),
    "OPT": (3, int),
    "PARFOR_MAX_TUPLE_SIZE": (100, int),
    "THREADING_LAYER": ("default", str),
    "THREADING_LAYER_PRIORITY": (["tbb", "omp", "workqueue"], _words),
    "USE_LLVMLITE_MEMORY_MANAGER": (None, int),
}

# Settings whose variable has another name.
_VARIABLES = {
    "ANNOTATE": "DUMP_ANNOTATION",
    "CUDA_DEALLOCS_COUNT": "CUDA_MAX_PENDING_DEALLOCS_COUNT",
    "CUDA_DEALLOCS_RATIO": "CUDA_MAX_PENDING_DEALLOCS_RATIO",
    "CUDA_DEBUGINFO_DEFAULT": "CUDA_DEBUGINFO",
    "DEBUGINFO_DEFAULT": "DEBUGINFO",
    "HTML": "DUMP_HTML",
}

# What the machine says and no setting changes.
PYVERSION = sys.version_info[:2]
MACHINE_BITS = 64
IS_WIN32 = sys.platform == "win32"
IS_OSX = sys.platform == "darwin"
IS_32BITS = False
RUNNING_UNDER_PROFILER = "profile" in sys.modules or "cProfile" in sys.modules
USING_SVML = False


# The file of settings, below the folder of the process.
_config_fname = ".numba_config.yaml"
# Processors of the x86 family without AVX, for which programs may ask by CPU_NAME.
_WITHOUT_AVX = frozenset((
    "generic x86-64 x86-64-v2 nocona prescott core2 penryn nehalem corei7 westmere atom bonnell silvermont slm goldmont tremont k8 "
    "k8-sse3 opteron athlon64 amdfam10 barcelona btver1").split())


def reload_config():
    """Reads every setting from the environment and the file of settings again."""
    values = globals()
    of_file = _settings_of_file()
    for name, (default, read) in _SETTINGS.items():
        variable = _VARIABLES.get(name, name)
        text = os.environ.get(f"RUMBA_{variable}", os.environ.get(f"NUMBA_{variable}", of_file.get(variable)))
        if name == "ENABLE_AVX":
            default = values["CPU_NAME"] not in _WITHOUT_AVX
        values[name] = default
        if text is not None and (text.strip() or read is str):
            values[name] = _read(name, text, read, default)
    # What is assigned to CACHE_DIR wins over the environment (crates/python/src/host/library_host.rs).
    values["_environment_cache_dir"] = os.environ.get("RUMBA_CACHE_DIR", os.environ.get("NUMBA_CACHE_DIR", ""))
    values["NUMBA_DEFAULT_NUM_THREADS"] = default = _rumba.available_threads()
    text = os.environ.get("RUMBA_NUM_THREADS", os.environ.get("NUMBA_NUM_THREADS"))
    threads = default if text is None else _read("NUM_THREADS", text, int, default)
    if not _rumba.configure_threads(threads):
        raise RuntimeError("Cannot set NUMBA_NUM_THREADS to a different value once the threads have been launched "
                           f"(currently have {_rumba.thread_count()}, trying to set {threads})")
    values["NUMBA_NUM_THREADS"] = threads


def _settings_of_file():
    """Variable -> text."""
    if not os.path.exists(_config_fname):
        return {}
    try:
        import yaml
    except ImportError:
        return {}
    with open(_config_fname, encoding="utf-8") as file:
        return {str(name).upper(): str(value) for name, value in (yaml.safe_load(file) or {}).items()}


def _read(name, text, read, default):
    try:
        return read(text)
    except ValueError:
        import warnings

        from .errors import NumbaInvalidConfigWarning

        warnings.warn(
            f"the environment sets {name} to {text!r}, which it cannot be; it stays {default!r}",
            NumbaInvalidConfigWarning, stacklevel=3)
        return default


reload_config()
