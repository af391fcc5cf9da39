"""Ufuncs in compiled code: a call for scalars, a loop for arrays; attributes of ufuncs.

Absent: functions of rows (`rows`), `reduce` and its like (`rumba.library.numpy._ufunc_methods`).
"""
import inspect

from ..extending import overload_registry
from .. import source_text, types
from ..errors import TypingError
from .c_loops import dtype_of

# What compiled code calls a ufunc's type -> the ufunc.
_taught = {}


def teach(ufunc, find, results):
    """Lets compiled code call a ufunc: `find` gives the implementation for types of arguments and results."""
    names = ufunc.py_func.__code__.co_varnames[:ufunc.nin]
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    signature = inspect.Signature([*(inspect.Parameter(name, kind) for name in names),
                                   *(inspect.Parameter(name, kind, default=None) for name in results)])

    def overload(*args, **keywords):
        bound = signature.bind(*args, **keywords)
        bound.apply_defaults()
        return _compiled(ufunc) and find(ufunc, tuple(bound.arguments.values()))

    overload.__signature__ = signature
    overload_registry.add_function(ufunc, overload_registry.Overload(overload, {}, True, "never", False))
    _taught[f"Function({overload_registry.name_of(ufunc)})"] = ufunc


def _compiled(ufunc):
    if ufunc._by_python:
        raise TypingError(f"'{ufunc.__name__}' is a ufunc that Python runs (forceobj), which compiled code cannot call")
    return ufunc


def _teach_members():
    """Registers what ufuncs have besides calls, for all of them."""
    for name in ("nin", "nout", "nargs", "identity", "signature"):
        overload_registry.add_member("attribute", types.Opaque, name, _overload(_attribute(name)))
    for method in (_reduce, _accumulate, _reduceat, _outer, _at):
        overload_registry.add_member("method", types.Opaque, method.__name__[1:], _overload(method))


def _overload(function):
    # The value of `keepdims` says what the type of a result is.
    return overload_registry.Overload(function, {}, True, "never", True)


def _attribute(name):
    def attribute(self):
        if self.name not in _taught:
            return None
        value = getattr(_taught[self.name], name)
        return lambda self: value
    return attribute


def _method(ty, name):
    """The ufunc whose method is called, and the module of methods; (None, None) if it is no ufunc's."""
    ufunc = _taught.get(ty.name)
    if ufunc is None:
        return None, None
    if ufunc._layout is not None:
        raise TypingError(f"'{ufunc.__name__}' is a generalized ufunc, whose methods compiled code does not have")
    _compiled(ufunc)
    if ufunc.nin != 2 and name != "at":
        raise TypingError(f"{name} only supported for binary functions, and '{ufunc.__name__}' takes {ufunc.nin}")
    # NumPy and the library are loaded when they are needed.
    from ..library.numpy import _ufunc_methods as methods

    return ufunc, methods


def _reduce(self, array, axis=0, dtype=None, out=None, keepdims=False, initial=None):
    ufunc, methods = _method(self, "reduce")
    return ufunc and methods.reduce(ufunc, loop_of, array, axis, dtype, out, keepdims, initial)


def _reduceat(self, array, indices, axis=0, dtype=None, out=None):
    ufunc, methods = _method(self, "reduceat")
    return ufunc and methods.reduceat(ufunc, loop_of, array, indices, axis, dtype, out)


def _accumulate(self, array, axis=0, dtype=None, out=None):
    ufunc, methods = _method(self, "accumulate")
    return ufunc and methods.accumulate(ufunc, loop_of, array, axis, dtype, out)


def _outer(self, A, B):
    ufunc, methods = _method(self, "outer")
    return ufunc and methods.outer(A, B)


def _at(self, a, indices, b=None):
    ufunc, methods = _method(self, "at")
    return ufunc and methods.at(ufunc, loop_of, a, indices, b)


def of_numbers(ufunc, args):
    """The implementation of a call of a function of numbers."""
    import numpy

    *args, out = args
    names = ufunc.py_func.__code__.co_varnames[:ufunc.nin]
    items = [arg.dtype if isinstance(arg, types.Array) else types.unliteral(arg) for arg in args]
    if not all(isinstance(item, (types.Number, types.Boolean)) for item in items):
        return None
    chosen = loop_of(ufunc, tuple(items))
    if chosen is None:
        raise TypingError(f"the ufunc '{ufunc.__name__}' has no loop for ({', '.join(map(str, items))})")
    *kinds, result = (dtype.type for dtype in ufunc._loops[chosen][0])
    ranks = [arg.ndim if isinstance(arg, types.Array) else 0 for arg in args]
    given = isinstance(out, types.Array)
    scope = {"kernel": ufunc._dispatcher, "np": numpy, "R": result, **{f"T{at}": kind for at, kind in enumerate(kinds)}}
    parameters = ", ".join((*names, "out=None"))
    cast = [f"T{at}({{}})" for at in range(len(names))]
    is_elementwise = any(ranks) and not given
    if not any(ranks) and not given:
        body = [f" return R(kernel({', '.join(form.format(name) for form, name in zip(cast, names))}))"]
    else:
        arrays = [name for name, rank in zip(names, ranks) if rank]
        shape = "out.shape" if given else (
            f"{arrays[0]}.shape" if len(arrays) == 1 else f"np.broadcast_shapes({', '.join(f'{name}.shape' for name in arrays)})")
        layouts = [arg.layout for arg, rank in zip(args, ranks) if rank]
        # As array expressions have it: in the order of columns where nothing is in the order of rows.
        empty = "np.empty(shape[::-1], R).T" if "F" in layouts and "C" not in layouts else "np.empty(shape, R)"
        body = [f" shape = {shape}", f" result = {'out' if given else empty}"]
        body += [f" x_{name} = np.broadcast_to({name}, shape)" for name in arrays]
        values = [form.format(f"x_{name}[i]" if name in arrays else name) for form, name in zip(cast, names)]
        body += [" for i in np.ndindex(shape):", f"  result[i] = kernel({', '.join(values)})", " return result"]
    call = source_text.function(f"call({parameters})", body, scope)
    if is_elementwise:
        # So it joins other operations on arrays in one loop.
        *params, returned = map(types.from_dtype, ufunc._loops[chosen][0])
        call._element_kernel = ufunc._dispatcher, params, returned
    return call


def loop_of(ufunc, items):
    """The types of the loop that serves items of these types, which is added if it may be; or None.

    Loops that were given are tried in their order. Where they come with calls, the loop of these very types goes before
    others, so that the answer does not depend on calls before.
    """
    import numpy

    if items in ufunc._loops and not ufunc._given:
        return items
    if not ufunc._frozen:
        ufunc.add(items)
        return items
    for types_of_loop in ufunc._loops:
        if all(numpy.can_cast(dtype_of(item), dtype_of(ty), "safe") for item, ty in zip(items, types_of_loop)):
            return types_of_loop
    return None


# Once per process, when the first ufunc is made.
_teach_members()
