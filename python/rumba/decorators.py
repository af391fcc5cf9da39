"""The decorators `jit` and `njit`.

They decide what they were applied to and keep the options; what an option means, and which ones
exist, is the compiler's knowledge. Imports nothing at import time: `import rumba` must be free.
"""

# Options of `jit` and `njit`, as written by users.
_OPTIONS = frozenset({
    "boundscheck", "cache", "debug", "error_model", "fastmath", "forceinline", "forceobj", "inline",
    "locals", "looplift", "no_cfunc_wrapper", "no_cpython_wrapper", "no_rewrites", "nogil",
    "nopython", "parallel", "pipeline_class", "writable_args", "_dbg_extend_lifetimes",
    "_dbg_optnone", "_nrt", "_opt_level", "target_backend", "noalias",
})


def jit(signature_or_function=None, **options):
    """Compiles a function on its first call with arguments of new types.

    Used plain (`@jit`), with options (`@jit(nogil=True)`), or with one signature or a list of
    signatures (`@jit("int64(int64)")`), which are compiled at once and are then the only ones.
    Returns a dispatcher, which is called like the function; `py_func` is the function itself.
    """
    _check_options(options)
    if signature_or_function is None:
        return _Decorator([], options)
    if _is_signature(signature_or_function):
        return _Decorator([signature_or_function], options)
    if isinstance(signature_or_function, list):
        return _Decorator(signature_or_function, options)
    return _decorate(signature_or_function, [], options)


def njit(signature_or_function=None, **options):
    """Like `jit`, in nopython mode, which is the only one `jit` has by default too."""
    for name in ("nopython", "forceobj"):
        if name in options:
            import warnings

            warnings.warn(f"njit ignores the option {name}", RuntimeWarning, stacklevel=2)
            del options[name]
    options["nopython"] = True
    return jit(signature_or_function, **options)


class _Decorator:
    """What `jit(...)` with signatures or options returns."""

    __slots__ = ("_signatures", "_options")

    def __init__(self, signatures, options):
        self._signatures = signatures
        self._options = options

    def __call__(self, function):
        return _decorate(function, self._signatures, dict(self._options))


def _is_signature(value):
    """Whether the decorator's argument is a signature and not the function."""
    if isinstance(value, (str, tuple)):
        return True
    return hasattr(value, "return_type") and hasattr(value, "args")


def _check_options(options):
    if not _OPTIONS.issuperset(options):
        unknown = sorted(set(options) - _OPTIONS)
        raise KeyError(f"unknown options {unknown}; there are {sorted(_OPTIONS)}")


def _jit_is_disabled():
    import os

    for name in ("RUMBA_DISABLE_JIT", "NUMBA_DISABLE_JIT"):
        value = os.environ.get(name)
        if value is not None:
            return value.strip() not in ("", "0")
    return False


def _decorate(function, signatures, options):
    from . import _rumba

    if isinstance(function, _rumba.Dispatcher):
        raise TypeError(f"{function} is compiled already; its Python function is its py_func")
    if isinstance(function, type):
        raise TypeError(
            f"jit decorates functions, not classes: {function.__qualname__}. For a class, see jitclass.")
    if not hasattr(function, "__code__"):
        raise TypeError(f"jit decorates functions, not values of type {type(function).__qualname__}")
    if _jit_is_disabled():
        return function
    dispatcher = _rumba.session.dispatcher(function, options)
    for signature in signatures:
        dispatcher.compile(signature)
    if signatures:
        dispatcher.disable_compile(True)
    return dispatcher
