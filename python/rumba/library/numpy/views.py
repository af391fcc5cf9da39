"""Views of arrays: with more or fewer dimensions, flipped, broadcast, or with another dtype; and functions that copy
their elements."""
import operator

import numpy

from ...errors import TypingError
from ...extending import register_jitable
from ...intrinsics import array_address, array_view, raise_if, scratch, scratch_items, scratch_set
from ...types import (
    Array, BaseTuple, Boolean, ByteArray, Bytes, EnumClass, EnumMember, Integer, IteratorType, Literal, NoneType, NPDatetime, NPTimedelta, Number,
    NumberClass, UnicodeType, unliteral)
from ...types.typeof import as_dtype
from .. import library
from ._axis import sorted_axes
from .copy_eye import item_of
from .._predicates import each_of, is_absent, is_array, is_buffer, is_dtype, is_fixed_list, is_shape
from .._array_like import is_sequence, is_time


def _is_integer(ty):
    return isinstance(unliteral(ty), Integer)


_OUTSIDE = "axis {} is out of bounds for array of dimension {}"


# More and fewer dimensions.

@library(numpy.expand_dims, array_like="a", scalars="a")
def expand_dims(a, axis):
    if not is_array(a):
        raise TypingError('First argument "a" must be an array')
    if is_fixed_list(axis):
        return lambda a, axis: numpy.expand_dims(a, tuple(axis))
    if is_shape(axis) and len(axis):
        return _expander(a.ndim, len(axis))
    if not _is_integer(axis):
        raise TypingError('Argument "axis" must be an integer')
    if is_array(a) and _is_integer(axis):
        layout, more = a.layout, (0,) * (a.ndim + 1)

        def expand(a, axis):
            ndim = a.ndim + 1
            raise_if(axis < -ndim or axis >= ndim, "AxisError", _OUTSIDE, axis, ndim)
            new = axis + ndim if axis < 0 else axis
            lengths, strides = scratch(more), scratch(more)
            taken = 0
            for at in range(ndim):
                if at == new:
                    scratch_set(lengths, at, 1)
                    scratch_set(strides, at, 0)
                else:
                    scratch_set(lengths, at, a.shape[taken])
                    scratch_set(strides, at, a.strides[taken])
                    taken += 1
            return array_view(a, a.dtype, 0, tuple(scratch_items(lengths)), tuple(scratch_items(strides)), layout)

        def expand_number(a, axis):
            raise_if(axis < -1 or axis >= 1, "AxisError", _OUTSIDE, axis, 1)
            return array_view(a, a.dtype, 0, (1,), (0,), "C")
        return expand if a.ndim else expand_number


def _expander(ndim, count):
    """What puts axes in that a tuple names, counted in the result."""
    in_order, more, total = sorted_axes(ndim + count), (0,) * (ndim + count), ndim + count
    ones = (1,) * total

    def expand_number(a, axis):
        in_order(axis)
        return array_view(a, a.dtype, 0, ones, more, "C")

    def expand_each(a, axis):
        ordered, lengths, strides = in_order(axis), scratch(more), scratch(more)
        taken, new = 0, 0
        for at in range(total):
            if new < count and ordered[new] == at:
                scratch_set(lengths, at, 1)
                scratch_set(strides, at, 0)
                new += 1
            else:
                scratch_set(lengths, at, a.shape[taken])
                scratch_set(strides, at, a.strides[taken])
                taken += 1
        return array_view(a, a.dtype, 0, tuple(scratch_items(lengths)), tuple(scratch_items(strides)), "A")
    return expand_each if ndim else expand_number


def _squeezer(ndim, count):
    """What takes the axes out that a tuple names."""
    in_order, fewer = sorted_axes(ndim), (0,) * (ndim - count)

    def squeeze_each(a, axis=None):
        ordered, lengths, strides = in_order(axis), scratch(fewer), scratch(fewer)
        at, old = 0, 0
        for axis_of_a in range(ndim):
            if old < count and ordered[old] == axis_of_a:
                old += 1
                raise_if(a.shape[axis_of_a] != 1, "ValueError",
                         "cannot select an axis to squeeze out which has size not equal to one")
            else:
                scratch_set(lengths, at, a.shape[axis_of_a])
                scratch_set(strides, at, a.strides[axis_of_a])
                at += 1
        return array_view(a, a.dtype, 0, tuple(scratch_items(lengths)), tuple(scratch_items(strides)), "A")

    def squeeze_all(a, axis=None):
        in_order(axis)
        raise_if(a.size != 1, "ValueError", "cannot select an axis to squeeze out which has size not equal to one")
        return array_view(a, a.dtype, 0, (), (), "C")
    return squeeze_each if ndim > count else squeeze_all


@library(numpy.squeeze, array_like="a")
def squeeze(a, axis=None):
    if not is_array(a):
        return None
    if is_absent(axis):
        raise TypingError("squeeze needs an axis: how many dimensions are left is not known when the function compiles")
    if is_shape(axis) and 0 < len(axis) <= a.ndim:
        return _squeezer(a.ndim, len(axis))
    if not _is_integer(axis) or a.ndim == 0:
        return None
    layout, fewer = a.layout, (0,) * (a.ndim - 1)

    def squeeze_one(a, axis=None):
        ndim = a.ndim
        raise_if(axis < -ndim or axis >= ndim, "AxisError", _OUTSIDE, axis, ndim)
        old = axis + ndim if axis < 0 else axis
        raise_if(a.shape[old] != 1, "ValueError",
                 "cannot select an axis to squeeze out which has size not equal to one")
        lengths, strides = scratch(fewer), scratch(fewer)
        for at in range(ndim - 1):
            scratch_set(lengths, at, a.shape[at if at < old else at + 1])
            scratch_set(strides, at, a.strides[at if at < old else at + 1])
        return array_view(a, a.dtype, 0, tuple(scratch_items(lengths)), tuple(scratch_items(strides)), layout)

    def squeeze_last(a, axis=None):
        raise_if(axis < -1 or axis >= 1, "AxisError", _OUTSIDE, axis, 1)
        raise_if(a.size != 1, "ValueError",
                 "cannot select an axis to squeeze out which has size not equal to one")
        return array_view(a, a.dtype, 0, (), (), "C")
    return squeeze_one if a.ndim > 1 else squeeze_last


@library("numpy.ndarray.squeeze")
def array_squeeze(self, axis=None):
    if is_array(self):
        def squeeze(self, axis=None):
            return numpy.squeeze(self, axis)
        return squeeze


def at_least(a, ndim):
    """What gives an array so many dimensions."""
    if isinstance(unliteral(a), (Number, Boolean)):
        return {1: _number_1d, 2: _number_2d, 3: _number_3d}[ndim]
    if is_sequence(a):
        return {1: _items_1d, 2: _items_2d, 3: _items_3d}[ndim]
    if not is_array(a):
        return None
    if a.ndim >= ndim:
        return _same
    if a.ndim == 0:
        return {1: _scalar_1d, 2: _scalar_2d, 3: _scalar_3d}[ndim]
    return {(1, 2): _row_2d, (1, 3): _row_3d, (2, 3): _rows_3d}[a.ndim, ndim]


def _same(a):
    return a


def _items_1d(a):
    return numpy.atleast_1d(numpy.asarray(a))


def _items_2d(a):
    return numpy.atleast_2d(numpy.asarray(a))


def _items_3d(a):
    return numpy.atleast_3d(numpy.asarray(a))


def _number_1d(a):
    return numpy.array((a,))


def _number_2d(a):
    return numpy.array(((a,),))


def _number_3d(a):
    return numpy.array((((a,),),))


def _scalar_1d(a):
    return array_view(a, a.dtype, 0, (1,), (1,), "C")


def _scalar_2d(a):
    return array_view(a, a.dtype, 0, (1, 1), (1, 1), "C")


def _scalar_3d(a):
    return array_view(a, a.dtype, 0, (1, 1, 1), (1, 1, 1), "C")


def _row_2d(a):
    return a[None, :]


def _row_3d(a):
    return a[None, :, None]


def _rows_3d(a):
    return a[:, :, None]


def _atleast(function, ndim):
    def atleast(*arys):
        found = [at_least(one, ndim) for one in arys]
        if not found or not all(found):
            return None
        if len(found) == 1:
            one = register_jitable(found[0])

            def single(*arys):
                return one(arys[0])
            return single
        each = each_of(found)

        def several(*arys):
            return each(arys)
        return several
    library(function)(atleast)


_atleast(numpy.atleast_1d, 1)
_atleast(numpy.atleast_2d, 2)
_atleast(numpy.atleast_3d, 3)


# Turned round and stretched.

@library(numpy.flip, array_like="m")
def flip(m, axis=None):
    if not is_array(m):
        raise TypingError("Cannot np.flip on " + str(m) + " type")
    if is_fixed_list(axis):
        return lambda m, axis=None: numpy.flip(m, tuple(axis))
    if is_shape(axis) and 0 < len(axis) <= m.ndim:
        return _flip_several(m.ndim, len(axis))
    if is_absent(axis):
        return _flip_all if m.ndim else _flip_number
    if _is_integer(axis) and m.ndim:
        return _flip_axis


def _flip_number(m, axis=None):
    return m[()]


def _flip_all(m, axis=None):
    strides, offset = scratch(m.strides), 0
    for at in range(m.ndim):
        scratch_set(strides, at, -m.strides[at])
        if m.size:
            offset += (m.shape[at] - 1) * m.strides[at]
    return array_view(m, m.dtype, offset, m.shape, tuple(scratch_items(strides)), "A")


def _flip_several(ndim, count):
    in_order = sorted_axes(ndim)

    def flip_several(m, axis=None):
        ordered, strides, offset = in_order(axis), scratch(m.strides), 0
        for number in range(count):
            at = ordered[number]
            scratch_set(strides, at, -m.strides[at])
            if m.size:
                offset += (m.shape[at] - 1) * m.strides[at]
        return array_view(m, m.dtype, offset, m.shape, tuple(scratch_items(strides)), "A")
    return flip_several


def _flip_axis(m, axis=None):
    ndim = m.ndim
    raise_if(axis < -ndim or axis >= ndim, "AxisError", _OUTSIDE, axis, ndim)
    along = axis + ndim if axis < 0 else axis
    strides, offset = scratch(m.strides), 0
    scratch_set(strides, along, -m.strides[along])
    if m.size:
        offset = (m.shape[along] - 1) * m.strides[along]
    return array_view(m, m.dtype, offset, m.shape, tuple(scratch_items(strides)), "A")


@library(numpy.flipud, array_like="m")
def flipud(m):
    if is_array(m):
        return _flip_rows if m.ndim >= 1 else _refuse_flipud


def _flip_rows(m):
    return m[::-1]


def _refuse_flipud(m):
    raise_if(True, "ValueError", "Input must be >= 1-d.")
    return m


@library(numpy.fliplr, array_like="m")
def fliplr(m):
    if is_array(m):
        return _flip_columns if m.ndim >= 2 else _refuse_fliplr


def _flip_columns(m):
    return m[:, ::-1]


def _refuse_fliplr(m):
    raise_if(True, "ValueError", "Input must be >= 2-d.")
    return m


@library(numpy.rot90, array_like="m")
def rot90(m, k=1):
    if not is_array(m):
        raise TypingError('The first argument "m" must be an array')
    if m.ndim < 2:
        raise TypingError("Input must be >= 2-d.")
    if isinstance(k, int) or _is_integer(k):
        return _turned


def _turned(m, k=1):
    quarters = k % 4
    strides, lengths, offset = scratch(m.strides), scratch(m.shape), 0
    if quarters % 2:
        scratch_set(strides, 0, m.strides[1])
        scratch_set(strides, 1, m.strides[0])
        scratch_set(lengths, 0, m.shape[1])
        scratch_set(lengths, 1, m.shape[0])
    # The first axis runs backwards after one and two quarters, the second one after two and three.
    if quarters == 1 or quarters == 2:
        old = 1 if quarters == 1 else 0
        scratch_set(strides, 0, -m.strides[old])
        if m.size:
            offset += (m.shape[old] - 1) * m.strides[old]
    if quarters == 2 or quarters == 3:
        old = 0 if quarters == 3 else 1
        scratch_set(strides, 1, -m.strides[old])
        if m.size:
            offset += (m.shape[old] - 1) * m.strides[old]
    return array_view(m, m.dtype, offset, tuple(scratch_items(lengths)), tuple(scratch_items(strides)), "A")


# Other types over the same bytes.

@library("numpy.ndarray.view")
def array_view_as(self, dtype=None):
    if not is_array(self):
        return None
    if is_absent(dtype):
        return lambda self, dtype=None: self[...]
    if not is_dtype(dtype):
        return None
    layout, check_indices = self.layout, _check_indices if self.aligned else _check_nothing
    if not self.ndim:
        check_indices = _check_address if self.aligned else _check_nothing

    def same_size(self, dtype=None):
        check_indices(self, numpy.dtype(dtype).alignment, self.ndim)
        return array_view(self, numpy.dtype(dtype), 0, self.shape, self.strides, layout)

    def other_size(self, dtype=None):
        given, wanted, last = self.itemsize, numpy.dtype(dtype).itemsize, self.ndim - 1
        raise_if(self.shape[last] != 1 and self.size != 0 and self.strides[last] != given, "ValueError",
                 "To change to a dtype of a different size, the last axis must be contiguous")
        raise_if(wanted < given and given % wanted != 0, "ValueError",
                 "When changing to a smaller dtype, its size must be a divisor of the size of original dtype")
        length = self.shape[last] * given
        raise_if(wanted > given and length % wanted != 0, "ValueError",
                 "When changing to a larger dtype, its size must be a divisor of the total size in bytes of the "
                 "last axis of the array.")
        if wanted > given:
            check_indices(self, numpy.dtype(dtype).alignment, last)
        lengths, strides = scratch(self.shape), scratch(self.strides)
        scratch_set(lengths, last, length // wanted)
        scratch_set(strides, last, wanted)
        return array_view(
            self, numpy.dtype(dtype), 0, tuple(scratch_items(lengths)), tuple(scratch_items(strides)), layout_of_other)

    def refuse(self, dtype=None):
        raise_if(True, "ValueError",
                 "Changing the dtype of a 0d array is only supported if the itemsize is unchanged")
        return array_view(self, numpy.dtype(dtype), 0, (), (), "C")
    layout_of_other = "C" if layout == "C" else "A"
    size = _size_of(dtype)
    if size is None or size == _bytes(self.dtype):
        return same_size
    return other_size if self.ndim else refuse


_UNALIGNED = "the items of the view would not be aligned, which its type would have to say: view a copy"


@register_jitable
def _check_indices(array, alignment, dimensions):
    """Refuses items that do not lie where such items must lie; the last dimensions do not matter."""
    wrong = array_address(array) % alignment
    for at in range(dimensions):
        wrong |= array.strides[at] % alignment
    raise_if(array.size > 0 and wrong != 0, "ValueError", _UNALIGNED)


@register_jitable
def _check_address(array, alignment, dimensions):
    raise_if(array_address(array) % alignment != 0, "ValueError", _UNALIGNED)


@register_jitable
def _check_nothing(array, alignment, dimensions):
    pass


def _bytes(ty):
    return as_dtype(unliteral(ty)).itemsize


def _size_of(dtype):
    """Bytes of an item of what names a dtype."""
    if isinstance(dtype, Literal):
        return numpy.dtype(dtype.literal_value).itemsize
    if isinstance(dtype, NumberClass):
        return _bytes(dtype.instance_type)
    item = item_of(dtype)
    return None if item is None else _bytes(item)


# Items.

@library("numpy.ndarray.item")
def array_item(self, *args):
    if not is_array(self):
        return None
    if len(args) == 1 and isinstance(args[0], BaseTuple) and all(map(_is_integer, args[0].types)):
        return lambda self, *args: self.item(*args[0])
    if not all(map(_is_integer, args)):
        return None
    if not args and self.ndim == 0:
        return lambda self, *args: self[()]
    if not args:
        def only(self, *args):
            raise_if(self.size != 1, "ValueError", "can only convert an array of size 1 to a Python scalar")
            return self.flat[0]
        return only
    if len(args) == 1:
        where = "index {} is out of bounds for " + ("axis 0 with size {}" if self.ndim == 1 else "size {}")

        def by_number(self, *args):
            at, size = args[0], self.size
            raise_if(at < -size or at >= size, "IndexError", where, at, size)
            return self.flat[at]
        return by_number
    if len(args) == self.ndim:
        def by_indices(self, *args):
            for at in range(len(args)):
                raise_if(args[at] < -self.shape[at] or args[at] >= self.shape[at], "IndexError",
                         "index {} is out of bounds for axis {} with size {}", args[at], at, self.shape[at])
            return self[args]
        return by_indices

    def wrong_count(self, *args):
        raise_if(True, "ValueError", "incorrect number of indices for array")
        return self.flat[0]
    return wrong_count


def _contains_item(a, b):
    for item in a:
        if item == b:
            return True
    return False


def _contains_byte(a, b):
    raise_if(b < 0 or b > 255, "ValueError", "byte must be in range(0, 256)")
    for item in a:
        if item == b:
            return True
    return False


@library(operator.contains)
def contains(a, b):
    if isinstance(a, IteratorType):
        return _contains_item
    if isinstance(a, EnumClass) and isinstance(b, EnumMember):
        known = a.instance_class is b.instance_class
        return lambda a, b: known
    if is_buffer(a) and a.ndim == 1 and isinstance(unliteral(b), (Number, Boolean)):
        of_bytes = isinstance(a, (Bytes, ByteArray))
        if of_bytes and not isinstance(unliteral(b), (Integer, Boolean)):
            raise TypingError(f"a bytes-like object is required, not {b}")
        return _contains_byte if of_bytes else _contains_item
    if not is_array(a):
        return None
    if isinstance(unliteral(b), (Number, Boolean)) or is_time(b) and type(b) is type(a.dtype):
        def is_in(a, b):
            for item in a.flat:
                if item == b:
                    return True
            return False
        return is_in


# What arrays, numbers and tuples are like.

@library(numpy.shape, array_like="a")
def shape(a):
    if isinstance(unliteral(a), (Number, Boolean)):
        return lambda a: ()
    if is_array(a):
        return lambda a: a.shape
    raise TypingError("The argument to np.shape must be array-like")


@library(numpy.ndim, array_like="a")
def ndim(a):
    if isinstance(unliteral(a), (Number, Boolean)):
        return lambda a: 0
    if is_array(a):
        return lambda a: a.ndim


@library(numpy.size, array_like="a")
def size(a, axis=None):
    if not is_absent(axis):
        return _size_along if is_array(a) and _is_integer(axis) else None
    if isinstance(unliteral(a), (Number, Boolean)):
        return lambda a, axis=None: 1
    if is_array(a):
        return lambda a, axis=None: a.size
    raise TypingError("The argument to np.size must be array-like")


def _size_along(a, axis=None):
    raise_if(axis < -a.ndim or axis >= a.ndim, "IndexError", "tuple index out of range")
    return a.shape[axis]


@library(numpy.isscalar)
def isscalar(element):
    if isinstance(unliteral(element), (Number, Boolean, UnicodeType, NPDatetime, NPTimedelta)):
        return lambda element: True
    if isinstance(element, (Array, BaseTuple, NoneType)) or is_sequence(element):
        return lambda element: False
