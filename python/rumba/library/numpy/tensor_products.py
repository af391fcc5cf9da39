"""Products of arrays of any number of dimensions: `tensordot`, `vecdot`. Both sides are reshaped to matrices and
multiplied by `dot`."""
import numpy

from ...errors import TypingError
from ...extending import register_jitable
from ...intrinsics import raise_if, scratch_get, scratch_items, scratch_like, scratch_set
from ...types import Boolean, Complex, Number
from ...types.typeof import as_dtype
from .. import library
from .._predicates import is_absent, is_array, is_fixed_list, is_integer, is_shape, length
from ._axis import literal

_APART = "shape-mismatch for sum"


def _holds_numbers(*types):
    return all(is_array(one) and isinstance(one.dtype, (Number, Boolean)) for one in types)


@library(numpy.tensordot, array_like="a b", scalars="a b")
def tensordot(a, b, axes=2):
    if not _holds_numbers(a, b):
        return None
    if is_integer(axes):
        count = literal(axes)
        if not isinstance(count, int):
            raise TypingError("'axes' must be known when the function compiles: the number of dimensions of the result follows from it")
        return _of_last(a.ndim, b.ndim, count)
    if length(axes) != 2:
        return None
    if is_fixed_list(axes):
        return lambda a, b, axes=2: numpy.tensordot(a, b, tuple(axes))
    sides = list(axes)
    if any(is_fixed_list(one) or is_integer(one) for one in sides):
        first, second = map(_as_tuple, sides)
        return lambda a, b, axes=2: numpy.tensordot(a, b, (first(axes[0]), second(axes[1])))
    if not all(is_shape(one) or length(one) == 0 for one in sides):
        return None
    return _along(a.ndim, b.ndim, *map(len, sides))


def _as_tuple(axes):
    if is_integer(axes):
        return register_jitable(lambda axes: (axes,))
    return register_jitable((lambda axes: tuple(axes)) if is_fixed_list(axes) else (lambda axes: axes))


def _of_last(ndim_a, ndim_b, count):
    """Over the last axes of the one and the first of the other."""
    if count > min(ndim_a, ndim_b):
        raise TypingError("tuple index out of range: 'axes' of tensordot is more than there are dimensions")
    first, second = tuple(range(ndim_a - max(count, 0), ndim_a)), tuple(range(max(count, 0)))
    if not first:
        return lambda a, b, axes=2: numpy.multiply(a.reshape(a.shape + (1,) * ndim_b), b)
    return lambda a, b, axes=2: numpy.tensordot(a, b, (first, second))


def _along(ndim_a, ndim_b, count, count_b):
    if count != count_b:
        raise TypingError(_APART)
    if count > min(ndim_a, ndim_b):
        raise TypingError(f"{_APART}: there are more axes than dimensions")
    if count == 0:
        return _of_last(ndim_a, ndim_b, 0)
    order_a, order_b = _order(ndim_a, count, False), _order(ndim_b, count, True)
    rest_a = ndim_a - count

    def along(a, b, axes=2):
        last, first = order_a(axes[0]), order_b(axes[1])
        for at in range(count):
            raise_if(a.shape[axes[0][at]] != b.shape[axes[1][at]], "ValueError", _APART)
        turned_a, turned_b = a.transpose(last), b.transpose(first)
        inner = 1
        for at in range(count):
            inner *= turned_b.shape[at]
        outer_a, outer_b = turned_a.shape[:rest_a], turned_b.shape[count:]
        rows, columns = 1, 1
        for at in range(rest_a):
            rows *= turned_a.shape[at]
        for at in range(count, ndim_b):
            columns *= turned_b.shape[at]
        made = numpy.dot(turned_a.reshape((rows, inner)), turned_b.reshape((inner, columns)))
        return made.reshape(outer_a + outer_b)
    return along


def _order(ndim, count, first):
    """What gives all axes with those that are summed over at the front or the back."""
    indices, start = (0,) * ndim, 0 if first else ndim - count

    @register_jitable
    def order(axes):
        found, taken = scratch_like(indices, 0), scratch_like(indices, 0)
        for axis in range(ndim):
            scratch_set(taken, axis, 0)
        for at in range(count):
            axis = axes[at]
            raise_if(axis < -ndim or axis >= ndim, "IndexError", "tuple index out of range")
            axis = axis + ndim if axis < 0 else axis
            raise_if(scratch_get(taken, axis) != 0, "ValueError", "duplicate axes are not allowed in tensordot")
            scratch_set(found, start + at, axis)
            scratch_set(taken, axis, 1)
        free = count if first else 0
        for axis in range(ndim):
            if scratch_get(taken, axis) == 0:
                scratch_set(found, free, axis)
                free += 1
        return tuple(scratch_items(found))
    return order


# Vectors of two stacks.

_UNFIT = ("vecdot: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature (n),(n)->() (size {} is different "
          "from {})")


@library(getattr(numpy, "vecdot", None), array_like="x1 x2", strict=False)
def vecdot(x1, x2, /, out=None, *, axis=-1):
    if not _holds_numbers(x1, x2):
        return None
    for number, one in enumerate((x1, x2)):
        if not one.ndim:
            raise TypingError(f"vecdot: Input operand {number} does not have enough dimensions (has 0, gufunc core with signature "
                              "(n),(n)->() requires 1)")
    if not is_integer(axis):
        return None
    if not is_absent(out):
        return _vecdot_into if is_array(out) and out.mutable else None
    product = _row_product(x1, x2)
    if x1.ndim == x2.ndim == 1:
        def of_rows(x1, x2, /, out=None, *, axis=-1):
            raise_if(x1.size != x2.size, "ValueError", _UNFIT, x2.size, x1.size)
            return product(x1, x2)
        return of_rows
    item = numpy.promote_types(*(as_dtype(one.dtype) for one in (x1, x2))).type

    def of_stacks(x1, x2, /, out=None, *, axis=-1):
        first, second = numpy.moveaxis(x1, axis, -1), numpy.moveaxis(x2, axis, -1)
        size = first.shape[-1]
        raise_if(second.shape[-1] != size, "ValueError", _UNFIT, second.shape[-1], size)
        shape = numpy.broadcast_shapes(first.shape[:-1], second.shape[:-1])
        made = numpy.empty(shape, item)
        wide, other = numpy.broadcast_to(first, shape + (size,)), numpy.broadcast_to(second, shape + (size,))
        for index in numpy.ndindex(shape):
            made[index] = product(wide[index], other[index])
        return made
    return of_stacks


def _vecdot_into(x1, x2, /, out=None, *, axis=-1):
    made = numpy.asarray(numpy.vecdot(x1, x2, axis=axis))
    raise_if(made.shape != out.shape, "ValueError", "vecdot: the result of shape {} does not fit out, of shape {}", made.shape, out.shape)
    out[...] = made
    return out


def _row_product(x1, x2):
    if isinstance(x1.dtype, Complex):
        return register_jitable(lambda x1, x2: numpy.vdot(x1, x2))
    return register_jitable(lambda x1, x2: numpy.dot(x1, x2))
