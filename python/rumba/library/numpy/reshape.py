"""Reshaping: `reshape`, `ravel`, `transpose` and the like.

A view is made wherever NumPy makes one. Rooms hold the lengths and strides while they are put together.
"""
import numpy

from ...errors import TypingError
from ...extending import register_jitable
from ...intrinsics import array_view, raise_if, scratch, scratch_get, scratch_items, scratch_like, scratch_set
from ...types import Integer, NoneType, unliteral
from .. import library
from ._axis import OUTSIDE as _OUTSIDE
from ._axis import literal
from .._predicates import each_of, is_absent, is_array, is_fixed_list, is_list, is_shape
# Products of lengths stay below this.
_MOST = 1 << 62


# reshape, ravel, flatten.

@library("numpy.ndarray.reshape")
def array_reshape(self, *shape, order="C"):
    if not is_array(self):
        return None
    if len(shape) == 1 and is_fixed_list(shape[0]):
        known = literal(order)
        return lambda self, *shape, order="C": numpy.reshape(self, tuple(shape[0]), known)
    if len(shape) == 1 and is_shape(shape[0]):
        as_tuple = _ordered_reshaper(self, shape[0], order)

        def reshape_by_tuple(self, *shape, order="C"):
            return as_tuple(self, shape[0])
        return as_tuple and reshape_by_tuple
    if all(isinstance(unliteral(one), Integer) for one in shape):
        as_lengths = _ordered_reshaper(self, shape, order)

        def reshape_by_lengths(self, *shape, order="C"):
            return as_lengths(self, shape)
        return as_lengths and reshape_by_lengths


@library(numpy.reshape, array_like="a", scalars="a")
def reshape(a, shape, order="C"):
    if not is_array(a):
        return None
    if is_fixed_list(shape):
        known = literal(order)
        return lambda a, shape, order="C": numpy.reshape(a, tuple(shape), known)
    if is_shape(shape):
        as_tuple = _ordered_reshaper(a, shape, order)

        def reshape_by_tuple(a, shape, order="C"):
            return as_tuple(a, shape)
        return as_tuple and reshape_by_tuple
    if isinstance(unliteral(shape), Integer):
        as_length = _ordered_reshaper(a, (shape,), order)

        def reshape_by_length(a, shape, order="C"):
            return as_length(a, (shape,))
        return as_length and reshape_by_length


def _ordered_reshaper(array, shape, order):
    """What reshapes in the order of rows, or of columns: the same for the axes turned round."""
    if len({unliteral(one) for one in shape}) > 1:
        alike, widen = _ordered_reshaper(array, (shape[0],) * len(shape), order), each_of([_wide] * len(shape))
        return alike and register_jitable(lambda a, shape: alike(a, widen(shape)))
    order = literal(order)
    if order not in ("C", "F", "A"):
        raise TypingError("order has to be 'C', 'F' or 'A', and known when the function compiles")
    if order == "A" and array.layout == "A" and array.ndim > 1:
        raise TypingError("order='A' of an array whose layout is not known when the function compiles: say 'C' or 'F'")
    if order == "C" or order == "A" and array.layout != "F" or len(shape) < 2 and array.ndim < 2:
        return _reshaper(array, shape)

    @register_jitable
    def by_columns(a, shape):
        turned = scratch_like(shape, 0)
        for at in range(len(shape)):
            scratch_set(turned, at, numpy.int64(shape[len(shape) - 1 - at]))
        return a.T.reshape(tuple(scratch_items(turned))).T
    return by_columns if len(shape) else _reshape_to_scalar


def _wide(length):
    return numpy.int64(length)


def _reshaper(array, shape):
    """What reshapes such an array to a tuple like this."""
    if len(shape) == 0:
        return _reshape_to_scalar
    return _reshape_rows if array.layout == "C" else _reshape_any


@register_jitable
def _reshape_to_scalar(a, shape):
    raise_if(a.size != 1, "ValueError", "cannot reshape array of size {} into shape ()", a.size)
    return array_view(a, a.dtype, 0, (), (), "C")


@register_jitable
def _reshape_rows(a, shape):
    lengths = _fitting(a.size, shape)
    return array_view(a, a.dtype, 0, lengths, lengths, "C")


@register_jitable
def _reshape_any(a, shape):
    lengths = _fitting(a.size, shape)
    strides = scratch_like(lengths, 0)
    if a.size > 0 and _regroup(a.shape, a.strides, lengths, strides):
        return array_view(a, a.dtype, 0, lengths, tuple(scratch_items(strides)), "A")
    _follow(lengths, strides, a.itemsize)
    return array_view(a.copy(), a.dtype, 0, lengths, tuple(scratch_items(strides)), "A")


_MISFIT = "cannot reshape array of size {} into shape {}"


@register_jitable
def _fitting(size, shape):
    """The shape with the length that is left open filled in."""
    lengths = scratch_like(shape, 0)
    known, unknown = 1, -1
    for at in range(len(shape)):
        length = numpy.int64(shape[at])
        scratch_set(lengths, at, length)
        if length < 0:
            raise_if(unknown >= 0, "ValueError", "can only specify one unknown dimension")
            unknown = at
        else:
            raise_if(length > 0 and known > _MOST // length, "ValueError", _MISFIT, size, shape)
            known *= length
    if unknown < 0:
        raise_if(known != size, "ValueError", _MISFIT, size, shape)
    else:
        raise_if(known == 0 or size % known != 0, "ValueError", _MISFIT, size, shape)
        scratch_set(lengths, unknown, size // known)
    return tuple(scratch_items(lengths))


@register_jitable
def _follow(lengths, strides, stride):
    """The strides of rows without gaps."""
    for at in range(len(lengths) - 1, -1, -1):
        scratch_set(strides, at, stride)
        stride *= lengths[at]


@register_jitable
def _regroup(lengths, strides, wanted, found):
    """Finds strides for other lengths over the same items in the same order, where there are any.

    From the front, the fewest dimensions of both shapes that hold the same number of items are a group. Inside of one,
    the old dimensions must lie behind each other without gaps.
    """
    old, old_strides, count = scratch(lengths), scratch(lengths), 0
    for at in range(len(lengths)):
        if lengths[at] != 1:
            scratch_set(old, count, lengths[at])
            scratch_set(old_strides, count, strides[at])
            count += 1
    start, first = 0, 0
    stride = numpy.int64(0)
    while start < len(wanted) and first < count:
        end, last = start + 1, first + 1
        ours, theirs = wanted[start], scratch_get(old, first)
        while ours != theirs:
            if ours < theirs:
                ours *= wanted[end]
                end += 1
            else:
                theirs *= scratch_get(old, last)
                last += 1
        for at in range(first, last - 1):
            if scratch_get(old_strides, at) != scratch_get(old, at + 1) * scratch_get(old_strides, at + 1):
                return False
        stride = scratch_get(old_strides, last - 1)
        for at in range(end - 1, start - 1, -1):
            scratch_set(found, at, stride)
            stride *= wanted[at]
        stride = scratch_get(found, end - 1)
        start, first = end, last
    for at in range(start, len(wanted)):
        scratch_set(found, at, stride)
    return True


@library("numpy.ndarray.ravel")
def array_ravel(self, order="C"):
    if is_array(self):
        row = _ordered_raveler(self, order)

        def ravel(self, order="C"):
            return row(self)
        return ravel


@library(numpy.ravel, array_like="a", scalars="a")
def ravel(a, order="C"):
    if is_array(a):
        row = _ordered_raveler(a, order)

        def ravel(a, order="C"):
            return row(a)
        return ravel


def _goes_by_columns(array, order):
    """Whether items are wanted in the order of columns."""
    order = literal(order)
    if order not in ("C", "F", "A", "K"):
        raise TypingError("order has to be 'C', 'F', 'A' or 'K', and known when the function compiles")
    if order in "AK" and array.layout == "A" and array.ndim > 1:
        raise TypingError(f"order='{order}' of an array whose layout is not known when the function compiles: say 'C' or 'F'")
    return array.ndim > 1 and (order == "F" or order in "AK" and array.layout == "F")


def _ordered_raveler(array, order):
    if not _goes_by_columns(array, order):
        return _raveler(array)
    return register_jitable(lambda a: numpy.ravel(a.T))


def _raveler(array):
    # A copy can be written; whether it is one is not known at compile time.
    return _copy_row if not array.mutable and array.layout != "C" else _ravel


@register_jitable
def _copy_row(a):
    return array_view(a.copy(), a.dtype, 0, (a.size,), (a.size,), "C")


@register_jitable
def _ravel(a):
    if a.flags.c_contiguous:
        return array_view(a, a.dtype, 0, (a.size,), (a.size,), "C")
    return array_view(a.copy(), a.dtype, 0, (a.size,), (a.size,), "C")


@library("numpy.ndarray.flatten")
def array_flatten(self, order="C"):
    if not is_array(self):
        return None

    def flatten(self, order="C"):
        return array_view(self.copy(), self.dtype, 0, (self.size,), (self.size,), "C")

    def flatten_columns(self, order="C"):
        return array_view(self.T.copy(), self.dtype, 0, (self.size,), (self.size,), "C")
    return flatten_columns if _goes_by_columns(self, order) else flatten


# Dimensions in another order.

@library("numpy.ndarray.transpose")
def array_transpose(self, *axes):
    if not is_array(self):
        return None
    if not axes or len(axes) == 1 and isinstance(axes[0], NoneType):
        def reverse(self, *axes):
            return self.T
        return reverse
    if len(axes) == 1 and not isinstance(unliteral(axes[0]), Integer):
        return lambda self, *axes: numpy.transpose(self, axes[0])
    if all(isinstance(unliteral(one), Integer) for one in axes):
        order = _orderer(self, axes)

        def transpose_by_axes(self, *axes):
            return order(self, axes)
        return transpose_by_axes


@library(getattr(numpy, "matrix_transpose", None))
def matrix_transpose(x):
    if is_array(x) and x.ndim >= 2:
        return lambda x: numpy.swapaxes(x, -1, -2)


@library(numpy.rollaxis)
def rollaxis(a, axis, start=0):
    if is_array(a) and a.ndim:
        def rolled(a, axis, start=0):
            ndim = a.ndim
            raise_if(axis < -ndim or axis >= ndim, "AxisError", _OUTSIDE, axis, ndim)
            along = axis % ndim
            end = start + ndim if start < 0 else start
            raise_if(end < 0 or end > ndim, "AxisError", "'start' arg requires {} <= start < {}, but {} was passed in",
                     -ndim, ndim + 1, start)
            return numpy.moveaxis(a, along, end - 1 if along < end else end)
        return rolled


@library(numpy.transpose, array_like="a")
def transpose(a, axes=None):
    if not is_array(a):
        return None
    if is_fixed_list(axes):
        return lambda a, axes=None: numpy.transpose(a, tuple(axes))
    if is_array(axes):
        raise TypingError("axes has to be a tuple of integers: how many an array holds is not known when the function compiles")
    if is_absent(axes):
        def reverse(a, axes=None):
            return a.T
        return reverse
    if is_shape(axes):
        order = _orderer(a, axes)

        def transpose_by_tuple(a, axes=None):
            return order(a, axes)
        return transpose_by_tuple
    if is_list(axes) and isinstance(axes.dtype, Integer):
        return _order_by_list if a.ndim else _keep_by_list


def _orderer(array, axes):
    if len(axes) != array.ndim:
        return _refuse_axes
    return _order if array.ndim else _keep


@register_jitable
def _refuse_axes(a, axes):
    raise_if(True, "ValueError", "axes don't match array")
    return a


@register_jitable
def _keep(a, axes):
    return a


def _order_by_list(a, axes=None):
    raise_if(len(axes) != a.ndim, "ValueError", "axes don't match array")
    return _order(a, axes)


def _keep_by_list(a, axes=None):
    raise_if(len(axes) != 0, "ValueError", "axes don't match array")
    return a[...]


@register_jitable
def _order(a, axes):
    lengths, strides, used = scratch(a.shape), scratch(a.shape), scratch_like(a.shape, False)
    for at in range(len(axes)):
        scratch_set(used, at, False)
    for at in range(len(axes)):
        axis = _axis(axes[at], len(axes))
        raise_if(scratch_get(used, axis), "ValueError", "repeated axis in transpose")
        scratch_set(used, axis, True)
        scratch_set(lengths, at, a.shape[axis])
        scratch_set(strides, at, a.strides[axis])
    return array_view(a, a.dtype, 0, tuple(scratch_items(lengths)), tuple(scratch_items(strides)), "A")


@register_jitable
def _axis(axis, ndim):
    """An axis counted from the front."""
    raise_if(axis < -ndim or axis >= ndim, "AxisError", "axis {} is out of bounds for array of dimension {}", axis, ndim)
    return axis + ndim if axis < 0 else axis


@library(numpy.swapaxes)
def swapaxes(a, axis1, axis2):
    if is_array(a) and a.ndim:
        return _swapaxes


@library("numpy.ndarray.swapaxes")
def array_swapaxes(self, axis1, axis2):
    if is_array(self) and self.ndim:
        def swapaxes(self, axis1, axis2):
            return numpy.swapaxes(self, axis1, axis2)
        return swapaxes


def _swapaxes(a, axis1, axis2):
    ndim = a.ndim
    raise_if(axis1 < -ndim or axis1 >= ndim, "AxisError",
             "axis1: axis {} is out of bounds for array of dimension {}", axis1, ndim)
    raise_if(axis2 < -ndim or axis2 >= ndim, "AxisError",
             "axis2: axis {} is out of bounds for array of dimension {}", axis2, ndim)
    first = axis1 + ndim if axis1 < 0 else axis1
    second = axis2 + ndim if axis2 < 0 else axis2
    lengths, strides = scratch(a.shape), scratch(a.strides)
    scratch_set(lengths, first, a.shape[second])
    scratch_set(lengths, second, a.shape[first])
    scratch_set(strides, first, a.strides[second])
    scratch_set(strides, second, a.strides[first])
    return array_view(a, a.dtype, 0, tuple(scratch_items(lengths)), tuple(scratch_items(strides)), "A")


@library(numpy.moveaxis)
def moveaxis(a, source, destination):
    if not is_array(a):
        raise TypingError('The first argument "a" must be an array')
    if is_fixed_list(source) or is_fixed_list(destination):
        first = register_jitable((lambda axes: tuple(axes)) if is_fixed_list(source) else (lambda axes: axes))
        second = register_jitable((lambda axes: tuple(axes)) if is_fixed_list(destination) else (lambda axes: axes))
        return lambda a, source, destination: numpy.moveaxis(a, first(source), second(destination))
    if is_shape(source) and is_shape(destination):
        return _mover(a.ndim, len(source), len(destination))
    integers = isinstance(unliteral(source), Integer) and isinstance(unliteral(destination), Integer)
    if is_array(a) and a.ndim and integers:
        return _moveaxis


def _moveaxis(a, source, destination):
    ndim = a.ndim
    raise_if(source < -ndim or source >= ndim, "AxisError",
             "source: axis {} is out of bounds for array of dimension {}", source, ndim)
    raise_if(destination < -ndim or destination >= ndim, "AxisError",
             "destination: axis {} is out of bounds for array of dimension {}", destination, ndim)
    start = source + ndim if source < 0 else source
    end = destination + ndim if destination < 0 else destination
    lengths, strides = scratch(a.shape), scratch(a.strides)
    taken = 0
    for at in range(ndim):
        if at == end:
            axis = start
        else:
            taken += taken == start
            axis = taken
            taken += 1
        scratch_set(lengths, at, a.shape[axis])
        scratch_set(strides, at, a.strides[axis])
    return array_view(a, a.dtype, 0, tuple(scratch_items(lengths)), tuple(scratch_items(strides)), "A")


def _mover(ndim, count, wanted):
    """What moves the axes that a tuple names to indices that another one names."""
    indices, sources = (0,) * ndim, (0,) * max(ndim, 1)

    def move(a, source, destination):
        raise_if(count != wanted, "ValueError", "`source` and `destination` arguments must have the same number of elements")
        order, used = scratch_like(indices, 0), scratch_like(sources, False)
        for at in range(ndim):
            scratch_set(order, at, -1)
            scratch_set(used, at, False)
        for at in range(count):
            start, end = numpy.int64(source[at]), numpy.int64(destination[at])
            raise_if(start < -ndim or start >= ndim, "AxisError",
                     "source: axis {} is out of bounds for array of dimension {}", start, ndim)
            raise_if(end < -ndim or end >= ndim, "AxisError",
                     "destination: axis {} is out of bounds for array of dimension {}", end, ndim)
            raise_if(scratch_get(used, start % ndim), "ValueError", "repeated axis in `source` argument")
            raise_if(scratch_get(order, end % ndim) >= 0, "ValueError", "repeated axis in `destination` argument")
            scratch_set(used, start % ndim, True)
            scratch_set(order, end % ndim, start % ndim)
        taken = 0
        for at in range(ndim):
            if scratch_get(order, at) < 0:
                while scratch_get(used, taken):
                    taken += 1
                scratch_set(order, at, taken)
                taken += 1
        return numpy.transpose(a, tuple(scratch_items(order)))
    return move
