"""Broadcasting: `broadcast_to`, `broadcast_shapes`, `broadcast_arrays`; `as_strided`."""
import numpy
from numpy.lib import stride_tricks

from ...errors import TypingError
from ...extending import register_jitable
from ...intrinsics import array_readonly, array_view, raise_if, scratch_get, scratch_items, scratch_like, scratch_set
from ...types import Boolean, Integer, Number, unliteral
from .. import library
from .._predicates import each_of, is_absent, is_array, is_fixed_list, is_shape
from .._array_like import is_number, is_sequence


def _is_integer(ty):
    return isinstance(unliteral(ty), Integer)


@library(numpy.broadcast_to, array_like="array")
def broadcast_to(array, shape):
    if isinstance(unliteral(array), (Number, Boolean)):
        def broadcast_number(array, shape):
            return numpy.broadcast_to(numpy.array(array), shape)
        return broadcast_number
    if isinstance(getattr(array, "literal_value", None), str):
        return lambda array, shape: numpy.broadcast_to(numpy.asarray(array), shape)
    if not is_array(array):
        raise TypingError('The first argument "array" must be array-like')
    if _is_integer(shape):
        def broadcast_to_length(array, shape):
            return numpy.broadcast_to(array, (shape,))
        return broadcast_to_length
    if is_fixed_list(shape):
        return lambda array, shape: numpy.broadcast_to(array, tuple(shape))
    if not is_shape(shape):
        raise TypingError('The second argument "shape" must be a tuple of integers')
    if len(shape) == 0:
        return _broadcast_to_nothing if array.ndim else _broadcast_number_to_nothing
    stretch = _stretch_number if array.ndim == 0 else _stretch if array.ndim <= len(shape) else _refuse_stretch

    def broadcast(array, shape):
        for at in range(len(shape)):
            raise_if(shape[at] < 0, "ValueError", "all elements of broadcast shape must be non-negative")
        return array_readonly(stretch(array, shape))
    return broadcast


def _broadcast_to_nothing(array, shape):
    raise_if(True, "ValueError", "cannot broadcast a non-scalar to a scalar array")
    return array_readonly(array_view(array, array.dtype, 0, (), (), "C"))


def _broadcast_number_to_nothing(array, shape):
    return array_readonly(array)


_UNSTRETCHED = "operands could not be broadcast together with remapped shapes [original->remapped]: {}  and requested shape {}"
_TOO_MANY = "input operand has more dimensions than allowed by the axis remapping"


@register_jitable
def _refuse_stretch(array, shape):
    raise_if(True, "ValueError", _TOO_MANY)
    return array_view(array, array.dtype, 0, shape, shape, "A")


@register_jitable
def _stretch_number(array, shape):
    strides, lengths = scratch_like(shape, 0), scratch_like(shape, 0)
    for at in range(len(shape)):
        scratch_set(lengths, at, numpy.int64(shape[at]))
        scratch_set(strides, at, 0)
    return array_view(array, array.dtype, 0, tuple(scratch_items(lengths)), tuple(scratch_items(strides)), "A")


@register_jitable
def _stretch(array, shape):
    strides, lengths = scratch_like(shape, 0), scratch_like(shape, 0)
    new = len(shape) - array.ndim
    for at in range(len(shape)):
        scratch_set(lengths, at, numpy.int64(shape[at]))
        scratch_set(strides, at, 0)
        if at >= new:
            own = array.shape[at - new]
            if own != 1:
                raise_if(own != shape[at], "ValueError", _UNSTRETCHED, array.shape, shape)
                scratch_set(strides, at, array.strides[at - new])
    return array_view(array, array.dtype, 0, tuple(scratch_items(lengths)), tuple(scratch_items(strides)), "A")


# A shape for several.

@library(numpy.broadcast_shapes)
def broadcast_shapes(*args):
    for number, one in enumerate(args):
        if not (_is_integer(one) or is_shape(one)):
            raise TypingError(f"Argument {number} must be either an int or tuple[int]")
    lengths = each_of([_one_length if _is_integer(one) else _same for one in args])
    counts = [1 if _is_integer(one) else len(one) for one in args]
    if not counts or not max(counts):
        return lambda *args: ()
    common = _common(counts)

    def broadcast(*args):
        return common(lengths(args))
    return broadcast


def _one_length(length):
    return (length,)


def _same(shape):
    return shape


_APART = ("shape mismatch: objects cannot be broadcast to a single shape.  "
          "Mismatch is between arg {} with shape {!r} and arg {} with shape {!r}.")


_NEGATIVE = "negative dimensions are not allowed"


def _common(counts):
    """What gives the shape that shapes with so many lengths stretch to."""
    most = max(counts)
    ones = (1,) * most
    join = _joiner(counts, len(counts) - 1, most)

    @register_jitable
    def common(shapes):
        lengths, sources = scratch_like(ones, 0), scratch_like(ones, 0)
        for axis in range(most):
            scratch_set(lengths, axis, 1)
            scratch_set(sources, axis, 0)
            join(shapes, axis, lengths, sources)
        return tuple(scratch_items(lengths))
    return common


def _joiner(counts, number, most):
    """What stretches the length of an axis by the shapes up to this number."""
    new = most - counts[number]
    if number == 0:
        @register_jitable
        def first(shapes, axis, lengths, sources):
            if axis >= new:
                length = numpy.int64(shapes[0][axis - new])
                raise_if(length < 0, "ValueError", _NEGATIVE)
                scratch_set(lengths, axis, length)
        return first if counts[0] else _join_nothing
    before = _joiner(counts, number - 1, most)
    if not counts[number]:
        return before
    refuse = _refuser(number, number - 1)

    @register_jitable
    def join(shapes, axis, lengths, sources):
        before(shapes, axis, lengths, sources)
        if axis < new:
            return
        length, known = numpy.int64(shapes[number][axis - new]), scratch_get(lengths, axis)
        raise_if(length < 0, "ValueError", _NEGATIVE)
        if length != 1 and known == 1:
            scratch_set(lengths, axis, length)
            scratch_set(sources, axis, number)
        elif length != 1 and length != known:
            refuse(shapes, scratch_get(sources, axis))
    return join


@register_jitable
def _join_nothing(shapes, axis, lengths, sources):
    pass


def _refuser(number, other):
    """What tells that a shape does not go with the one that a length is from."""
    if other == 0:
        @register_jitable
        def last(shapes, source):
            raise_if(True, "ValueError", _APART, 0, shapes[0], number, shapes[number])
        return last
    before = _refuser(number, other - 1)

    @register_jitable
    def refuse(shapes, source):
        raise_if(source == other, "ValueError", _APART, other, shapes[other], number, shapes[number])
        before(shapes, source)
    return refuse


@library(numpy.broadcast_arrays)
def broadcast_arrays(*args):
    for number, one in enumerate(args):
        if not (is_array(one) or is_number(one) or is_sequence(one)):
            raise TypingError(f'Argument "{number}" must be array-like')
    if not args:
        return None
    arrays = each_of([_same if is_array(one) else _as_array for one in args])
    if any(map(is_sequence, args)):
        return lambda *args: numpy.broadcast_arrays(*arrays(args))
    shapes = each_of([_shape_of] * len(args))
    counts = [one.ndim if is_array(one) else 0 for one in args]
    if not max(counts):
        return lambda *args: arrays(args)
    common, stretched = _common(counts), _each_stretched(counts)

    def broadcast(*args):
        all_arrays = arrays(args)
        return stretched(all_arrays, common(shapes(all_arrays)))
    return broadcast


def _as_array(given):
    return numpy.asarray(given)


def _shape_of(array):
    return array.shape


def _each_stretched(counts):
    stretch = _stretch if counts[0] else _stretch_number
    if len(counts) == 1:
        return register_jitable(lambda arrays, shape: (stretch(arrays[0], shape),))
    rest = _each_stretched(counts[1:])

    @register_jitable
    def both(arrays, shape):
        return (stretch(arrays[0], shape),) + rest(arrays[1:], shape)
    return both


@library(stride_tricks.as_strided)
def as_strided(x, shape=None, strides=None):
    if not is_array(x) or not (is_absent(shape) or is_shape(shape)) or not (is_absent(strides) or is_shape(strides)):
        return None
    layout = "C" if is_absent(strides) and x.layout == "C" and is_absent(shape) else "A"

    def both(x, shape=None, strides=None):
        return array_view(x, x.dtype, 0, shape, strides, layout)

    def own_shape(x, shape=None, strides=None):
        return array_view(x, x.dtype, 0, x.shape, strides, layout)

    def own_strides(x, shape=None, strides=None):
        return array_view(x, x.dtype, 0, shape, x.strides, layout)

    def neither(x, shape=None, strides=None):
        return array_view(x, x.dtype, 0, x.shape, x.strides, layout)
    if is_absent(strides):
        return neither if is_absent(shape) else own_strides
    return own_shape if is_absent(shape) else both


@library(stride_tricks.sliding_window_view)
def sliding_window_view(x, window_shape, axis=None):
    if not is_array(x):
        raise TypingError("x must be an array")
    if _is_integer(window_shape):
        if not (is_absent(axis) or _is_integer(axis)) and not (is_shape(axis) and len(axis) == 1):
            raise TypingError("axis must be None, an integer or tuple of integers")
        if is_absent(axis):
            return lambda x, window_shape, axis=None: stride_tricks.sliding_window_view(x, (window_shape,))
        if _is_integer(axis):
            return lambda x, window_shape, axis=None: stride_tricks.sliding_window_view(x, (window_shape,), (axis,))
        return lambda x, window_shape, axis=None: stride_tricks.sliding_window_view(x, (window_shape,), axis)
    if not is_shape(window_shape):
        raise TypingError("window_shape must be an integer or tuple of integers")
    if not (is_absent(axis) or _is_integer(axis) or is_shape(axis)):
        raise TypingError("axis must be None, an integer or tuple of integers")
    if _is_integer(axis):
        return lambda x, window_shape, axis=None: stride_tricks.sliding_window_view(x, window_shape, (axis,))
    return _windower(x, window_shape, axis)


def _windower(x, window_shape, axis):
    count, ndim = len(window_shape), x.ndim
    more, has_axis = (0,) * (ndim + count), not is_absent(axis)
    named = len(axis) if has_axis else ndim
    axis_of = register_jitable((lambda axis, at: axis[at]) if has_axis else (lambda axis, at: at))
    misfit = ("Must provide matching length window_shape and axis; got {} window_shape elements and {} axes elements." if has_axis
              else "Since axis is None, must provide window_shape for all dimensions of `x`; got {} window_shape elements and "
              "`x.ndim` is {}.")

    def windows(x, window_shape, axis=None):
        for at in range(count):
            raise_if(window_shape[at] < 0, "ValueError", "`window_shape` cannot contain negative values")
        raise_if(count != named, "ValueError", misfit, count, named)
        lengths, strides = scratch_like(more, 0), scratch_like(more, 0)
        for at in range(ndim):
            scratch_set(lengths, at, x.shape[at])
            scratch_set(strides, at, x.strides[at])
        for at in range(count):
            given = numpy.int64(axis_of(axis, at))
            raise_if(given < -ndim or given >= ndim, "AxisError", "axis {} is out of bounds for array of dimension {}", given, ndim)
            along, window = given % ndim, numpy.int64(window_shape[at])
            raise_if(scratch_get(lengths, along) < window, "ValueError", "window shape cannot be larger than input array shape")
            scratch_set(lengths, along, scratch_get(lengths, along) - window + 1)
            scratch_set(lengths, ndim + at, window)
            scratch_set(strides, ndim + at, x.strides[along])
        return array_readonly(array_view(x, x.dtype, 0, tuple(scratch_items(lengths)), tuple(scratch_items(strides)), "A"))
    return windows
