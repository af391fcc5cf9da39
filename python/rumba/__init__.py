"""Rumba: a just-in-time compiler for Python functions over numbers and NumPy arrays.

    from rumba import njit

    @njit
    def total(n):
        s = 0
        for i in range(n):
            s += i
        return s

Importing the package costs next to nothing: the compiler is loaded when the first function is
decorated, and the rest of the API when it is first named.
"""
from os import environ as _environ

from . import wiring  # noqa: F401
from .decorators import jit, jit_module, njit

__version__ = "0.1.0"

# Public names that are loaded on first use, and the module each comes from (None: the module of that name).
_LAZY = {
    **dict.fromkeys(("config", "errors", "events", "extending", "normalized", "stages", "types", "typed", "structref", "atomic"), None),
    "Dispatcher": "_rumba",
    "cfunc": "c_interop.callbacks",
    "install": "import_hook",
    **dict.fromkeys(("carray", "farray"), "c_interop.pointer_arrays"),
    **dict.fromkeys(("literal_unroll", "literally", "prange"), "intrinsics"),
    **dict.fromkeys(("objmode", "python", "typed_call"), "object_mode"),
    "step": "stages.stepping",
    "stencil": "stencils",
    **dict.fromkeys(("vectorize", "guvectorize"), "ufuncs"),
    "experimental": "numba",
    "jitclass": "classes.jitclass",
    **dict.fromkeys(("deferred_type", "from_dtype", "optional", "typeof"), "types"),
    **dict.fromkeys(
        ("get_num_threads", "get_parallel_chunksize", "get_thread_id", "parallel_chunksize", "set_num_threads",
         "set_parallel_chunksize", "threading_layer"), "parallel.thread_pool"),
    **dict.fromkeys(("gdb", "gdb_breakpoint", "gdb_init"), "tools.debugger"),
    # The types of numbers, by NumPy's names and by C's.
    **dict.fromkeys(
        ("b1", "bool_", "boolean", "byte", "c8", "c16", "char", "complex64", "complex128", "double", "f4", "f8",
         "ffi", "ffi_forced_object", "float32", "float64", "i1", "i2", "i4", "i8", "int8", "int16", "int32", "int64",
         "int_", "intc", "intp", "long_", "longlong", "none", "short", "size_t", "ssize_t", "u1", "u2", "u4", "u8",
         "uchar", "uint", "uint8", "uint16", "uint32", "uint64", "uintc", "uintp", "ulong", "ulonglong", "ushort",
         "void"), "types.names"),
}
_ERRORS = ("Error", "Warning", "ForbiddenConstruct", "RequireLiteralValue", "ForceLiteralArg")

__all__ = ["__version__", "jit", "jit_module", "njit", *_LAZY]


def __getattr__(name):
    # Asked for `_rumba` and other submodules by the import system, which needs a quick no.
    if name in _LAZY:
        home = _LAZY[name]
    elif name.endswith(_ERRORS):
        home = "errors"
    else:
        raise AttributeError(f"module 'rumba' has no attribute {name!r}")
    module = __import__(f"rumba.{home or name}", fromlist=("__name__",))
    try:
        value = getattr(module, name) if home else module
    except AttributeError:
        raise AttributeError(f"module 'rumba' has no attribute {name!r}") from None
    globals()[name] = value
    return value


def __dir__():
    from .errors import __all__ as errors

    return sorted({*__all__, *errors, *(name for name in globals() if name.startswith("__"))})


if not {"RUMBA_LOG", "RUMBA_CHROME_TRACE", "NUMBA_CHROME_TRACE"}.isdisjoint(_environ):
    __import__("rumba.events", fromlist=("__name__",)).follow_environment()
