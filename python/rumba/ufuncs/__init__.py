"""`vectorize` and `guvectorize`: compiled functions as NumPy ufuncs.

The decorators and the objects they make; the loops are in `rumba.ufuncs.c_loops`, calls from compiled code in
`rumba.ufuncs.overloads`.
"""
from .dufunc import DUFunc
from .gufunc import GUFunc

__all__ = ["DUFunc", "GUFunc", "guvectorize", "vectorize"]

_TARGETS = ("cpu", "parallel")


def vectorize(ftylist_or_function=(), target="cpu", identity=None, **options):
    """Makes a function of numbers a ufunc, for numbers and arrays of any shapes.

    Used plain, or with signatures (`@vectorize(["float64(float64, float64)"])`), which are compiled at once
    and are then the only ones, tried in their order. Called from Python and from compiled code.
    """
    options["target"] = _checked(target)
    if callable(ftylist_or_function) and not _is_signature(ftylist_or_function):
        return DUFunc(ftylist_or_function, identity, targetoptions=options)
    signatures = [ftylist_or_function] if _is_signature(ftylist_or_function) else list(ftylist_or_function)
    return lambda function: DUFunc(function, identity, targetoptions=options, signatures=signatures)


def guvectorize(ftylist, signature=None, target="cpu", identity=None, writable_args=(), **options):
    """Makes a function of whole rows a generalized ufunc: `@guvectorize(["(float64[:], float64[:])"], "(n)->(n)")`.

    The last parameters are the results, which the function fills. Without types, it is compiled for the arguments of
    each call, which names its results. `writable_args` names arguments that the function changes, by names or numbers:
    what it writes reaches the caller's array also where NumPy converts it for the function.
    """
    if writable_args and target not in _TARGETS:
        raise TypeError(f"writable_args are not there for target={target!r}")
    options["target"] = _checked(target)
    if signature is None:
        if not isinstance(ftylist, str):
            raise TypeError("guvectorize() missing 1 required positional argument: 'signature'")
        ftylist, signature = [], ftylist
    signatures = [ftylist] if _is_signature(ftylist) else list(ftylist)
    return lambda function: GUFunc(
        function, signature, identity, targetoptions=options, signatures=signatures, writable_args=writable_args)


def Vectorize(func, identity=None, cache=False, targetoptions=None, target="cpu"):  # noqa: N802  Numba's class
    """A ufunc whose loops are added one by one."""
    targetoptions = dict(targetoptions or {}, target=_checked(target))
    return _built(DUFunc(func, identity, cache, targetoptions), False)


def GUVectorize(func, signature, identity=None, cache=False, is_dynamic=False, targetoptions=None,  # noqa: N802
                writable_args=(), target="cpu"):
    """A generalized ufunc whose loops are added one by one."""
    targetoptions = dict(targetoptions or {}, target=_checked(target))
    return _built(GUFunc(func, signature, identity, cache, targetoptions, writable_args=writable_args), is_dynamic)


def _built(ufunc, is_dynamic):
    ufunc._dynamic = is_dynamic
    return ufunc


def _is_signature(value):
    return isinstance(value, str) or hasattr(value, "return_type")


def _checked(target):
    if target not in _TARGETS:
        raise NotImplementedError(f"target={target!r} is not there (yet): ufuncs are compiled for 'cpu' and 'parallel'")
    return target
