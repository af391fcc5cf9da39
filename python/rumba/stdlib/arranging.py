"""Arrays in order: `sort`, `argsort`, and the methods. Items that follow each other are sorted by NumPy's own functions, or
by the runtime's where there are none; whatever lies in another way is copied first."""
import numpy

from ..errors import TypingError
from ..extending import register_jitable
from ..special import array_copy, array_view, argsort_items, raise_if, sort_items
from ..types import Boolean, Complex, Float, Integer, NoneType, unliteral
from . import library
from .kinds import is_absent, is_array

_OUTSIDE = "axis {} is out of bounds for array of dimension {}"
_KINDS = {"quicksort": "quick", "heapsort": "quick", "stable": "stable", "mergesort": "stable"}


def sorts(array):
    """Whether a type is an array whose items can be put in order."""
    return is_array(array) and array.ndim > 0 and isinstance(array.dtype, (Integer, Float, Boolean, Complex))


def _name(kind):
    """Which of two ways to sort an argument asks for."""
    if is_absent(kind):
        return "quick"
    kind = getattr(kind, "literal_value", getattr(kind, "value", kind))
    if kind not in _KINDS:
        raise TypingError(f"\"kind\" must be a string literal, one of {', '.join(map(repr, _KINDS))}")
    return _KINDS[kind]


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


def _each_row(kind):
    """What sorts the rows of an array that lies in rows."""
    @register_jitable
    def sort_rows(a):
        length = a.shape[-1]
        if length > 1:
            for start in range(0, a.size, length):
                sort_items(_row(a, start, length), kind)
    return sort_rows


def _each_order(kind):
    """What puts the places of each row in order."""
    @register_jitable
    def places_of(a):
        length = a.shape[-1]
        places = numpy.empty(a.shape, numpy.int64)
        if a.size > 0:
            for start in range(0, a.size, length):
                order = _row(places, start, length)
                for at in range(length):
                    order[at] = at
                argsort_items(_row(a, start, length), order, kind)
        return places
    return places_of


def placer(array, kind="stable"):
    """What gives the places of a vector's items in order."""
    rows, places_of = _in_rows(array), _each_order(kind)
    if array.layout == "C" and array.aligned:
        return places_of
    return register_jitable(lambda a: places_of(rows(a)))


def _sorter(array, axis, kind):
    """What gives a sorted copy."""
    rows, sort_rows, where = _in_rows(array), _each_row(kind), _axis(axis)

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


@library(numpy.sort, likes="a")
def sort(a, axis=-1, kind=None):
    if isinstance(a, NoneType):
        raise TypingError('Argument "a" must be array-like')
    sorter = _sorter(a, axis, _name(kind)) if sorts(a) else None
    if sorter:
        return lambda a, axis=-1, kind=None: sorter(a, axis)


@library("numpy.ndarray.sort")
def array_sort(self, axis=-1, kind=None):
    if not sorts(self) or _axis(axis) in ("none", None):
        return None
    if _axis(axis) == "last" and self.layout == "C" and self.aligned:
        sort_rows = _each_row(_name(kind))

        def in_place(self, axis=-1, kind=None):
            sort_rows(self)
        return in_place
    sorter = _sorter(self, axis, _name(kind))

    def by_a_copy(self, axis=-1, kind=None):
        self[...] = sorter(self, axis)
    return by_a_copy


def _orderer(array, axis, kind):
    """What gives the places of the items in order."""
    rows, where = _in_rows(array), _axis(axis)
    lies = array.layout == "C" and array.aligned
    places_of = _each_order(kind)
    packed = register_jitable((lambda a: a) if lies else (lambda a: rows(a)))
    if where == "last":
        return register_jitable(lambda a, axis: places_of(packed(a)))
    if where == "none":
        return register_jitable(lambda a, axis: places_of(packed(a).reshape(a.size)))

    @register_jitable
    def along(a, axis):
        raise_if(axis < -a.ndim or axis >= a.ndim, "AxisError", _OUTSIDE, axis, a.ndim)
        made = numpy.empty(a.shape, numpy.int64)
        made[...] = numpy.swapaxes(places_of(rows(numpy.swapaxes(a, axis, -1))), axis, -1)
        return made
    return along if where else None


@library(numpy.argsort, likes="a")
def argsort(a, axis=-1, kind="quicksort"):
    orderer = _orderer(a, axis, _name(kind)) if sorts(a) else None
    if orderer:
        return lambda a, axis=-1, kind="quicksort": orderer(a, axis)


@library("numpy.ndarray.argsort")
def array_argsort(self, axis=-1, kind="quicksort"):
    orderer = _orderer(self, axis, _name(kind)) if sorts(self) else None
    if orderer:
        return lambda self, axis=-1, kind="quicksort": orderer(self, axis)
