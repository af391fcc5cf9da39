"""The decorators `jit`, `njit` and `jit_module`.

They decide what they were applied to and keep the options; what an option means is the compiler's
knowledge. Imports nothing that takes time: `import rumba` must be free.
"""
from . import upcalls

# Options of `jit` and `njit`, as written by users.
_OPTIONS = frozenset({
    "auto", "boundscheck", "cache", "debug", "error_model", "fallback", "fastmath", "forceinline", "forceobj",
    "inline", "interrupts", "locals", "looplift", "no_cfunc_wrapper", "no_cpython_wrapper", "no_rewrites", "nogil",
    "nopython", "normalized", "parallel", "pipeline_class", "promotion", "stages", "_dbg_extend_lifetimes",
    "_dbg_optnone", "_nrt", "_opt_level", "_target", "target", "target_backend", "noalias",
})


def jit(signature_or_function=None, locals=None, cache=False, pipeline_class=None, boundscheck=None, **options):
    """Compiles a function on its first call with arguments of new types.

    Used plain (`@jit`), with options (`@jit(nogil=True)`), or with signatures (`@jit("int64(int64)")`).

    Parameters
    ----------
    signature_or_function : function, str, Signature, tuple of types or list of these, optional
        The function to compile; or signatures, which are compiled at once and are then the only ones.
    locals : dict of str to Type, optional
        Types of local variables.
    cache : bool, default False
        Keep the machine code on disk for later processes.
    pipeline_class : class, optional
        A compiler with passes of its own (`numba.core.compiler.CompilerBase`).
    boundscheck : bool, default True
        Check indices of arrays; IndexError where one is out of bounds.
    parallel : bool or dict, default False
        Run loops over `prange` and array expressions on several threads.
    nogil : bool, default False
        Release the GIL while the function runs.
    fastmath : bool or set of str, default False
        Allow floats to be reordered, by LLVM's flags.
    error_model : {"python", "numpy"}, default "python"
        Whether a division of floats by zero raises ZeroDivisionError or gives infinity or NaN.
    promotion : {"numba", "numpy2"}, default "numba"
        Types of operations on numbers: Numba's, or NumPy 2's, where Python's numbers take the type of NumPy's.
    interrupts : bool, default True
        Let Ctrl-C and other signals interrupt loops.
    inline : {"never", "always"} or callable, default "never"
        Inline the function into its callers before types are inferred. With "always", the signatures of the decorator hold for calls from
        Python alone.
    auto : bool, default False
        Compile plain Python functions that are called, too.
    forceobj, looplift : bool, default False and True
        Run on Python objects, with loops compiled where they can be.
    normalized : list of callable, optional
        Passes over the function's syntax (`rumba.normalized`), which run when it is decorated.
    stages : dict of str to callable or list of callable, optional
        Passes over the text of the stages "untyped", "typed", "explicit" and "llvm" (`rumba.stages`).
    fallback : bool, default False
        Do with Python objects what does not compile, value by value, with a NumbaPerformanceWarning for each line that says why.
    **options
        Numba's other options, which are accepted; see the documentation.

    Returns
    -------
    Dispatcher or decorator
        A dispatcher is called like the function; `py_func` is the function itself.

    Raises
    ------
    OptionError
        There is no such option.
    SignatureError, TypingError
        A signature cannot be read, or the function does not compile for it.

    Examples
    --------
    >>> from rumba import jit
    >>> @jit
    ... def add(x, y):
    ...     return x + y
    >>> add(1, 2.5)
    3.5
    """
    for name, value in (("locals", locals), ("cache", cache), ("pipeline_class", pipeline_class)):
        if value:
            options[name] = value
    if options:
        check_options(options)
    if "fallback" not in options and falls_back():
        options["fallback"] = True
    if "debug" not in options and is_debugged():
        options["debug"] = True
    backend = options.pop("target_backend", None)
    if backend is not None:
        options["_target"] = backend
    options["nopython"] = not options.get("forceobj")
    options["boundscheck"] = boundscheck
    if signature_or_function is None:
        return _Decorator([], options)
    if _is_signature(signature_or_function):
        return _Decorator([signature_or_function], options)
    if isinstance(signature_or_function, list):
        return _Decorator(signature_or_function, options)
    return _decorate(signature_or_function, None, options)


def njit(*args, **options):
    """Like `jit`, always in nopython mode, which is also the default of `jit`."""
    for name in ("nopython", "forceobj"):
        if name in options:
            import warnings

            warnings.warn(f"{name} is set for njit and is ignored", RuntimeWarning, stacklevel=2)
            del options[name]
    options["nopython"] = True
    return jit(*args, **options)


def always_njit(function, **options):
    """`njit` for a function that only compiled code calls, regardless of DISABLE_JIT: ufuncs are compiled under it,
    too."""
    if not jit_is_disabled():
        return njit(function, **options)
    from . import _rumba

    return _rumba.session.dispatcher(function, {"nopython": True, "boundscheck": None, **options})


def jit_module(**options):
    """Decorates every function defined in the calling module before the call with `jit(**options)`.

    What is decorated already stays as it is; so do classes, and functions that were imported.
    """
    import logging
    import sys

    namespace = sys._getframe(1).f_globals
    # The name that programs set up for it.
    logger = logging.getLogger("numba.core.decorators")
    for name, value in list(namespace.items()):
        if type(value) is _FUNCTION and value.__globals__ is namespace:
            logger.debug("Auto decorating function %s from module %s with jit and options: %s",
                         name, namespace.get("__name__"), options)
            namespace[name] = jit(value, **options)


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
    return isinstance(value, (str, tuple)) or (hasattr(value, "return_type") and hasattr(value, "args"))


def check_options(options):
    """Raises an error for unknown or incompatible options of decorators."""
    if not _OPTIONS.issuperset(options):
        _refuse(options)
    if options.get("target", "cpu") != "cpu":
        raise _unknown_option(f"Unrecognized options: target={options['target']!r}: code is compiled for 'cpu' only",
                              "Leave the option out.")
    inline = options.get("inline", "never")
    if inline not in ("never", "always") and not callable(inline):
        raise ValueError(f"inline is 'never', 'always' or a function that decides, not {inline!r}")
    if options.get("forceobj") and options.get("nopython"):
        raise ValueError("Only one of 'nopython' or 'forceobj' can be True.")
    if options.get("forceobj") and options.get("nogil"):
        from .errors import NumbaWarning

        _warn("Code running in object mode won't allow parallel execution: nogil=True has no effect", NumbaWarning)
    if options.get("nopython", True) is False:
        from .errors import NumbaDeprecationWarning

        _warn("The keyword argument 'nopython=False' was supplied and has no effect: forceobj=True alone asks for object mode",
              NumbaDeprecationWarning)


def _refuse(options):
    for name in ("argtypes", "restype"):
        if name in options:
            from .errors import DeprecationError

            raise DeprecationError(
                f"the keyword argument {name} is gone: give the signature as the first argument")
    unknown = set(options) - _OPTIONS
    import difflib

    near = [known for name in unknown for known in difflib.get_close_matches(name, _OPTIONS, 1)]
    meant = f"Is {', '.join(map(repr, near))} meant?" if near else None
    known = sorted(name for name in _OPTIONS if not name.startswith("_"))
    raise _unknown_option(f"Unrecognized options: {unknown}. Known options are {', '.join(known)}", meant)


def _unknown_option(message, hint=None):
    """The exception, which shows the place of the decorator."""
    from . import _rumba

    frame = _callers_frame()[1]
    code, lines = frame.f_code, list(frame.f_code.co_positions())
    return _rumba.session.unknown_option(message, hint, code.co_filename, lines[frame.f_lasti // 2])


def _warn(message, category):
    import warnings

    # The warning is about the line of the user's program, however deep in here it arises.
    warnings.warn(message, category, stacklevel=_callers_frame()[0])


def _callers_frame():
    """How many frames away the first one outside of the decorators is, seen from where this is called, and that frame."""
    import sys

    level, frame, ours = 1, sys._getframe(1), (__name__, f"{__package__}.ufuncs")
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith(ours):
        level, frame = level + 1, frame.f_back
    return level, frame


def falls_back():
    """Whether functions that do not compile run in object mode, if the decorator does not specify it."""
    import os

    return os.environ.get("RUMBA_FALLBACK", "").strip() not in ("", "0")


def is_debugged():
    """Whether functions are compiled for a debugger (`debug=True`), if the decorator does not specify it."""
    return _is_set("DEBUGINFO_DEFAULT", "DEBUGINFO")


def jit_is_disabled():
    """Whether decorators return functions unchanged, and typed containers are Python's."""
    return _is_set("DISABLE_JIT", "DISABLE_JIT")


def _is_set(setting, variable):
    """A setting that decorators read, which must not import the settings for that."""
    import sys

    # Another thread may be importing the settings right now.
    chosen = getattr(sys.modules.get("rumba.config"), setting, None)
    if chosen is not None:
        return bool(chosen)
    import os

    for name in (f"RUMBA_{variable}", f"NUMBA_{variable}"):
        value = os.environ.get(name)
        if value is not None:
            return value.strip() not in ("", "0")
    return False


_PASSES = ("DEBUG_PRINT_AFTER", "DEBUG_PRINT_BEFORE", "DEBUG_PRINT_WRAP", "DEBUG_INLINE_CLOSURE", "ANNOTATE", "HTML")
_VARIABLES = (*(f"NUMBA_{name}" for name in _PASSES[:4]), "NUMBA_DUMP_ANNOTATION", "NUMBA_DUMP_HTML")


# What the environment says of them, once it was asked.
_of_environment = []


def _settings_for_passes():
    """What settings ask to be shown of Numba's passes: pairs of a name and a value."""
    import sys

    if not _of_environment:
        import os

        _of_environment.extend(os.environ.get(name) for name in _VARIABLES)
    # What somebody has assigned is there itself.
    assigned = getattr(sys.modules.get("rumba.config"), "__dict__", None) or {}
    found = []
    for name, given in zip(_PASSES, _of_environment):
        value = assigned.get(name, given)
        if value and value not in ("none", "0"):
            found.append((name, str(value)))
    machinery = sys.modules.get("rumba.numba_pipeline.machinery")
    if machinery is not None and machinery.shows_changes():
        found.append(("_DEBUG", "1"))
    return found


_FUNCTION = type(jit)


def _for_target(target, function, signatures, options):
    """A dispatcher of another target, whose class the target has registered."""
    from .compat.target_registry import resolve_dispatcher_from_str

    pipeline_class = options.pop("pipeline_class", None)
    dispatcher = resolve_dispatcher_from_str(target)(function, targetoptions=options, pipeline_class=pipeline_class)
    for signature in signatures or ():
        dispatcher.compile(signature)
    if signatures:
        dispatcher.disable_compile()
    return dispatcher


def _is_noted(dispatcher, error):
    """Whether somebody who wants to see all functions of a program that do not compile has taken the error."""
    import sys

    checker = sys.modules.get("rumba.checker.eager_faults")
    return checker is not None and checker.note(dispatcher, error)


_HINTS = {
    "type": "A class cannot be compiled as a whole: decorate its functions that take numbers.",
    "method": "Decorate the function itself (`__func__`), or the definition in the class.",
    "staticmethod": "Put the jit decorator below @staticmethod.",
    "classmethod": "A class cannot be an argument: use a function or a static method.",
    "property": "Decorate a function that the property calls.",
    "partial": "Decorate the function inside, or a function that calls it.",
    "builtin_function_or_method": "It is compiled code already; call it from a function of yours.",
}


def _hint(value):
    """What to do with something that is no function."""
    hint = _HINTS.get("type" if isinstance(value, type) else type(value).__name__)
    return f" {hint}" if hint else ""


def fix_globals(dispatcher):
    """Keeps the values that globals have now, for a function whose signatures are given: it is compiled once, so callers that
    are compiled later see the same values. Globals that are not set yet are read when they are needed."""
    space, names, codes = dispatcher.py_func.__globals__, set(), [dispatcher.py_func.__code__]
    for code in codes:
        names.update(code.co_names)
        codes.extend(const for const in code.co_consts if isinstance(const, type(code)))
    dispatcher._fixed_globals = {name: space[name] for name in names if name in space}


def _decorate(function, signatures, options):
    from . import _rumba

    if isinstance(function, _rumba.Dispatcher):
        raise TypeError(
            f"A jit decorator was called on an already jitted function {function}. The Python function "
            f"is {function}.py_func.")
    if type(function) is not _FUNCTION:
        raise TypeError(f"The decorated object is not a function (got type {type(function)}).{_hint(function)}")
    passes = options.get("normalized")
    if passes:
        options = {name: value for name, value in options.items() if name != "normalized"}
        function = upcalls.normalized(function, passes)
    if jit_is_disabled():
        return function
    if options.get("stages"):
        options = {**options, "stages": upcalls.passes_of_stages(options["stages"])}
    target = options.pop("_target", "cpu")
    if target != "cpu":
        return _for_target(target, function, signatures, options)
    if not options.get("forceobj") and "pipeline_class" not in options:
        shows = _settings_for_passes()
        if shows:
            pipeline = upcalls.pipeline_for(shows)
            if pipeline is not None:
                options["pipeline_class"] = pipeline
    dispatcher = _rumba.session.dispatcher(function, options)
    if _is_set("ENABLE_SYS_MONITORING", "ENABLE_SYS_MONITORING"):
        dispatcher._enable_sysmon = True
    if signatures:
        fix_globals(dispatcher)
    try:
        for signature in signatures or ():
            dispatcher._unit_compile(signature)
    except Exception as error:
        if hasattr(error, "diagnostic") and _is_noted(dispatcher, error):
            return dispatcher
        if not options.get("fallback") or not hasattr(error, "diagnostic"):
            raise
        # What was given does not compile: calls go as if there were no signatures, and tell why.
        return dispatcher
    if signatures:
        dispatcher._units_freeze(True)
    return dispatcher
