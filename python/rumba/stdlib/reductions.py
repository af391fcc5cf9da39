"""What all items of an array, or those along an axis, come to: `sum`, `min`, `argmax`, `any` and their like.

A reduction is known by what it makes of a row (module `rows`). An array without gaps is one row; along an axis every
line of it is one.
"""
import numpy

from ..extending import register_jitable
from ..special import array_view, raise_if
from ..types import Boolean, Integer, Number, unliteral
from . import library, rows
from .creation import item_of
from .kinds import is_absent, is_array, is_dtype


def _literal(ty):
    """The value that a literal type, or a default, knows."""
    return getattr(ty, "literal_value", getattr(ty, "value", ty))


def _is_numbers(ty):
    return is_array(ty) and isinstance(ty.dtype, (Number, Boolean))


def _is_number(ty):
    return isinstance(unliteral(ty), (Number, Boolean))


# All items, and those along an axis.

@register_jitable
def _as_row(a):
    return array_view(a, a.dtype, 0, (a.size,), (a.size,), "C")


@register_jitable
def _in_order(a):
    return _as_row(a.copy())


@register_jitable
def _itself(a):
    return a


def _rower(array, any_order):
    """What makes one row of an array."""
    if array.ndim == 1:
        return _itself
    as_it_lies = array.layout == "C" or array.layout == "F" and any_order
    return _as_row if as_it_lies or array.ndim == 0 else _in_order


def _over_all(array, of_row, any_order):
    row = _rower(array, any_order)

    @register_jitable
    def reduce(a, axis):
        return of_row(row(a))
    return reduce


_OUTSIDE = "axis {} is out of bounds for array of dimension {}"


@register_jitable
def _check_axis(a, axis):
    raise_if(axis < -a.ndim or axis >= a.ndim, "AxisError", _OUTSIDE, axis, a.ndim)


def _along(array, of_row, made):
    """What reduces along an axis to items of the class `made`."""
    dtype = numpy.dtype(made)

    @register_jitable
    def reduce_only(a, axis):
        _check_axis(a, axis)
        return of_row(a)

    @register_jitable
    def reduce(a, axis):
        _check_axis(a, axis)
        lines = numpy.moveaxis(a, axis, -1)
        result = numpy.empty(lines.shape[:-1], dtype)
        for place in numpy.ndindex(result.shape):
            result[place] = of_row(lines[place])
        return result
    return reduce_only if array.ndim == 1 else reduce


def _adding_along(array, reduce_lines, made):
    """Sums along an axis. As NumPy does it, the lines are added up, one after the other, where their items lie closer
    than those along the axis."""
    dtype, add_rows = numpy.dtype(made), _row_adder(array.ndim - 1, made)

    @register_jitable
    def reduce(a, axis):
        _check_axis(a, axis)
        if _is_closest(a, axis):
            return reduce_lines(a, axis)
        parts = numpy.moveaxis(a, axis, 0)
        result = numpy.zeros(parts.shape[1:], dtype)
        for at in range(parts.shape[0]):
            add_rows(result, parts[at])
        return result
    return reduce


@register_jitable
def _is_closest(a, axis):
    """Whether items lie closest along this axis, of those that are longer than one item."""
    own = abs(a.strides[axis])
    for at in range(a.ndim):
        if a.shape[at] > 1 and (abs(a.strides[at]) < own or a.shape[axis] < 2):
            return False
    return True


def _row_adder(ndim, made):
    """What adds an array to another one, row by row."""
    @register_jitable
    def add_row(result, items):
        for at in range(result.size):
            result[at] += made(items[at])

    @register_jitable
    def add(result, items):
        if items.strides[0] == items.itemsize:
            add_row(result, array_view(items, items.dtype, 0, items.shape, items.shape, "C"))
        else:
            add_row(result, items)
    if ndim == 1:
        return add

    @register_jitable
    def add_all(result, items):
        for place in numpy.ndindex(result.shape[:-1]):
            add(result[place], items[place])
    return add_all


def _keeping(array, reduce, made, has_axis):
    """The same reduction, with dimensions of length 1 where it reduces."""
    dtype, ones = numpy.dtype(made), (1,) * array.ndim

    @register_jitable
    def keep_one(a, axis):
        return numpy.full(ones, reduce(a, axis), dtype)

    @register_jitable
    def keep_all(a, axis):
        return numpy.expand_dims(reduce(a, axis), axis)
    return keep_all if has_axis and array.ndim > 1 else keep_one


def reducer(array, axis, keepdims, of_row, made, any_order=True, adds=False):
    """What reduces such an array with such arguments; None if that is not known. With `adds`, it sums up."""
    has_axis, keeps = not is_absent(axis), _literal(keepdims)
    if has_axis and (not isinstance(unliteral(axis), Integer) or array.ndim == 0) or not isinstance(keeps, bool):
        return None
    reduce = _along(array, of_row, made) if has_axis else _over_all(array, of_row, any_order)
    if has_axis and adds and array.ndim > 1:
        reduce = _adding_along(array, reduce, made)
    return _keeping(array, reduce, made, has_axis) if keeps and array.ndim else reduce


def _register(names, find):
    """A reduction with an axis: `find` gives what reduces, of the types of the arguments."""
    itself = names[0]

    def function(a, axis=None, *, keepdims=False):
        if _is_number(a):
            return lambda a, axis=None, *, keepdims=False: itself(numpy.array(a))
        reduce = find(a, axis, keepdims) if _is_numbers(a) else None
        if reduce:
            return lambda a, axis=None, *, keepdims=False: reduce(a, axis)

    def method(self, axis=None, *, keepdims=False):
        reduce = find(self, axis, keepdims) if _is_numbers(self) else None
        if reduce:
            return lambda self, axis=None, *, keepdims=False: reduce(self, axis)
    for name in names:
        library(name)(method if isinstance(name, str) else function)


def _register_typed(names, find):
    """The same with a type for the result."""
    itself = names[0]

    def function(a, axis=None, dtype=None, *, keepdims=False):
        if _is_number(a):
            return lambda a, axis=None, dtype=None, *, keepdims=False: itself(numpy.array(a), None, dtype)
        reduce = find(a, axis, dtype, keepdims) if _is_numbers(a) else None
        if reduce:
            return lambda a, axis=None, dtype=None, *, keepdims=False: reduce(a, axis)

    def method(self, axis=None, dtype=None, *, keepdims=False):
        reduce = find(self, axis, dtype, keepdims) if _is_numbers(self) else None
        if reduce:
            return lambda self, axis=None, dtype=None, *, keepdims=False: reduce(self, axis)
    for name in names:
        library(name)(method if isinstance(name, str) else function)


# Sums, products, means.

def _made(array, dtype):
    """The class of sums; None if it is not known."""
    if is_absent(dtype):
        return rows.sum_type(array.dtype)
    item = item_of(dtype) if is_dtype(dtype) else None
    return None if item is None or not isinstance(item, Number) else rows.class_of(item)


def _sum(array, axis, dtype, keepdims):
    made = _made(array, dtype)
    if made:
        return reducer(array, axis, keepdims, rows.summer(array.dtype, made), made, adds=True)


def _prod(array, axis, dtype, keepdims):
    made = _made(array, dtype)
    if made:
        return reducer(array, axis, keepdims, rows.multiplier(array.dtype, made), made)


def _mean(array, axis, dtype, keepdims):
    made = _made(array, dtype)
    if not made or not is_absent(dtype) and not issubclass(made, numpy.inexact):
        return None
    made = made if issubclass(made, numpy.inexact) else numpy.float64
    add = reducer(array, axis, keepdims, rows.summer(array.dtype, made), made, adds=True)
    divide = rows.divider(made)

    @register_jitable
    def mean_all(a, axis):
        return divide(add(a, axis), a.size)

    @register_jitable
    def mean_along(a, axis):
        return divide(add(a, axis), a.shape[axis])

    @register_jitable
    def means(a, axis):
        result = add(a, axis)
        count = a.size if axis is None else a.shape[axis]
        items = result.reshape(-1)
        for at in range(items.size):
            items[at] = divide(items[at], count)
        return result
    if add and array.ndim and (_literal(keepdims) or not is_absent(axis) and array.ndim > 1):
        return means
    return add and (mean_all if is_absent(axis) else mean_along)


_register_typed([numpy.sum, "numpy.ndarray.sum"], _sum)
_register_typed([numpy.prod, "numpy.ndarray.prod"], _prod)
_register_typed([numpy.mean, "numpy.ndarray.mean"], _mean)


# The least and the greatest item.

def _extreme(names, greatest):
    refusal = f"zero-size array to reduction operation {'maximum' if greatest else 'minimum'} which has no identity"

    def find(array, axis, keepdims):
        of_row = rows.extreme_finder(array.dtype, greatest, refusal, False)
        return reducer(array, axis, keepdims, of_row, rows.class_of(array.dtype))
    _register(names, find)


def _place(name, names, greatest):
    refusal = f"attempt to get {name} of an empty sequence"

    def find(array, axis, keepdims):
        of_row = rows.extreme_finder(array.dtype, greatest, refusal, True)
        return reducer(array, axis, keepdims, of_row, numpy.int64, any_order=False)
    _register(names, find)


_extreme([numpy.min, "numpy.ndarray.min"], False)
_extreme([numpy.max, "numpy.ndarray.max"], True)
_place("argmin", [numpy.argmin, "numpy.ndarray.argmin"], False)
_place("argmax", [numpy.argmax, "numpy.ndarray.argmax"], True)
if numpy.amin is not numpy.min:
    _extreme([numpy.amin], False)
    _extreme([numpy.amax], True)


# Truth.

_register([numpy.any, "numpy.ndarray.any"],
          lambda array, axis, keepdims: reducer(array, axis, keepdims, rows.is_any, numpy.bool_))
_register([numpy.all, "numpy.ndarray.all"],
          lambda array, axis, keepdims: reducer(array, axis, keepdims, rows.are_all, numpy.bool_))
_register([numpy.count_nonzero],
          lambda array, axis, keepdims: reducer(array, axis, keepdims, rows.counter(array.dtype), numpy.int64))
