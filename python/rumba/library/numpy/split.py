"""Splitting arrays: `split`, `array_split`, `hsplit`, `vsplit`, `dsplit`. The parts are views in a list."""
import numpy

from ...errors import TypingError
from ...extending import register_jitable
from ...intrinsics import array_view, raise_if, scratch, scratch_items, scratch_set
from ...types import Integer
from .. import library
from ._axis import check_axis
from .._predicates import integers_in_list, is_array, is_integer, is_list, is_shape


@register_jitable
def _part(ary, along, start, end):
    """The part of an array between two positions of an axis, which may lie outside."""
    size = ary.shape[along]
    low = max(start + size, 0) if start < 0 else min(start, size)
    high = max(end + size, 0) if end < 0 else min(end, size)
    lengths, offset = scratch(ary.shape), 0
    scratch_set(lengths, along, max(high - low, 0))
    if high > low:
        offset = low * ary.strides[along]
    return array_view(ary, ary.dtype, offset, tuple(scratch_items(lengths)), ary.strides, "A")


@register_jitable
def _in_parts(ary, count, along):
    size, parts, start = ary.shape[along], [], 0
    for number in range(count):
        length = size // count + (1 if number < size % count else 0)
        parts.append(_part(ary, along, start, start + length))
        start += length
    return parts


@register_jitable
def _at_indices(ary, positions, along):
    parts, start = [], 0
    for end in positions:
        parts.append(_part(ary, along, start, end))
        start = end
    parts.append(_part(ary, along, start, ary.shape[along]))
    return parts


def _is_indices(ty):
    if is_array(ty):
        return ty.ndim == 1 and isinstance(ty.dtype, Integer)
    return is_list(ty) and isinstance(ty.dtype, Integer) or is_shape(ty) and len(ty) or integers_in_list(ty)


def _check(ary, indices):
    if not is_array(ary):
        raise TypingError('The argument "ary" must be an array')
    if not is_integer(indices) and not _is_indices(indices):
        raise TypingError('The argument "indices_or_sections" must be int or int-array')
    return ary.ndim > 0


@library(numpy.array_split, array_like="ary")
def array_split(ary, indices_or_sections, axis=0):
    if not _check(ary, indices_or_sections) or not is_integer(axis):
        return None

    def by_count(ary, indices_or_sections, axis=0):
        check_axis(ary, axis)
        raise_if(indices_or_sections <= 0, "ValueError", "number sections must be larger than 0.")
        return _in_parts(ary, indices_or_sections, axis % ary.ndim)

    def by_positions(ary, indices_or_sections, axis=0):
        check_axis(ary, axis)
        return _at_indices(ary, indices_or_sections, axis % ary.ndim)
    return by_count if is_integer(indices_or_sections) else by_positions


@library(numpy.split, array_like="ary")
def split(ary, indices_or_sections, axis=0):
    if not _check(ary, indices_or_sections) or not is_integer(axis):
        return None

    def by_count(ary, indices_or_sections, axis=0):
        check_axis(ary, axis)
        raise_if(indices_or_sections <= 0, "ValueError", "number sections must be larger than 0.")
        raise_if(ary.shape[axis] % indices_or_sections != 0, "ValueError", "array split does not result in an equal division")
        return _in_parts(ary, indices_or_sections, axis % ary.ndim)

    def by_positions(ary, indices_or_sections, axis=0):
        return numpy.array_split(ary, indices_or_sections, axis)
    return by_count if is_integer(indices_or_sections) else by_positions


def _along(function, axis_of, least, name):
    refusal = f"{name} only works on arrays of {least} or more dimensions"

    def overload(ary, indices_or_sections):
        if not _check(ary, indices_or_sections):
            return None
        if ary.ndim < least:
            def refuse(ary, indices_or_sections):
                raise_if(True, "ValueError", refusal)
                return [ary]
            return refuse
        axis = axis_of(ary)
        return lambda ary, indices_or_sections: numpy.split(ary, indices_or_sections, axis)
    library(function, array_like="ary")(overload)


_along(numpy.hsplit, lambda ary: 0 if ary.ndim == 1 else 1, 1, "hsplit")
_along(numpy.vsplit, lambda ary: 0, 2, "vsplit")
_along(numpy.dsplit, lambda ary: 2, 3, "dsplit")
