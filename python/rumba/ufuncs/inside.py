"""Ufuncs of functions of numbers in compiled code: with numbers a call, with arrays a loop."""
from .. import types
from ..errors import TypingError
from .loops import dtype_of


def teach(ufunc):
    """Lets compiled code call a ufunc."""
    from .. import overloads

    names = ufunc.py_func.__code__.co_varnames[:ufunc.nin]
    scope = {"implementation": lambda *args: _implementation(ufunc, args)}
    parameters = ", ".join((*names, "out=None"))
    exec(f"def overload({parameters}):\n return implementation({', '.join((*names, 'out'))})", scope)
    overloads.add_function(ufunc, overloads.Overload(scope["overload"], {}, True, "never", False))


def _implementation(ufunc, args):
    import numpy

    *args, out = args
    names = ufunc.py_func.__code__.co_varnames[:ufunc.nin]
    items = [arg.dtype if isinstance(arg, types.Array) else types.unliteral(arg) for arg in args]
    if not all(isinstance(item, (types.Number, types.Boolean)) for item in items):
        return None
    chosen = _loop(ufunc, tuple(items))
    if chosen is None:
        raise TypingError(f"the ufunc '{ufunc.__name__}' has no loop for ({', '.join(map(str, items))})")
    *kinds, result = (dtype.type for dtype in ufunc._loops[chosen][0])
    ranks = [arg.ndim if isinstance(arg, types.Array) else 0 for arg in args]
    given = isinstance(out, types.Array)
    scope = {"kernel": ufunc._dispatcher, "np": numpy, "R": result, **{f"T{at}": kind for at, kind in enumerate(kinds)}}
    parameters = ", ".join((*names, "out=None"))
    cast = [f"T{at}({{}})" for at in range(len(names))]
    if not any(ranks) and not given:
        body = [f" return R(kernel({', '.join(form.format(name) for form, name in zip(cast, names))}))"]
    else:
        arrays = [name for name, rank in zip(names, ranks) if rank]
        shape = "out.shape" if given else (
            f"{arrays[0]}.shape" if len(arrays) == 1 else f"np.broadcast_shapes({', '.join(f'{name}.shape' for name in arrays)})")
        body = [f" shape = {shape}", f" result = {'out' if given else 'np.empty(shape, R)'}"]
        body += [f" x_{name} = np.broadcast_to({name}, shape)" for name in arrays]
        values = [form.format(f"x_{name}[i]" if name in arrays else name) for form, name in zip(cast, names)]
        body += [" for i in np.ndindex(shape):", f"  result[i] = kernel({', '.join(values)})", " return result"]
    exec("\n".join([f"def call({parameters}):", *body]), scope)
    return scope["call"]


def _loop(ufunc, items):
    """The types of the loop that serves items of these types, which is added if it may be; or None."""
    import numpy

    for types_of_loop in ufunc._loops:
        if all(numpy.can_cast(dtype_of(item), dtype_of(ty), "safe") for item, ty in zip(items, types_of_loop)):
            return types_of_loop
    if ufunc._frozen:
        return None
    ufunc.add(items)
    return items
