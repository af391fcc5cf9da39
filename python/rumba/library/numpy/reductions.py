"""Reductions over all elements or along axes: `sum`, `min`, `argmax`, `any` and the like.

A reduction is known by what it makes of a row (module `rows`) and, where that is another way to the same result, by how two
items come together: then rows that lie closer than the lines along the axis are joined, one after the other.
"""
import numpy

from ...errors import TypingError
from ...extending import register_jitable
from ...intrinsics import array_copy
from ...types import Boolean, Complex, Integer, Number, unliteral
from ...types.typeof import as_dtype
from . import _axis, _kernels, datetime_reductions, parallel_rows
from ._axis import axis_kind, map_lines, remaining_ndim, with_keepdims, with_out
from ._one_axis import one_axis
from .copy_eye import item_of
from .._predicates import has_truth, is_absent, is_array, is_dtype, is_numeric_array
from .._array_like import register
from .reduction_where import mean_partly, partly, truth_partly


class _Like:
    """As much of an array's type as a reduction asks for."""

    def __init__(self, ndim, dtype, layout):
        self.ndim, self.dtype, self.layout = ndim, dtype, layout


def _sum_of_several(array, count, adder, made):
    """Sums over several axes, in the order of NumPy: the last ones of an array in rows are one; else the last comes first."""
    ndim, before, in_order = array.ndim, count - 1, _axis.sorted_axes(array.ndim)
    first = one_axis(array, adder(array.dtype), made, _addition(made))
    if count == 1:
        return register_jitable(lambda a, axis: first(a, axis[0]))
    rest = _sum_of_several(_Like(ndim - 1, _kernels.type_of(made), "C"), count - 1, adder, made)
    merged = map_lines(array, (0,) * count, adder(array.dtype), made)

    @register_jitable
    def one_by_one(a, axis):
        ordered = in_order(axis)
        return rest(first(a, ordered[before]), ordered[:before])

    @register_jitable
    def in_rows(a, axis):
        if in_order(axis)[0] == ndim - count:
            return merged(a, axis)
        return one_by_one(a, axis)
    return in_rows if array.layout == "C" else one_by_one


def _addition(made):
    return "either" if made is numpy.bool_ else "add"


def _unusual(array, axis, made):
    """What comes of no axis, the items themselves; what refuses more axes than there are, which runs into one twice."""
    dtype, in_order = numpy.dtype(made), _axis.sorted_axes(array.ndim)
    layout = "F" if array.layout == "F" else "C"

    def items(a, axis):
        return array_copy(a, dtype, layout)

    def refuse(a, axis):
        in_order(axis)
        return made(0)
    return register_jitable(refuse if len(axis) else items)


def reducer(array, axis, keepdims, of_row, made, any_order=True, join=None, needs_items=False):
    """What reduces such an array with such arguments; None if that is not known. Where there is `join` (`_block_reductions`), rows may be joined. If it
    `needs_items`, `of_row` raises for an empty row."""
    if _axis.is_unusual(array, axis):
        return _unusual(array, axis, made)
    kind = axis_kind(array, axis)
    if not kind:
        return None
    if kind == "one" and join:
        reduce = one_axis(array, of_row, made, join)
    else:
        reduce = map_lines(array, axis, of_row, made, any_order)
    if needs_items and kind == "one":
        reduce = _axis.refusing_empty_lines(array, of_row, reduce)
    return with_keepdims(array, axis, keepdims, reduce, made)


def make_axis_sum(array, axis, keepdims, made):
    """What adds up items as numbers of the class `made`."""
    def adder(item):
        return _kernels.make_sum(item, made)
    kind = axis_kind(array, axis)
    if kind == "several" and len(axis) < array.ndim:
        reduce = _sum_of_several(array, len(axis), adder, made)
        return with_keepdims(array, axis, keepdims, reduce, made)
    return reducer(array, axis, keepdims, adder(array.dtype), made, join=_addition(made))


# Sums, products, means.

def made_of(array, dtype):
    """The class of sums; None if it is not known."""
    if is_absent(dtype):
        return _kernels.sum_type(array.dtype)
    item = item_of(dtype) if is_dtype(dtype) else None
    return _kernels.class_of(item) if isinstance(item, (Number, Boolean)) else None


def total_class(array, dtype, out):
    """The class in which items are added up or multiplied: where it is not said, one for them and the array for the result."""
    if not is_absent(dtype) or not is_numeric_array(out):
        return made_of(array, dtype)
    if isinstance(array.dtype, Complex) and not isinstance(out.dtype, Complex):
        return None
    return numpy.promote_types(_kernels.class_of(array.dtype), _kernels.class_of(out.dtype)).type


def _fits(array, out, made):
    return is_numeric_array(array) and (is_absent(out) or is_array(out) and _kernels.class_of(out.dtype) is made)


def _of_times(array, axis, out, keepdims, of_row, made=None, needs_items=False):
    """A reduction of times; None where there is `out` for others."""
    made = made or as_dtype(array.dtype)
    if is_absent(out) or is_array(out) and as_dtype(out.dtype) == made:
        reduce = reducer(array, axis, keepdims, of_row, made, any_order=False, needs_items=needs_items)
        return with_out(reduce, out, made)


def _sum(array, axis, dtype, out, keepdims):
    if datetime_reductions.is_spans(array) and is_absent(dtype):
        return _of_times(array, axis, out, keepdims, datetime_reductions.make_sum(array.dtype))
    made = total_class(array, dtype, out) if is_numeric_array(array) else None
    if made and (is_absent(dtype) or _fits(array, out, made)):
        return with_out(make_axis_sum(array, axis, keepdims, made), out, made)


def _prod(array, axis, dtype, out, keepdims):
    made = total_class(array, dtype, out) if is_numeric_array(array) else None
    if made and (is_absent(dtype) or _fits(array, out, made)):
        of_row = _kernels.multiplier(array.dtype, made)
        # A product of complex numbers in another order has other last bits.
        join = None if issubclass(made, numpy.complexfloating) else "both" if made is numpy.bool_ else "multiply"
        return with_out(reducer(array, axis, keepdims, of_row, made, join=join), out, made)


def _mean(array, axis, dtype, out, keepdims):
    if datetime_reductions.is_spans(array) and is_absent(dtype):
        return _of_times(array, axis, out, keepdims, datetime_reductions.averager(array.dtype))
    made = made_of(array, dtype) if is_numeric_array(array) else None
    if not made or not is_absent(dtype) and not issubclass(made, numpy.inexact):
        return None
    made = made if issubclass(made, numpy.inexact) else numpy.float64
    if issubclass(_kernels.class_of(array.dtype), numpy.inexact):
        made = total_class(array, dtype, out)
    if not made or not _fits(array, out, made):
        return None
    if _axis.is_unusual(array, axis):
        return with_out(_unusual(array, axis, made), out, made)
    average = _mean_of_halves(array, axis, keepdims) if made is numpy.float16 and is_absent(dtype) else mean_of(array, axis, keepdims, made)
    return with_out(average, out, made)


def mean_of(array, axis, keepdims, made):
    add_up, divide = make_axis_sum(array, axis, keepdims, made), _kernels.make_divide(made)
    count = _axis.counter(array, axis) if add_up else None

    @register_jitable
    def mean(a, axis):
        return divide(add_up(a, axis), count(a, axis))

    @register_jitable
    def means(a, axis):
        result = add_up(a, axis)
        number = count(a, axis)
        items = result.reshape(-1)
        for at in range(items.size):
            items[at] = divide(items[at], number)
        return result
    if add_up is None:
        return None
    return means if array.ndim and (_axis.literal(keepdims) or remaining_ndim(array, axis)) else mean


def _mean_of_halves(array, axis, keepdims):
    """In single precision, and rounded at the end."""
    mean = mean_of(array, axis, keepdims, numpy.float32)
    if mean is None:
        return None
    round_it = _kernels.to_half(bool(array.ndim and (_axis.literal(keepdims) or remaining_ndim(array, axis))))
    return register_jitable(lambda a, axis: round_it(mean(a, axis)))


_TYPED = "axis=None, dtype=None, out=None, keepdims=False"
_PARTLY = ", initial=None, where=True"


def _sum_class(array, dtype, out, keepdims):
    return total_class(array, dtype, out) if is_numeric_array(array) else None


register([numpy.sum, "numpy.ndarray.sum"], _TYPED + _PARTLY, "a, axis, out, initial, where",
         partly(numpy.sum, _sum, _sum_class, numpy.add, 0), parallel=True)
register([numpy.prod, "numpy.ndarray.prod"], _TYPED + _PARTLY, "a, axis, out, initial, where",
         partly(numpy.prod, _prod, _sum_class, numpy.multiply, 1), parallel=True)
register([numpy.mean, "numpy.ndarray.mean"], _TYPED + ", where=True", "a, axis, out, where", mean_partly(_mean), parallel=True)


# The least and the greatest item.

def _extreme(names, greatest):
    refusal = f"zero-size array to reduction operation {'maximum' if greatest else 'minimum'} which has no identity"

    def find(array, axis, out, keepdims):
        if datetime_reductions.is_times(array):
            return _of_times(array, axis, out, keepdims, datetime_reductions.finder(greatest, refusal, False), needs_items=True)
        if not is_numeric_array(array):
            return None
        made = _kernels.class_of(array.dtype)
        if not _fits(array, out, made):
            return None
        of_row = _kernels.extreme_finder(array.dtype, greatest, refusal, False)
        join = None if isinstance(array.dtype, Complex) else "greater" if greatest else "less"
        return with_out(reducer(array, axis, keepdims, of_row, made, join=join, needs_items=True), out, made)

    def class_of(array, out, keepdims):
        return _kernels.class_of(array.dtype) if is_numeric_array(array) else None
    function, join = (numpy.max, numpy.maximum) if greatest else (numpy.min, numpy.minimum)
    register(names, "axis=None, out=None, keepdims=False" + _PARTLY, "a, axis, out, initial, where",
             partly(function, find, class_of, join), parallel=True)


def _position(name, names, greatest):
    refusal = f"attempt to get {name} of an empty sequence"

    def find(array, axis, out, keepdims):
        of_times = datetime_reductions.is_times(array)
        if not of_times and not _fits(array, out, numpy.int64):
            return None
        if not is_absent(axis) and not isinstance(axis, int) and not isinstance(unliteral(axis), Integer):
            raise TypingError("axis must be an integer")
        if of_times:
            of_row = datetime_reductions.finder(greatest, refusal, True)
            return _of_times(array, axis, out, keepdims, of_row, numpy.dtype(numpy.int64), needs_items=True)
        of_row = _kernels.extreme_finder(array.dtype, greatest, refusal, True)
        reduce = reducer(array, axis, keepdims, of_row, numpy.int64, any_order=False, needs_items=True)
        return with_out(reduce, out, numpy.int64)
    register(names, "axis=None, out=None, keepdims=False", "a, axis, out", find, parallel=True)


_extreme([numpy.min, "numpy.ndarray.min"], False)
_extreme([numpy.max, "numpy.ndarray.max"], True)
_position("argmin", [numpy.argmin, "numpy.ndarray.argmin"], False)
_position("argmax", [numpy.argmax, "numpy.ndarray.argmax"], True)
if numpy.amin is not numpy.min:
    _extreme([numpy.amin], False)
    _extreme([numpy.amax], True)


# Truth.

def _truth(of_row, of_times, wanted):
    join = "either" if wanted else "both"

    def find(array, axis, out, keepdims):
        if datetime_reductions.is_times(array):
            return _of_times(array, axis, out, keepdims, of_times, numpy.dtype(numpy.bool_))
        if _fits(array, out, numpy.bool_):
            reduce = reducer(array, axis, keepdims, parallel_rows.searching(of_row, wanted), numpy.bool_, join=join)
            return with_out(reduce, out, numpy.bool_)
    return find


def _count(array, axis, keepdims):
    if has_truth(array) and not _axis.is_unusual(array, axis):
        join = "add" if isinstance(array.dtype, Boolean) else None
        return reducer(array, axis, keepdims, _kernels.counter(array.dtype), numpy.int64, join=join)


register([numpy.any, "numpy.ndarray.any"], "axis=None, out=None, keepdims=False, where=True", "a, axis, out, where", truth_partly(
    numpy.any, _truth(_kernels.is_any, datetime_reductions.is_any, True), False), parallel=True)
register([numpy.all, "numpy.ndarray.all"], "axis=None, out=None, keepdims=False, where=True", "a, axis, out, where", truth_partly(
    numpy.all, _truth(_kernels.are_all, datetime_reductions.are_all, False), True), parallel=True)
register([numpy.count_nonzero], "axis=None, keepdims=False", "a, axis", _count, parallel=True)
