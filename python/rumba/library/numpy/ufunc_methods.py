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


def _reduction(known, array, dtype, keepdims, initial):
    """The implementation of `reduce` by a function of its own; None if it has no such parameters."""
    name, has_dtype, has_initial = REDUCTIONS[known.__name__]
    if not has_dtype and not is_absent(dtype) or not has_initial and not is_absent(initial):
        return None
    function, keeps = getattr(numpy, name), literal(keepdims)
    if not isinstance(keeps, bool):
        raise TypingError("keepdims has to be a constant: the result's dimensions depend on it")
    if not is_absent(initial):
        if has_dtype:
            return lambda array, axis=0, dtype=None, out=None, keepdims=False, initial=None: function(array, axis, dtype, out, keeps, initial)
        return lambda array, axis=0, dtype=None, out=None, keepdims=False, initial=None: function(array, axis, out, keeps, initial)
    if has_dtype:
        return lambda array, axis=0, dtype=None, out=None, keepdims=False, initial=None: function(array, axis, dtype, out, keeps)
    return lambda array, axis=0, dtype=None, out=None, keepdims=False, initial=None: function(array, axis, out, keeps)


def _register_folding(known):
    """`reduce`, `accumulate` and `reduceat` of a ufunc."""
    name, ufunc = known.__name__, known.ufunc

    @library(f"numpy.{name}.reduce", prefer_literal=True)
    def reduce(array, axis=0, dtype=None, out=None, keepdims=False, initial=None):
        if name in REDUCTIONS and not is_number(array):
            return _reduction(known, array, dtype, keepdims, initial)
        call = register_jitable(methods.reduce(known, loop_of, array, axis, dtype, out, keepdims, initial))
        return lambda array, axis=0, dtype=None, out=None, keepdims=False, initial=None: call(ufunc, array, axis, dtype, out, keepdims, initial)

    @library(f"numpy.{name}.accumulate", prefer_literal=True)
    def accumulate(array, axis=0, dtype=None, out=None):
        if name in RUNNING and not is_number(array):
            running = getattr(numpy, RUNNING[name])
            return lambda array, axis=0, dtype=None, out=None: running(array, axis, dtype, out)
        call = register_jitable(methods.accumulate(known, loop_of, array, axis, dtype, out))
        return lambda array, axis=0, dtype=None, out=None: call(ufunc, array, axis, dtype, out)

    @library(f"numpy.{name}.reduceat", prefer_literal=True)
    def reduceat(array, indices, axis=0, dtype=None, out=None):
        call = register_jitable(methods.reduceat(known, loop_of, array, indices, axis, dtype, out))
        return lambda array, indices, axis=0, dtype=None, out=None: call(ufunc, array, indices, axis, dtype, out)


def _register_outer(known):
    ufunc = known.ufunc

    @library(f"numpy.{known.__name__}.outer")
    def outer(A, B, /):
        call = register_jitable(methods.outer(A, B))
        return lambda A, B, /: call(ufunc, A, B)


def _register_at(known):
    ufunc = known.ufunc

    @library(f"numpy.{known.__name__}.at", effects=Effects(mutates="a"))
    def at(a, indices, b=None, /):
        call = register_jitable(methods.at(known, loop_of, a, indices, b))
        return lambda a, indices, b=None, /: call(ufunc, a, indices, b)


for _known in map(NumpyUfunc, FOLDING + BINARY + UNARY):
    if _known.__name__ in FOLDING:
        _register_folding(_known)
    if _known.nin == 2:
        _register_outer(_known)
    _register_at(_known)
