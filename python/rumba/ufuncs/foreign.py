"""Ufuncs of other packages in compiled code: their own inner C loops, called for scalars and along the lines of
arrays.

A ufunc is known by the module that has it under its name, so that code which is kept on disk, or built ahead of time, finds its loops
again. Which loop serves types of arguments is NumPy's answer.

Absent: NumPy's own ufuncs (the compiler has rules for them), those of `vectorize` (`overloads`).
"""
import inspect
import sys

from .. import fork_locks, source_text, types
from ..errors import TypingError
from ..extending import overload_registry
from .c_loops import dtype_of

_lock = fork_locks.reentrant_lock()
# What was taught, or is being taught, by its number: the registry asks what it is before it has it.
_taught = {}
# Characters of the types of numbers that compiled code has.
_LETTERS = frozenset("?bBhHiIlLqQpPfdFD")
_ADVICE = "call it outside, or write it as a function for vectorize"


def teach(ufunc):
    """Lets compiled code call a ufunc. Returns why that cannot be, or None."""
    with _lock:
        if id(ufunc) in _taught:
            return None
        why = _obstacle(ufunc)
        if why is None:
            _taught[id(ufunc)] = ufunc
            overload_registry.add_function(ufunc, _overload(ufunc, f"{_module_of(ufunc)}:{ufunc.__name__}"))
        return why


def _obstacle(ufunc):
    name = f"the ufunc '{ufunc.__name__}'"
    if ufunc.signature is not None:
        return f"{name} is a generalized ufunc of another package, which compiled code cannot call: {_ADVICE}"
    if not any(map(_is_callable, ufunc.types)):
        return f"{name} has no loop for numbers, it calls Python ({', '.join(ufunc.types)}): {_ADVICE}"
    if _module_of(ufunc) is None:
        return f"{name} is in no module under this name, by which compiled code finds its loops: {_ADVICE}"
    return None


def _is_callable(loop):
    return _LETTERS.issuperset(loop.replace("->", ""))


def _module_of(ufunc):
    """The module that has a ufunc under its name; where several have, a public one goes first."""
    known = [name for name, module in list(sys.modules.items())
             if getattr(module, "__dict__", {}).get(ufunc.__name__) is ufunc and ":" not in name and name != "__main__"]
    return min(known, key=lambda name: ("._" in name, name.count("."), name), default=None)


def _overload(ufunc, place):
    positional = inspect.Parameter.POSITIONAL_ONLY
    parameters = [inspect.Parameter(f"x{at}", positional) for at in range(ufunc.nin)]
    if ufunc.nout == 1:
        parameters.append(inspect.Parameter("out", inspect.Parameter.POSITIONAL_OR_KEYWORD, default=None))
    signature = inspect.Signature(parameters)

    def choose(*args, **keywords):
        bound = signature.bind(*args, **keywords)
        return _implementation(ufunc, place, signature, list(bound.args[:ufunc.nin]), bound.arguments.get("out"))

    choose.__signature__ = signature
    # Implementations of others go before it.
    return overload_registry.Overload(choose, {}, True, "never", False, library=True)


def _implementation(ufunc, place, signature, args, out):
    items = [arg.dtype if isinstance(arg, types.Array) else types.unliteral(arg) for arg in args]
    if not all(isinstance(item, (types.Number, types.Boolean)) for item in items):
        return None
    dtypes, loop = _loop(ufunc, items)
    name = f"{place}:{loop}"
    into = None if out is None or isinstance(out, (types.NoneType, types.Omitted)) else out
    ranks = [arg.ndim if isinstance(arg, types.Array) else None for arg in args]
    if not any(ranks) and into is None:
        return _of_numbers(signature, name, ranks)
    if into is not None:
        _check_out(ufunc, dtypes[-1], into)
    return _of_arrays(signature, name, args, ranks, dtypes, into)


def _loop(ufunc, items):
    """The types of the operands of the loop that NumPy takes for these types, and its name."""
    try:
        dtypes = ufunc.resolve_dtypes((*map(dtype_of, items), *(None,) * ufunc.nout))
    except TypeError as error:
        raise TypingError(str(error)) from None
    for loop in ufunc.types:
        letters = loop.replace("->", "")
        if _is_callable(loop) and all(_dtype(letter) == dtype for letter, dtype in zip(letters, dtypes)):
            return dtypes, loop
    raise TypingError(f"the ufunc '{ufunc.__name__}' has no loop for ({', '.join(map(str, items))})")


def _dtype(letter):
    import numpy

    return numpy.dtype(letter)


def _check_out(ufunc, dtype, out):
    import numpy

    if not isinstance(out, types.Array) or not out.mutable:
        raise TypingError(f"'out' of the ufunc '{ufunc.__name__}' is {out}, and has to be an array that can be written")
    if not numpy.can_cast(dtype, dtype_of(out), "same_kind"):
        raise TypingError(
            f"Cannot cast ufunc '{ufunc.__name__}' output from {dtype!r} to {dtype_of(out)!r} with casting rule 'same_kind'")


def _of_numbers(signature, name, ranks):
    from ..intrinsics import ufunc_call

    given = ", ".join(f"x{at}" if rank is None else f"x{at}[()]" for at, rank in enumerate(ranks))
    return source_text.expression(signature, f"ufunc_call({name!r}, {given})", {"ufunc_call": ufunc_call})


def _of_arrays(signature, name, args, ranks, dtypes, out):
    """The implementation for arrays: results of the shape of all together, filled line after line."""
    import numpy

    nin = len(args)
    space = {"np": numpy, "lines": _lines(name, max([rank or 0 for rank in ranks]), nin, len(dtypes) - nin),
             **{f"D{at}": dtype.type for at, dtype in enumerate(dtypes)}}
    arrays = [f"x{at}" for at, rank in enumerate(ranks) if rank is not None]
    body = [f"shape = {_shape(arrays)}"]
    for at, arg in enumerate(args):
        given = f"np.full(1, x{at}, D{at}).reshape(())"
        if ranks[at] is not None:
            given = f"x{at}" if dtype_of(arg) == dtypes[at] else f"x{at}.astype(D{at})"
        body.append(f"a{at} = np.broadcast_to({given}, shape)")
    results = [f"a{at}" for at in range(nin, len(dtypes))]
    body += [f"{result} = np.empty(shape, D{nin + at})" for at, result in enumerate(results)]
    body.append(f"lines({', '.join(f'a{at}' for at in range(len(dtypes)))})")
    if out is not None:
        body += [f"out[...] = {results[0]}", "return out"]
    else:
        body.append(f"return {', '.join(results)}")
    return source_text.with_signature("call", signature, body, space)


def _shape(arrays):
    if not arrays:
        return "()"
    return f"{arrays[0]}.shape" if len(arrays) == 1 else f"np.broadcast_shapes({', '.join(f'{name}.shape' for name in arrays)})"


def _lines(name, ndim, nin, nout):
    """What calls a loop for all lines of operands of one shape, along the longest axis."""
    import numpy

    from ..extending import register_jitable
    from ..intrinsics import array_address, ufunc_loop

    count, places = nin + nout, range(nin + nout)
    operands = ", ".join(f"a{at}" for at in places)
    last = f"a{count - 1}"
    body = [f"addresses, steps = np.empty({count}, np.int64), np.zeros({count}, np.int64)", "lengths = np.ones(1, np.int64)"]
    if ndim:
        body += [
            f"if {last}.size == 0:\n return",
            f"inner = {ndim - 1}",
            f"for at in range({ndim}):\n if {last}.shape[at] > {last}.shape[inner]:\n  inner = at",
            f"lengths[0] = {last}.shape[inner]",
            *(f"steps[{at}] = a{at}.strides[inner]" for at in places),
        ]
    body += [f"s{at} = np.int64(array_address(a{at}))" for at in places]
    run = [*(f"addresses[{at}] = p{at}" for at in places), f"ufunc_loop({name!r}, addresses, lengths, steps, {operands})"]
    if ndim < 2:
        body += [f"p{at} = s{at}" for at in places] + run
    else:
        body += [
            f"for number in range({last}.size // {last}.shape[inner]):",
            *(f" p{at} = s{at}" for at in places), " rest = number", f" for at in range({ndim}):", "  if at != inner:",
            f"   index, rest = rest % {last}.shape[at], rest // {last}.shape[at]",
            *(f"   p{at} += index * a{at}.strides[at]" for at in places), *(" " + line for line in run),
        ]
    space = {"np": numpy, "array_address": array_address, "ufunc_loop": ufunc_loop}
    return register_jitable(boundscheck=False)(source_text.function(f"lines({operands})", body, space))
