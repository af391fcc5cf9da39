"""Conversion between flat and multi-dimensional indices: `ravel_multi_index` and `unravel_index`."""
import numpy

from ...errors import TypingError
from ...extending import register_jitable
from ...intrinsics import raise_if
from ...types import Integer
from .. import library
from .._array_like import is_number, is_sequence
from .._predicates import is_array, is_fixed_list, is_integer, is_shape, length
from ._axis import literal

_WRONG = "invalid entry in coordinates array"
_MODES = ("raise", "wrap", "clip")


def _is_indices(ty):
    return is_integer(ty) or is_array(ty) and isinstance(ty.dtype, Integer)


def _turned(order):
    """Whether the first axis is the one that lies closest."""
    if literal(order) not in ("C", "F"):
        raise TypingError("'order' must be 'C' or 'F', known when the function compiles")
    return literal(order) == "F"


# One number of several.

@library(numpy.ravel_multi_index)
def ravel_multi_index(multi_index, dims, mode="raise", order="C"):
    if is_integer(dims):
        return lambda multi_index, dims, mode="raise", order="C": numpy.ravel_multi_index(multi_index, (dims,), mode, order)
    if is_fixed_list(multi_index):
        return lambda multi_index, dims, mode="raise", order="C": numpy.ravel_multi_index(
            tuple(multi_index), dims, mode, order)
    if not is_shape(dims):
        return None
    count = len(dims)
    fold = _folder(count, _modes(mode, count), _turned(order))
    if is_array(multi_index) and isinstance(multi_index.dtype, Integer) and multi_index.ndim > 0:
        return _of_rows(count, fold)
    if length(multi_index) is None:
        return None
    if len(multi_index) != count:
        raise TypingError(f"parameter multi_index must be a sequence of length {count}")
    if any(is_sequence(one) for one in multi_index):
        as_arrays = _as_arrays(list(multi_index))
        return lambda multi_index, dims, mode="raise", order="C": numpy.ravel_multi_index(
            as_arrays(multi_index), dims, mode, order)
    if not all(_is_indices(one) for one in multi_index):
        raise TypingError("only int indices permitted")
    if not any(is_array(one) for one in multi_index):
        return lambda multi_index, dims, mode="raise", order="C": fold(multi_index, dims)
    return _of_arrays(list(multi_index), _modes(mode, count), _turned(order))


def _as_arrays(types):
    from .._predicates import each_of

    return each_of([(lambda one: numpy.asarray(one)) if is_sequence(ty) else (lambda one: one) for ty in types])


def _modes(mode, count):
    """What happens to an index that is outside, for each axis."""
    found = list(mode) if length(mode) is not None else [mode] * count
    found = [literal(one) for one in found]
    if len(found) != count or not all(one in _MODES for one in found):
        raise TypingError("'mode' must be 'raise', 'wrap' or 'clip', known when the function compiles")
    return found


@register_jitable
def _checked(index, size):
    raise_if(index < 0 or index >= size, "ValueError", _WRONG)
    return index


@register_jitable
def _wrapped(index, size):
    return index % size if size else index


@register_jitable
def _clipped(index, size):
    return 0 if index < 0 else min(index, size - 1)


_FITS = {"raise": _checked, "wrap": _wrapped, "clip": _clipped}


def _folder(count, modes, turned):
    """What makes one number of the indices in a tuple."""
    fit = _FITS[modes[0 if turned else count - 1]] if count else None
    if count == 0:
        return register_jitable(lambda positions, dims: 0)
    if count == 1:
        return register_jitable(lambda positions, dims: fit(numpy.int64(positions[0]), numpy.int64(dims[0])))
    before = _folder(count - 1, modes[1:] if turned else modes[:-1], turned)
    last = count - 1
    if turned:
        return register_jitable(lambda positions, dims: fit(numpy.int64(positions[0]), numpy.int64(dims[0])) + numpy.int64(dims[0]) * (
            before(positions[1:], dims[1:])))
    return register_jitable(lambda positions, dims: before(positions[:last], dims[:last]) * numpy.int64(dims[last]) + (
        fit(numpy.int64(positions[last]), numpy.int64(dims[last]))))


def _of_rows(count, fold):
    """Of an array whose rows are the indices."""
    rows = _rows(count)

    def of_rows(multi_index, dims, mode="raise", order="C"):
        raise_if(multi_index.shape[0] != count, "ValueError", "parameter multi_index must be a sequence of length {}", count)
        return numpy.ravel_multi_index(rows(multi_index), dims, mode, order)
    return of_rows


def _rows(count):
    if count == 0:
        return register_jitable(lambda a: ())
    before, last = _rows(count - 1), count - 1
    return register_jitable(lambda a: before(a) + (a[last],))


def _of_arrays(types, modes, turned):
    shape_of = _shape(types)
    order = range(len(types) - 1, -1, -1) if turned else range(len(types))
    add = _adder([(number, is_array(types[number]), _FITS[modes[number]]) for number in order])

    def of_arrays(multi_index, dims, mode="raise", order="C"):
        made = numpy.zeros(shape_of(multi_index), numpy.int64)
        add(made, multi_index, dims)
        return made
    return of_arrays


def _adder(axes):
    """What brings the indices of these axes into numbers, one axis after the other."""
    if not axes:
        return register_jitable(lambda made, positions, dims: None)
    before, (number, is_row, fit) = _adder(axes[:-1]), axes[-1]

    @register_jitable
    def add_row(made, positions, dims):
        before(made, positions, dims)
        row, size, out = numpy.ravel(numpy.broadcast_to(positions[number], made.shape)), numpy.int64(dims[number]), made.reshape(-1)
        for at in range(out.size):
            out[at] = out[at] * size + fit(numpy.int64(row[at]), size)

    @register_jitable
    def add_number(made, positions, dims):
        before(made, positions, dims)
        size, out = numpy.int64(dims[number]), made.reshape(-1)
        index = fit(numpy.int64(positions[number]), size)
        for at in range(out.size):
            out[at] = out[at] * size + index
    return add_row if is_row else add_number


def _shape(types):
    """What gives the shape that all indices have together."""
    own = _own_shape(types[-1])
    if len(types) == 1:
        return register_jitable(lambda positions: own(positions[0]))
    before, last = _shape(types[:-1]), len(types) - 1
    return register_jitable(lambda positions: numpy.broadcast_shapes(before(positions), own(positions[last])))


def _own_shape(ty):
    return register_jitable((lambda one: one.shape) if is_array(ty) else (lambda one: ()))


# Several numbers of one.

_OUTSIDE = "index {} is out of bounds for array with size {}"


@library(numpy.unravel_index, array_like="indices")
def unravel_index(indices, shape, order="C"):
    if is_integer(shape):
        return lambda indices, shape, order="C": numpy.unravel_index(indices, (shape,), order)
    if not is_shape(shape):
        return None
    if not _is_indices(indices):
        if is_number(indices) or is_array(indices):
            raise TypingError("only int indices permitted")
        return None
    turned = _turned(order)
    if is_array(indices) and indices.ndim:
        return _splitter_of_arrays(len(shape), turned)
    split, size_of = _splitter(len(shape), turned), _product(len(shape))
    item = register_jitable((lambda indices: indices[()]) if is_array(indices) else (lambda indices: indices))

    def of_number(indices, shape, order="C"):
        index, size = numpy.int64(item(indices)), size_of(shape)
        raise_if(index < 0 or index >= size, "ValueError", _OUTSIDE, index, size)
        return split(index, shape)
    return of_number


def _product(count):
    if count == 0:
        return register_jitable(lambda shape: 1)
    before, last = _product(count - 1), count - 1
    return register_jitable(lambda shape: before(shape) * numpy.int64(shape[last]))


def _splitter(count, turned):
    """What gives the tuple of indices for a number."""
    if count == 0:
        return register_jitable(lambda index, shape: ())
    if count == 1:
        return register_jitable(lambda index, shape: (index,))
    before, last = _splitter(count - 1, turned), count - 1
    if turned:
        return register_jitable(lambda index, shape: (index % shape[0],) + before(index // shape[0], shape[1:]))
    return register_jitable(lambda index, shape: before(index // shape[last], shape[:last]) + (index % shape[last],))


def _splitter_of_arrays(count, turned):
    size_of, parts = _product(count), _parts(count, turned)

    def of_array(indices, shape, order="C"):
        size, at = size_of(shape), 0
        rest = numpy.empty(indices.size, numpy.int64)
        for index in indices.flat:
            rest[at] = index
            at += 1
        for index in rest:
            raise_if(index < 0 or index >= size, "ValueError", _OUTSIDE, index, size)
        return parts(rest, indices.shape, shape)
    return of_array


def _parts(count, turned):
    """What gives the tuple of arrays of indices; the array of numbers is used up."""
    if count == 0:
        return register_jitable(lambda rest, lengths, shape: ())
    if count == 1:
        return register_jitable(lambda rest, lengths, shape: (rest.reshape(lengths),))
    before, last = _parts(count - 1, turned), count - 1

    @register_jitable
    def taken(rest, lengths, size):
        made = numpy.empty(lengths, numpy.int64)
        out, size = made.reshape(-1), numpy.uint64(size)
        for at in range(rest.size):
            index = numpy.uint64(rest[at])
            more = index // size
            out[at] = index - more * size
            rest[at] = more
        return made

    @register_jitable
    def last_first(rest, lengths, shape):
        own = taken(rest, lengths, shape[last])
        return before(rest, lengths, shape[:last]) + (own,)

    @register_jitable
    def in_turn(rest, lengths, shape):
        own = taken(rest, lengths, shape[0])
        return (own,) + before(rest, lengths, shape[1:])
    return in_turn if turned else last_first
