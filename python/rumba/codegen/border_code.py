"""The code that takes values of extension types in, hands them out and converts them, as an extension writes it: with llvmlite or in
Rumba's own form. Called by the compiler.

Absent: both forms (`rumba.codegen.boxing`, `rumba.codegen.explicit_objects`).
"""
from .. import errors, fork_locks
from ..extending import typeof_box
from ..extending.code_forms import in_form_of, is_explicit

_lock = fork_locks.lock()
# (what, type, the extension's function) -> symbol, text, whether something is cleaned up, and what the code knows by address.
_written = {}
# Conversions that were written.
_conversions = []


def unboxing(ty):
    """Symbol and text of the function that unboxes values of a type, and whether it needs a cleanup after the call."""
    return _code("unboxing", ty, typeof_box.unboxer(ty))


def boxing(ty):
    """Symbol and text of the function that hands values of a type out, which leaves nothing to clean up."""
    return _code("boxing", ty, typeof_box.boxer(ty))


def constant(ty, value):
    """Symbol and text of the function `void constant(words)` that writes a value as a constant, and what it knows by address; None
    if no extension says what constants of its type are."""
    function = typeof_box.constant(ty)
    if function is None:
        return None
    if is_explicit(function):
        from . import explicit_objects

        return explicit_objects.constant(ty, value, function)
    from . import boxing

    return boxing.constant(ty, value)


def conversion(function, source, target):
    """Symbol and text of the function that makes values of one type values of another."""
    from .intrinsic import Native, next_symbol

    codegen = in_form_of(function, lambda *given: function(*given[:-2], source, target, given[-1][0]))
    native = Native.of_codegen(next_symbol("cast"), f"from {source} to {target}", [source], target, codegen)
    native.build()
    if native.can_fail:
        raise errors.UnsupportedError(f"a conversion from {source} to {target} that may fail")
    # What the code knows by address lives as long as the conversion may be called.
    with _lock:
        _conversions.append(native)
    return native.symbol, native.text


def _code(what, ty, function):
    if function is None or not is_explicit(function):
        from . import boxing

        return getattr(boxing, what)(ty)
    key = what, ty, function
    with _lock:
        found = _written.get(key)
    if found is None:
        from . import explicit_objects

        found = getattr(explicit_objects, what)(ty, function)
        with _lock:
            found = _written.setdefault(key, found)
    return found[:3]
