"""Sorting: `sort`, `argsort`, and the methods. Contiguous arrays are sorted by NumPy's own kernels, or by the
runtime's if they are not available; other arrays are copied first."""
import numpy

from ...errors import TypingError
from ...extending import Effects, register_jitable
from ...intrinsics import array_copy, array_view, argsort_items, raise_if, sort_items
from ...types import (
    BaseTuple, Boolean, CharSeq, Complex, Float, Integer, NoneType, NPDatetime, NPTimedelta, UnicodeCharSeq, unliteral)
from .. import library
from .._array_like import is_sequence
from .._predicates import each_of, is_absent, is_array, is_fixed_list
from ..builtins.list import order_of

_OUTSIDE = "axis {} is out of bounds for array of dimension {}"
_KINDS = {"quicksort": "quick", "heapsort": "quick", "stable": "stable", "mergesort": "stable"}


def sorts(array):
    """Whether a type is an array whose items can be put in order."""
    kinds = (Integer, Float, Boolean, Complex, NPDatetime, NPTimedelta, CharSeq, UnicodeCharSeq)
    return is_array(array) and array.ndim > 0 and isinstance(array.dtype, kinds)


def _name(kind):
    """Which of two ways to sort an argument asks for."""
    if is_absent(kind):
        return "quick"
    kind = getattr(kind, "literal_value", getattr(kind, "value", kind))
    if kind not in _KINDS:
        raise TypingError(f"\"kind\" must be a string literal, one of {', '.join(map(repr, _KINDS))}")
    return _KINDS[kind]


def _way(kind, stable):
    """Which of two ways the arguments `kind` and `stable` ask for."""
    if is_absent(stable):
        return _name(kind)
    asked = getattr(stable, "literal_value", getattr(stable, "value", stable))
    if not isinstance(asked, bool):
        raise TypingError("\"stable\" must be True, False or None, known when the function compiles")
    return "stable" if asked else "quick"


def _axis(axis):
    """What an argument says of the axis: "last", "none" or "given"; None if it is no integer."""
    if isinstance(axis, int) and axis == -1:
        return "last"
    if is_absent(axis) and not isinstance(axis, int):
        return "none"
    return "given" if isinstance(axis, int) or isinstance(unliteral(axis), Integer) else None


def _in_rows(array):
    """What makes rows of an array's items, in new memory."""
    item = array.dtype
    return register_jitable(lambda a: array_copy(a, item, "C"))


@register_jitable
def _row(a, start, length):
    """So many items of an array in rows."""
    return array_view(a, a.dtype, start * a.itemsize, (length,), (a.itemsize,), "C")


# What is sorted otherwise than numbers: points and spans of time as integers, of which NaT is the least and comes last, and
# text by comparison.

@register_jitable
def _numbers_of(times):
    return array_view(times, numpy.int64, 0, times.shape, times.shape, "C")


@register_jitable
def _missing_in(numbers):
    """How many NaT stand before all others."""
    count, least = 0, numpy.iinfo(numpy.int64).min
    while count < numbers.size and numbers[count] == least:
        count += 1
    return count


def _of_times(kind):
    """What sorts a vector of times, and what puts its indices in order."""
    @register_jitable
    def sort_times(row, kind_name):
        numbers = _numbers_of(row)
        sort_items(numbers, kind)
        missing = _missing_in(numbers)
        if missing:
            numbers[:] = numpy.roll(numbers, -missing)

    @register_jitable
    def order_times(row, order, kind_name):
        numbers = _numbers_of(row)
        argsort_items(numbers, order, kind)
        missing = _missing_in(numbers[order])
        if missing:
            order[:] = numpy.roll(order, -missing)
    return sort_times, order_times


@register_jitable
def _order_texts(row, order, kind):
    indices = order_of([item for item in row], False)
    for at in range(row.size):
        order[at] = indices[at]


@register_jitable
def _sort_texts(row, kind):
    items = [item for item in row]
    indices = order_of(items, False)
    for at in range(row.size):
        row[at] = items[indices[at]]


def _arrangers(item, kind):
    """What sorts a vector of such items, and what puts its indices in order."""
    if isinstance(item, (NPDatetime, NPTimedelta)):
        return _of_times(kind)
    if isinstance(item, (CharSeq, UnicodeCharSeq)):
        return _sort_texts, _order_texts
    return sort_items, argsort_items


def _each_row(item, kind):
    """What sorts the rows of an array that lies in rows."""
    sort_row, _ = _arrangers(item, kind)

    @register_jitable
    def sort_rows(a):
        length = a.shape[-1]
        if length > 1:
            for start in range(0, a.size, length):
                sort_row(_row(a, start, length), kind)
    return sort_rows


def _each_order(item, kind):
    """What puts the indices of each row in order."""
    _, order_row = _arrangers(item, kind)

    @register_jitable
    def indices_of(a):
        length = a.shape[-1]
        indices = numpy.empty(a.shape, numpy.int64)
        if a.size > 0:
            for start in range(0, a.size, length):
                order = _row(indices, start, length)
                for at in range(length):
                    order[at] = at
                order_row(_row(a, start, length), order, kind)
        return indices
    return indices_of


def sort_order(array, kind="stable"):
    """What gives the indices of a vector's items in order."""
    rows, indices_of = _in_rows(array), _each_order(array.dtype, kind)
    if array.layout == "C" and array.aligned:
        return indices_of
    return register_jitable(lambda a: indices_of(rows(a)))


def _sorter(array, axis, kind):
    """What gives a sorted copy."""
    rows, sort_rows, where = _in_rows(array), _each_row(array.dtype, kind), _axis(axis)

    @register_jitable
    def last(a, axis):
        made = rows(a)
        sort_rows(made)
        return made
    if where == "last":
        return last

    @register_jitable
    def flat(a, axis):
        made = rows(a).reshape(a.size)
        sort_rows(made)
        return made
    if where == "none":
        return flat

    @register_jitable
    def along(a, axis):
        raise_if(axis < -a.ndim or axis >= a.ndim, "AxisError", _OUTSIDE, axis, a.ndim)
        made = numpy.empty(a.shape, a.dtype)
        made[...] = numpy.swapaxes(last(numpy.swapaxes(a, axis, -1), axis), axis, -1)
        return made
    return along if where else None


@library(numpy.sort, array_like="a")
def sort(a, axis=-1, kind=None, *, stable=None):
    if isinstance(a, NoneType):
        raise TypingError('Argument "a" must be array-like')
    sorter = _sorter(a, axis, _way(kind, stable)) if sorts(a) else None
    if sorter:
        return lambda a, axis=-1, kind=None, *, stable=None: sorter(a, axis)


@library("numpy.ndarray.sort", effects=Effects(mutates="self"))
def array_sort(self, axis=-1, kind=None):
    if not sorts(self) or _axis(axis) in ("none", None):
        return None
    if not self.mutable:
        raise TypingError(f"Cannot modify readonly array of type: {self}")
    if _axis(axis) == "last" and self.layout == "C" and self.aligned:
        sort_rows = _each_row(self.dtype, _name(kind))

        def in_place(self, axis=-1, kind=None):
            sort_rows(self)
        return in_place
    sorter = _sorter(self, axis, _name(kind))

    def by_a_copy(self, axis=-1, kind=None):
        self[...] = sorter(self, axis)
    return by_a_copy


def _orderer(array, axis, kind):
    """What gives the indices of the items in order."""
    rows, where = _in_rows(array), _axis(axis)
    lies = array.layout == "C" and array.aligned
    indices_of = _each_order(array.dtype, kind)
    packed = register_jitable((lambda a: a) if lies else (lambda a: rows(a)))
    if where == "last":
        return register_jitable(lambda a, axis: indices_of(packed(a)))
    if where == "none":
        return register_jitable(lambda a, axis: indices_of(packed(a).reshape(a.size)))

    @register_jitable
    def along(a, axis):
        raise_if(axis < -a.ndim or axis >= a.ndim, "AxisError", _OUTSIDE, axis, a.ndim)
        made = numpy.empty(a.shape, numpy.int64)
        made[...] = numpy.swapaxes(indices_of(rows(numpy.swapaxes(a, axis, -1))), axis, -1)
        return made
    return along if where else None


@library(numpy.argsort, array_like="a")
def argsort(a, axis=-1, kind="quicksort", *, stable=None):
    orderer = _orderer(a, axis, _way(kind, stable)) if sorts(a) else None
    if orderer:
        return lambda a, axis=-1, kind="quicksort", *, stable=None: orderer(a, axis)


@library("numpy.ndarray.argsort")
def array_argsort(self, axis=-1, kind="quicksort"):
    orderer = _orderer(self, axis, _name(kind)) if sorts(self) else None
    if orderer:
        return lambda self, axis=-1, kind="quicksort": orderer(self, axis)


# Places in the order of several keys, of which the last is the first to compare.

@library(numpy.lexsort)
def lexsort(keys, axis=-1):
    if is_fixed_list(keys):
        return lambda keys, axis=-1: numpy.lexsort(tuple(keys), axis)
    if is_array(keys):
        return _order_by_rows if sorts(keys) and keys.ndim == 2 and _axis(axis) == "last" else None
    if not isinstance(keys, BaseTuple):
        return None
    if not len(keys):
        raise TypingError("need sequence of keys with len > 0 in lexsort")
    if any(is_sequence(one) for one in keys):
        convert = each_of([(lambda one: numpy.asarray(one)) if is_sequence(one) else (lambda one: one) for one in keys])
        return lambda keys, axis=-1: numpy.lexsort(convert(keys), axis)
    if not all(sorts(one) for one in keys) or _axis(axis) not in ("last", "given"):
        return None
    if len({one.ndim for one in keys}) > 1:
        raise TypingError("all keys need to be the same shape")
    return _by_keys(keys[0].ndim, len(keys))


@register_jitable
def _then_by(order, key):
    """The indices in the order of one more key; those of equal keys stay as they are."""
    return order[numpy.argsort(key[order], kind="stable")]


def _order_by_rows(keys, axis=-1):
    raise_if(keys.shape[0] == 0, "TypeError", "need sequence of keys with len > 0 in lexsort")
    order = numpy.argsort(keys[0], kind="stable")
    for at in range(1, keys.shape[0]):
        order = _then_by(order, keys[at])
    return order


def _by_keys(ndim, count):
    order_of, same, rows_of = _orderer_by(count - 1), _same_lengths(count - 1), _rows_at(count - 1)

    def of_rows(keys, axis=-1):
        same(keys)
        raise_if(axis < -1 or axis >= 1, "AxisError", _OUTSIDE, axis, 1)
        return order_of(keys)

    def of_lines(keys, axis=-1):
        same(keys)
        raise_if(axis < -ndim or axis >= ndim, "AxisError", _OUTSIDE, axis, ndim)
        made = numpy.empty(keys[0].shape, numpy.int64)
        lines = numpy.moveaxis(made, axis, -1)
        for index in numpy.ndindex(lines.shape[:-1]):
            lines[index] = order_of(rows_of(keys, axis, index))
        return made
    return of_rows if ndim == 1 else of_lines


def _orderer_by(number):
    if number == 0:
        return register_jitable(lambda keys: numpy.argsort(keys[0], kind="stable"))
    before = _orderer_by(number - 1)
    return register_jitable(lambda keys: _then_by(before(keys), keys[number]))


def _same_lengths(number):
    if number == 0:
        return register_jitable(lambda keys: None)
    before = _same_lengths(number - 1)

    @register_jitable
    def check(keys):
        before(keys)
        raise_if(keys[number].shape != keys[0].shape, "ValueError", "all keys need to be the same shape")
    return check


def _rows_at(number):
    """What gives a line of each of the first keys."""
    if number < 0:
        return register_jitable(lambda keys, axis, index: ())
    before = _rows_at(number - 1)
    return register_jitable(lambda keys, axis, index: before(keys, axis, index) + (
        numpy.moveaxis(keys[number], axis, -1)[index],))
