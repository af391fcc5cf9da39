"""`roll`, `repeat`, `tile`, `append`; `cross`."""
import numpy

from ...compat import numpy_extensions
from ...errors import TypingError
from ...extending import register_jitable
from ...intrinsics import array_view, raise_if, scratch_items, scratch_like, scratch_set
from ...types import Boolean, Integer, Number, unliteral
from ...types.typeof import as_dtype
from .. import library
from ._axis import check_axis
from .._predicates import (
    is_absent, is_array, is_fixed_list, is_integer, is_integer_or_bool, is_movable, is_numeric_array, is_shape)
from .._array_like import is_number, is_sequence, is_time


# roll.

@register_jitable
def _turn(row, to, shift):
    if row.size:
        start = shift % row.size
        to[start:] = row[:row.size - start]
        to[:start] = row[row.size - start:]


@library(numpy.roll, array_like="a", scalars="a")
def roll(a, shift, axis=None):
    if not is_movable(a):
        return None
    if is_fixed_list(shift) or is_fixed_list(axis):
        as_tuple = {of: register_jitable((lambda one: tuple(one)) if is_fixed_list(of) else (lambda one: one)) for of in (shift, axis)}
        shifts, axes = as_tuple[shift], as_tuple[axis]
        return lambda a, shift, axis=None: numpy.roll(a, shifts(shift), axes(axis))
    if is_shape(shift) and is_shape(axis) and len(shift) == len(axis) and len(shift):
        return _roll_several(len(shift) - 1)
    if is_shape(axis) and is_integer(shift) and len(axis):
        return _roll_all(len(axis) - 1)
    if not is_integer_or_bool(shift):
        raise TypingError("shift must be an integer")

    def rolled(a, shift, axis=None):
        made = numpy.empty(a.shape, a.dtype)
        _turn(a.ravel(), array_view(made, made.dtype, 0, (made.size,), (made.itemsize,), "C"), int(shift))
        return made

    last = a.ndim - 1

    def along(a, shift, axis=None):
        check_axis(a, axis)
        made = numpy.empty(a.shape, a.dtype)
        if axis == -1 or axis == last:
            # Rows are copied one after the other.
            _turn_rows(a, made, int(shift))
        else:
            _turn_parts(numpy.moveaxis(a, axis, 0), numpy.moveaxis(made, axis, 0), int(shift))
        return made
    if is_absent(axis):
        return rolled
    return along if is_integer(axis) and a.ndim else None


@register_jitable
def _turn_parts(parts, to, shift):
    size = parts.shape[0]
    if size:
        start = shift % size
        to[start:] = parts[:size - start]
        to[:start] = parts[size - start:]


@register_jitable
def _turn_rows(rows, to, shift):
    size = rows.shape[-1]
    if size:
        start = shift % size
        to[..., start:] = rows[..., :size - start]
        to[..., :start] = rows[..., size - start:]


def _roll_several(number):
    if number == 0:
        return lambda a, shift, axis=None: numpy.roll(a, shift[0], axis[0])
    before = register_jitable(_roll_several(number - 1))
    return lambda a, shift, axis=None: numpy.roll(before(a, shift, axis), shift[number], axis[number])


def _roll_all(number):
    if number == 0:
        return lambda a, shift, axis=None: numpy.roll(a, shift, axis[0])
    before = register_jitable(_roll_all(number - 1))
    return lambda a, shift, axis=None: numpy.roll(before(a, shift, axis), shift, axis[number])


# repeat.

_UNBROADCAST = "operands could not be broadcast together with shape ({},) ({},)"


def _repeater(repeats):
    """What copies parts along the first axis as often as is asked for; and how many there will be."""
    @register_jitable
    def each_count(size, repeats):
        raise_if(repeats < 0, "ValueError", "negative dimensions are not allowed")
        return size * repeats

    @register_jitable
    def sum_of_counts(size, repeats):
        raise_if(repeats.size != 1 and repeats.size != size, "ValueError", _UNBROADCAST, size, repeats.size)
        total = 0
        raise_if(repeats.size == 1 and repeats[0] < 0, "ValueError", "negative dimensions are not allowed")
        for at in range(repeats.size):
            raise_if(repeats[at] < 0, "ValueError", "repeats may not contain negative values.")
            total += repeats[at]
        return total * size if repeats.size == 1 and size != 1 else total

    @register_jitable
    def each(parts, made, repeats):
        at = 0
        for number in range(parts.shape[0]):
            for _ in range(repeats):
                made[at] = parts[number]
                at += 1

    @register_jitable
    def by_counts(parts, made, repeats):
        at = 0
        for number in range(parts.shape[0]):
            for _ in range(repeats[number if repeats.size > 1 else 0]):
                made[at] = parts[number]
                at += 1
    return (by_counts, sum_of_counts) if is_array(repeats) else (each, each_count)


@register_jitable(boundscheck=False)
def _repeat_items(items, made, repeats):
    """Each item so many times in a row."""
    at = numpy.uintp(0)
    for number in range(items.size):
        item = items[numpy.uintp(number)]
        for _ in range(repeats):
            made[at] = item
            at += numpy.uintp(1)


def _repeated(a, repeats, axis):
    if not is_movable(a):
        return None
    if not is_integer(repeats) and not (is_array(repeats) and isinstance(repeats.dtype, (Integer, Boolean))):
        raise TypingError("The repeats argument must be an integer or an array-like of integer dtype")
    if is_array(repeats) and repeats.ndim > 1:
        raise TypingError("The repeats argument must be of one dimension: object too deep for desired array")
    if is_array(repeats) and not repeats.ndim:
        return register_jitable(lambda a, repeats, axis: numpy.repeat(a, repeats[()], axis))
    fill, count = _repeater(repeats)

    in_rows = is_integer(repeats) and isinstance(a.dtype, (Number, Boolean))

    @register_jitable
    def flat(a, repeats, axis):
        row = a.ravel()
        made = numpy.empty(count(row.size, repeats), a.dtype)
        if in_rows:
            _repeat_items(row, made, repeats)
        else:
            fill(row, made, repeats)
        return made

    @register_jitable
    def along(a, repeats, axis):
        check_axis(a, axis)
        parts, lengths = numpy.moveaxis(a, axis, 0), scratch_like(a.shape, 0)
        for at in range(a.ndim):
            scratch_set(lengths, at, a.shape[at])
        scratch_set(lengths, axis % a.ndim, count(parts.shape[0], repeats))
        made = numpy.empty(tuple(scratch_items(lengths)), a.dtype)
        if in_rows and a.flags.c_contiguous and axis % a.ndim == a.ndim - 1:
            _repeat_items(a.ravel(), made.ravel(), repeats)
        else:
            fill(parts, numpy.moveaxis(made, axis, 0), repeats)
        return made
    if is_absent(axis):
        return flat
    return along if is_integer(axis) and a.ndim else None


@library(numpy.repeat, array_like="a repeats", scalars="a")
def repeat(a, repeats, axis=None):
    found = _repeated(a, repeats, axis)
    if found:
        return lambda a, repeats, axis=None: found(a, repeats, axis)


@library("numpy.ndarray.repeat")
def array_repeat(self, repeats, axis=None):
    if is_sequence(repeats):
        return lambda self, repeats, axis=None: numpy.repeat(self, numpy.asarray(repeats), axis)
    found = _repeated(self, repeats, axis)
    if found:
        return lambda self, repeats, axis=None: found(self, repeats, axis)


# tile.

@library(numpy.tile, array_like="A", scalars="A")
def tile(A, reps):
    if not is_movable(A):
        return None
    if is_integer(reps):
        return lambda A, reps: numpy.tile(A, (reps,))
    if is_array(reps) or not is_shape(reps):
        return None
    if not len(reps):
        return lambda A, reps: A.copy()
    ndim, ones = max(A.ndim, len(reps)), (1,) * max(A.ndim, len(reps))
    new, late = ndim - A.ndim, ndim - len(reps)
    fill = _tile_row if ndim == 1 else _tile_into

    def tiled(A, reps):
        own, lengths = scratch_like(ones, 0), scratch_like(ones, 0)
        for at in range(ndim):
            length = A.shape[at - new] if at >= new else 1
            scratch_set(own, at, length)
            scratch_set(lengths, at, length * (max(reps[at - late], 0) if at >= late else 1))
        source = A.reshape(tuple(scratch_items(own)))
        made = numpy.empty(tuple(scratch_items(lengths)), A.dtype)
        if made.size:
            fill(source, made)
        return made
    return tiled


@register_jitable
def _tile_row(source, made):
    for start in range(0, made.size, source.size):
        made[start:start + source.size] = source


@register_jitable
def _tile_into(source, made):
    for index in numpy.ndindex(made.shape[:-1]):
        from_index = scratch_like(index, 0)
        for at in range(len(index)):
            scratch_set(from_index, at, index[at] % source.shape[at])
        _tile_row(source[tuple(scratch_items(from_index))], made[index])


# append.

@library(numpy.append, array_like="arr values", scalars="arr")
def append(arr, values, axis=None):
    if not (is_movable(arr) or is_number(arr)):
        raise TypingError('The first argument "arr" must be array-like')
    if not (is_movable(values) or is_number(values) or is_time(values)):
        raise TypingError('The second argument "values" must be array-like')
    if not is_absent(axis):
        if not is_integer(axis):
            raise TypingError('The third argument "axis" must be an integer')
        if is_array(values) and arr.ndim != values.ndim:
            raise TypingError("all the input arrays must have same number of dimensions")
        return (lambda arr, values, axis=None: numpy.concatenate((arr, values), axis)) if is_array(values) else None
    other = values.dtype if is_array(values) else unliteral(values)
    item = numpy.promote_types(as_dtype(arr.dtype), as_dtype(other))
    if is_array(values):
        def more(arr, values, axis=None):
            first, second = arr.ravel(), values.ravel()
            made = numpy.empty(first.size + second.size, item)
            made[:first.size] = first
            made[first.size:] = second
            return made
        return more

    def one_more(arr, values, axis=None):
        first = arr.ravel()
        made = numpy.empty(first.size + 1, item)
        made[:first.size] = first
        made[first.size] = values
        return made
    return one_more


# Vectors at right angles to two others.

@library(numpy.cross, array_like="a b")
def cross(a, b):
    if not all(is_numeric_array(one) and one.ndim and isinstance(one.dtype, Number) for one in (a, b)):
        raise TypingError("Inputs must be array-like.")
    item = numpy.promote_types(as_dtype(a.dtype), as_dtype(b.dtype)).type

    @register_jitable
    def check(a, b):
        one, other = a.shape[-1], b.shape[-1]
        if one not in (2, 3) or other not in (2, 3):
            raise ValueError("Incompatible dimensions for cross product\n(dimension must be 2 or 3)")
        if one == 2 and other == 2:
            raise ValueError(_BOTH_FLAT)

    @register_jitable
    def product(a, b, made):
        a2 = a[2] if a.size == 3 else item(0)
        b2 = b[2] if b.size == 3 else item(0)
        made[0] = a[1] * b2 - a2 * b[1]
        made[1] = a2 * b[0] - a[0] * b2
        made[2] = a[0] * b[1] - a[1] * b[0]

    def one(a, b):
        check(a, b)
        made = numpy.empty(3, item)
        product(a, b, made)
        return made

    def each(a, b):
        check(a, b)
        shape = numpy.broadcast_shapes(a.shape[:-1], b.shape[:-1])
        lefts = numpy.broadcast_to(a, shape + a.shape[-1:])
        rights = numpy.broadcast_to(b, shape + b.shape[-1:])
        made = numpy.empty(shape + (3,), item)
        for index in numpy.ndindex(shape):
            product(lefts[index], rights[index], made[index])
        return made
    return one if a.ndim == b.ndim == 1 else each


_BOTH_FLAT = ("Dimensions for both inputs is 2.\nThe cross product of two vectors in a plane is a number, which "
              "`cross2d(a, b)` from `numba.np.extensions` gives: it is in rumba.numba, too.")


@library(numpy_extensions.cross2d, array_like="a b")
def cross2d(a, b):
    if not all(is_numeric_array(one) and one.ndim and isinstance(one.dtype, Number) for one in (a, b)):
        raise TypingError("Inputs must be array-like.")

    def products(a, b):
        raise_if(a.shape[-1] != 2 or b.shape[-1] != 2, "ValueError", numpy_extensions.NOT_FLAT)
        return numpy.asarray(a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0])
    return products
