"""Functions that NumPy 2 has under the names of the array API standard, implemented by those with NumPy's own names.
"""
import numpy

from ...extending import register_jitable
from ...intrinsics import array_address, raise_if
from ...types import Complex
from .. import library
from .._array_like import is_number
from .._predicates import is_absent, is_array, is_numeric_array
from ._axis import literal


def _is_numbers(ty, ndim=None):
    return is_numeric_array(ty) and (ndim is None or ty.ndim >= ndim)


def _known(name):
    """A function of NumPy; None where this one has none."""
    return getattr(numpy, name, None)


def _register(name, overload, **options):
    if _known(name) is not None:
        library(_known(name), **options)(overload)


# Sums from the first item on.

def _cumulative(name, cumulate, first):
    def overload(x, /, *, axis=None, dtype=None, out=None, include_initial=False):
        if not _is_numbers(x) or x.ndim > 1 and is_absent(axis) or not is_absent(out) or not is_absent(dtype):
            return None
        if not isinstance(literal(include_initial), bool):
            return None
        ndim = x.ndim

        @register_jitable
        def sums(x, axis):
            return cumulate(x, axis)

        def plain(x, /, *, axis=None, dtype=None, out=None, include_initial=False):
            return sums(x, -1 if axis is None else axis)

        def with_first(x, /, *, axis=None, dtype=None, out=None, include_initial=False):
            along = -1 if axis is None else axis
            made = sums(x, along)
            lines = numpy.moveaxis(made, along, -1)
            longer = numpy.empty(lines.shape[:-1] + (lines.shape[ndim - 1] + 1,), made.dtype)
            longer[..., 0] = first
            longer[..., 1:] = lines
            return numpy.moveaxis(longer, -1, along)
        return with_first if literal(include_initial) else plain
    overload.__name__ = name
    _register(name, overload, array_like="x")


_cumulative("cumulative_sum", numpy.cumsum, 0)
_cumulative("cumulative_prod", numpy.cumprod, 1)


# Products of stacks.

_NOT_OF_THREE = "Both input arrays must be (arrays of) 3-dimensional vectors, but they are {} and {} dimensional instead."

_MISFIT = "{}: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature {} (size {{}} is different from {{}})"
_MATVEC, _VECMAT = _MISFIT.format("matvec", "(m,n),(n)->(m)"), _MISFIT.format("vecmat", "(n),(n,m)->(m)")


def _matvec(x1, x2, /):
    if _is_numbers(x1, 2) and _is_numbers(x2, 1):
        def product(x1, x2, /):
            raise_if(x1.shape[-1] != x2.shape[-1], "ValueError", _MATVEC, x2.shape[-1], x1.shape[-1])
            return numpy.matmul(x1, x2.reshape(x2.shape + (1,)))[..., 0]
        return product


def _vecmat(x1, x2, /):
    if _is_numbers(x1, 1) and _is_numbers(x2, 2):
        is_complex = isinstance(x1.dtype, Complex)
        conjugate = register_jitable((lambda x: numpy.conjugate(x)) if is_complex else (lambda x: x))
        ndim = x1.ndim - 1

        def product(x1, x2, /):
            raise_if(x1.shape[-1] != x2.shape[-2], "ValueError", _VECMAT, x2.shape[-2], x1.shape[-1])
            row = conjugate(x1)
            return numpy.matmul(row.reshape(row.shape[:ndim] + (1,) + row.shape[ndim:]), x2)[..., 0, :]
        return product


# Functions of `numpy.linalg`.

def _linalg(name, overload, **options):
    function = getattr(numpy.linalg, name, None)
    if function is not None:
        library(function, **options)(overload)


def _vector_norm(x, /, *, axis=None, keepdims=False, ord=2):
    if not is_array(x) or not isinstance(literal(keepdims), bool) or literal(keepdims):
        return None
    if is_absent(axis):
        return lambda x, /, *, axis=None, keepdims=False, ord=2: numpy.linalg.norm(x.ravel(), ord)
    return lambda x, /, *, axis=None, keepdims=False, ord=2: numpy.linalg.norm(x, ord, axis)


def _matrix_norm(x, /, *, keepdims=False, ord="fro"):
    if not is_array(x) or x.ndim != 2 or literal(keepdims) is not False:
        return None
    if literal(ord) == "fro":
        return lambda x, /, *, keepdims=False, ord="fro": numpy.linalg.norm(x)
    if is_number(ord):
        return lambda x, /, *, keepdims=False, ord="fro": numpy.linalg.norm(x, ord)


def _svdvals(x, /):
    if is_array(x) and x.ndim == 2:
        return lambda x, /: numpy.linalg.svd(x)[1]


def _matrix_transpose(x, /):
    if is_array(x) and x.ndim >= 2:
        return lambda x, /: numpy.swapaxes(x, -1, -2)


def _diagonal(x, /, *, offset=0):
    if is_array(x) and x.ndim == 2:
        return lambda x, /, *, offset=0: numpy.diagonal(x, offset)


def _trace(x, /, *, offset=0, dtype=None):
    if is_array(x) and x.ndim == 2 and is_absent(dtype):
        return lambda x, /, *, offset=0, dtype=None: numpy.trace(x, offset)


def _outer(x1, x2, /):
    if _is_numbers(x1, 1) and _is_numbers(x2, 1) and x1.ndim == x2.ndim == 1:
        return lambda x1, x2, /: numpy.outer(x1, x2)


def _matmul(x1, x2, /):
    if _is_numbers(x1) and _is_numbers(x2):
        return lambda x1, x2, /: numpy.matmul(x1, x2)


def _cross(x1, x2, /, *, axis=-1):
    if _is_numbers(x1, 1) and _is_numbers(x2, 1) and literal(axis) == -1:
        def product(x1, x2, /, *, axis=-1):
            raise_if(x1.shape[-1] != 3 or x2.shape[-1] != 3, "ValueError", _NOT_OF_THREE, x1.shape[-1], x2.shape[-1])
            return numpy.cross(x1, x2)
        return product


def _vecdot(x1, x2, /, *, axis=-1):
    if _is_numbers(x1, 1) and _is_numbers(x2, 1):
        return lambda x1, x2, /, *, axis=-1: numpy.vecdot(x1, x2, axis=axis)


def _astype(x, dtype, /, *, copy=True, device=None):
    if is_array(x) and is_absent(device) and literal(copy) is True:
        return lambda x, dtype, /, *, copy=True, device=None: x.astype(dtype)


_register("astype", _astype)
_register("matvec", _matvec, array_like="x1 x2", strict=False)
_register("vecmat", _vecmat, array_like="x1 x2", strict=False)
_linalg("vector_norm", _vector_norm, array_like="x")
_linalg("matrix_norm", _matrix_norm, array_like="x")
_linalg("svdvals", _svdvals, array_like="x")
_linalg("matrix_transpose", _matrix_transpose, array_like="x")
_linalg("diagonal", _diagonal, array_like="x")
_linalg("trace", _trace, array_like="x")
_linalg("cross", _cross, array_like="x1 x2")
_linalg("vecdot", _vecdot, array_like="x1 x2")
_linalg("outer", _outer, array_like="x1 x2")
_linalg("matmul", _matmul, array_like="x1 x2")


# Whether two arrays overlap.

@library(numpy.may_share_memory)
def may_share_memory(a, b, max_work=0):
    if is_array(a) and is_array(b):
        return lambda a, b, max_work=0: _bounds_meet(a, b)


@register_jitable
def _bounds(a):
    low = high = array_address(a)
    for axis in range(a.ndim):
        step = (a.shape[axis] - 1) * a.strides[axis]
        if step < 0:
            low += step
        else:
            high += step
    return low, high + a.itemsize


@register_jitable
def _bounds_meet(a, b):
    if a.size == 0 or b.size == 0:
        return False
    (low_a, high_a), (low_b, high_b) = _bounds(a), _bounds(b)
    return low_a < high_b and low_b < high_a
