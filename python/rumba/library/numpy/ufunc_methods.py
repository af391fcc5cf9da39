"""Methods of NumPy's own ufuncs: `np.add.reduce`, `np.maximum.accumulate`, `np.subtract.outer`, `np.add.at`, `np.add.reduceat`.

`reduce` and `accumulate` of what has a function of its own (`np.sum`, `np.cumsum`) are that function. The rest is that of other ufuncs
(`_ufunc_methods`). `where=` is not supported.
"""
import numpy

from ...errors import TypingError
from ...extending import Effects, register_jitable
from ...types.typeof import as_dtype, from_dtype
from .. import library
from .._array_like import is_number
from .._predicates import is_absent
from . import _ufunc_methods as methods
from ._axis import literal

# What a reduction is called otherwise, and which of the parameters `dtype` and `initial` it has.
REDUCTIONS = {"add": ("sum", True, True), "multiply": ("prod", True, True), "maximum": ("max", False, True), "minimum": ("min", False, True),
              "logical_and": ("all", False, False), "logical_or": ("any", False, False)}
RUNNING = {"add": "cumsum", "multiply": "cumprod"}
# What has no identity, but may be joined in any order, so that it can be reduced along several axes.
REORDERABLE = ("fmax", "fmin", "maximum", "minimum")
# Ufuncs whose results they take again, so that they have all methods.
FOLDING = ("add", "bitwise_and", "bitwise_or", "bitwise_xor", "fmax", "fmin", "gcd", "hypot", "lcm", "logaddexp", "logaddexp2", "logical_and",
           "logical_or", "logical_xor", "maximum", "minimum", "multiply", "subtract")
# Others have `outer` and `at` alone.
BINARY = ("arctan2", "copysign", "divide", "equal", "floor_divide", "fmod", "greater", "greater_equal", "left_shift", "less", "less_equal",
          "not_equal", "power", "remainder", "right_shift")
UNARY = ("absolute", "conjugate", "invert", "logical_not", "negative", "sqrt", "square")


class NumpyUfunc:
    """One of NumPy's ufuncs, with what the methods ask of a ufunc."""

    # Numba's ufuncs say it as `broadcast_to` does.
    wrong_count = "array is not broadcastable to correct shape"

    def __init__(self, name):
        ufunc = getattr(numpy, name)
        self.__name__, self.nin, self.ufunc, self._loops = name, ufunc.nin, ufunc, {}
        unary, binary = (lambda one: ufunc(one)), (lambda one, other: ufunc(one, other))
        self._dispatcher = register_jitable(unary if ufunc.nin == 1 else binary)
        self._identity = "reorderable" if name in REORDERABLE else ufunc.identity
        if name in RUNNING:
            # Small integers are added up as wide ones.
            self.accumulator = lambda item: from_dtype(ufunc.resolve_dtypes((None, as_dtype(item), None), reduction=True)[0])
        if name == "add":
            # NumPy adds up pairs of halves.
            self.rest_of_row = register_jitable(lambda row, made: numpy.sum(row, dtype=made))


def loop_of(ufunc, items):
    """The dtypes of the loop that NumPy takes for these items, which is entered as one of the ufunc; None if there is none."""
    try:
        found = ufunc.ufunc.resolve_dtypes((*map(as_dtype, items), None))
    except TypeError:
        return None
    ufunc._loops[found] = (found,)
    return found


def _register(name, method, make, effects=None):
    """Registers a method of a ufunc: `make` gets it and the types."""
    known = NumpyUfunc(name)

    def bound(*args):
        return make(known, *args)

    SHAPES[method](f"numpy.{name}.{method}", bound, getattr(numpy, name), effects)


def _register_reduce(key, make, ufunc, effects):
    @library(key, prefer_literal=True)
    def reduce(array, axis=0, dtype=None, out=None, keepdims=False, initial=None):
        found = make(array, axis, dtype, out, keepdims, initial)
        if found is None:
            return None
        call = register_jitable(found)
        return lambda array, axis=0, dtype=None, out=None, keepdims=False, initial=None: call(ufunc, array, axis, dtype, out, keepdims, initial)


def _register_accumulate(key, make, ufunc, effects):
    @library(key, prefer_literal=True)
    def accumulate(array, axis=0, dtype=None, out=None):
        call = register_jitable(make(array, axis, dtype, out))
        return lambda array, axis=0, dtype=None, out=None: call(ufunc, array, axis, dtype, out)


def _register_reduceat(key, make, ufunc, effects):
    @library(key, prefer_literal=True)
    def reduceat(array, indices, axis=0, dtype=None, out=None):
        call = register_jitable(make(array, indices, axis, dtype, out))
        return lambda array, indices, axis=0, dtype=None, out=None: call(ufunc, array, indices, axis, dtype, out)


def _register_outer(key, make, ufunc, effects):
    @library(key)
    def outer(A, B, /):
        call = register_jitable(make(A, B))
        return lambda A, B, /: call(ufunc, A, B)


def _register_at(key, make, ufunc, effects):
    @library(key, effects=effects)
    def at(a, indices, b=None, /):
        call = register_jitable(make(a, indices, b))
        return lambda a, indices, b=None, /: call(ufunc, a, indices, b)


SHAPES = {"reduce": _register_reduce, "accumulate": _register_accumulate, "reduceat": _register_reduceat, "outer": _register_outer,
          "at": _register_at}


def _reduce(ufunc, array, axis, dtype, out, keepdims, initial):
    name, has_dtype, has_initial = REDUCTIONS.get(ufunc.__name__, (None, False, False))
    if name is None or is_number(array):
        return methods.reduce(ufunc, loop_of, array, axis, dtype, out, keepdims, initial)
    if not has_dtype and not is_absent(dtype) or not has_initial and not is_absent(initial):
        return None
    function, keeps = getattr(numpy, name), literal(keepdims)
    if not isinstance(keeps, bool):
        raise TypingError("keepdims has to be a constant: the result's dimensions depend on it")
    if not is_absent(initial):
        if has_dtype:
            return lambda self, array, axis=0, dtype=None, out=None, keepdims=False, initial=None: function(
                array, axis, dtype, out, keeps, initial)
        return lambda self, array, axis=0, dtype=None, out=None, keepdims=False, initial=None: function(array, axis, out, keeps, initial)
    if has_dtype:
        return lambda self, array, axis=0, dtype=None, out=None, keepdims=False, initial=None: function(array, axis, dtype, out, keeps)
    return lambda self, array, axis=0, dtype=None, out=None, keepdims=False, initial=None: function(array, axis, out, keeps)


def _accumulate(ufunc, array, axis, dtype, out):
    if ufunc.__name__ not in RUNNING or is_number(array):
        return methods.accumulate(ufunc, loop_of, array, axis, dtype, out)
    function = getattr(numpy, RUNNING[ufunc.__name__])
    return lambda self, array, axis=0, dtype=None, out=None: function(array, axis, dtype, out)


def _reduceat(ufunc, array, indices, axis, dtype, out):
    return methods.reduceat(ufunc, loop_of, array, indices, axis, dtype, out)


def _outer(ufunc, first, second):
    return methods.outer(first, second)


def _at(ufunc, a, indices, b):
    return methods.at(ufunc, loop_of, a, indices, b)


for _name in FOLDING:
    _register(_name, "reduce", _reduce)
    _register(_name, "accumulate", _accumulate)
    _register(_name, "reduceat", _reduceat)
for _name in FOLDING + BINARY:
    _register(_name, "outer", _outer)
for _name in FOLDING + BINARY + UNARY:
    _register(_name, "at", _at, Effects(mutates="a"))
