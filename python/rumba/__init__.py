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
from .decorators import jit, jit_module, njit

__version__ = "0.1.0"

__all__ = ["cfunc", "errors", "jit", "jit_module", "njit", "prange", "__version__"]

# Public names that are loaded on first use, and the module each comes from.
_LAZY = {
    "Dispatcher": "_rumba",
    "cfunc": "callbacks",
    "config": None,
    "errors": None,
    "install": "import_hook",
    "prange": "intrinsics",
    "objmode": "object_mode",
    "python": "object_mode",
    "stencil": "stencils",
    "typed_call": "object_mode",
    "typeof": "types",
    "types": None,
}
_ERRORS = ("Error", "Warning", "ForbiddenConstruct", "RequireLiteralValue", "ForceLiteralArg")


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
    return sorted({*globals(), *_LAZY})
