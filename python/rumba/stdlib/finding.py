"""Where items are that are not zero: `nonzero`, `flatnonzero`, `argwhere`; items of one or of another array: `where`."""
import numpy

from ..extending import register_jitable
from ..special import array_view
from ..types import Boolean, Number, unliteral
from ..types.typeof import as_dtype
from . import library
from .kinds import is_absent, is_array


def _is_numbers(ty):
    return is_array(ty) and isinstance(ty.dtype, (Number, Boolean))


def _is_number(ty):
    return isinstance(unliteral(ty), (Number, Boolean))


@library(numpy.flatnonzero)
def flatnonzero(a):
    if _is_numbers(a):
        return _flatnonzero


def _flatnonzero(a):
    row = a.ravel()
    places, found = numpy.empty(numpy.count_nonzero(row), numpy.int64), 0
    for at in range(row.size):
        if row[at]:
            places[found] = at
            found += 1
    return places


def _indices(number):
    """What gives the first indices of places in the order of rows."""
    if number == 0:
        return register_jitable(lambda a, places: ())
    before = _indices(number - 1)

    @register_jitable
    def indices(a, places):
        step = 1
        for axis in range(number, a.ndim):
            step *= a.shape[axis]
        found = numpy.empty(places.size, numpy.int64)
        for at in range(places.size):
            found[at] = places[at] // step % a.shape[number - 1]
        return before(a, places) + (found,)
    return indices


def _finder(array):
    if not _is_numbers(array) or not array.ndim:
        return None
    indices = _indices(array.ndim)
    if array.ndim == 1:
        return register_jitable(lambda a: (numpy.flatnonzero(a),))
    return register_jitable(lambda a: indices(a, numpy.flatnonzero(a)))


@library(numpy.nonzero)
def nonzero(a):
    find = _finder(a)
    if find:
        return lambda a: find(a)


@library("numpy.ndarray.nonzero")
def array_nonzero(self):
    find = _finder(self)
    if find:
        return lambda self: find(self)


@library(numpy.argwhere)
def argwhere(a):
    find = _finder(a)
    if not find:
        return None

    def rows(a):
        found = find(a)
        made = numpy.empty((found[0].size, a.ndim), numpy.int64)
        for axis in range(a.ndim):
            made[:, axis] = found[axis]
        return made
    return rows


@library(numpy.where)
def where(condition, x=None, y=None):
    if is_absent(x) and is_absent(y):
        find = _finder(condition)
        return (lambda condition, x=None, y=None: find(condition)) if find else None
    given = (condition, x, y)
    if not all(_is_numbers(one) or _is_number(one) for one in given):
        return None
    item = numpy.promote_types(*(as_dtype(one.dtype if is_array(one) else unliteral(one)) for one in (x, y)))
    choose = _chooser(given, item)
    first, second, third = (_shaper(one) for one in given)
    row1, row2, row3 = (_rower(one, False) for one in given)
    wide1, wide2, wide3 = (_rower(one, True) for one in given)

    fits1, fits2, fits3 = (_sizer(one) for one in given)

    def chosen(condition, x=None, y=None):
        shape = numpy.broadcast_shapes(first(condition), second(x), third(y))
        made = numpy.empty(shape, item)
        out = array_view(made, made.dtype, 0, (made.size,), (made.size,), "C")
        if fits1(condition, made.size) and fits2(x, made.size) and fits3(y, made.size):
            choose(out, row1(condition, shape), row2(x, shape), row3(y, shape))
        else:
            choose(out, wide1(condition, shape), wide2(x, shape), wide3(y, shape))
        return made
    return chosen


def _shaper(ty):
    return register_jitable((lambda a: a.shape) if is_array(ty) else (lambda a: ()))


def _sizer(ty):
    """Whether an array has so many items; a number fits everywhere."""
    return register_jitable((lambda a, size: a.size == size) if is_array(ty) else (lambda a, size: True))


def _rower(ty, stretches):
    """What makes a row of an array, stretched to a shape if it has to be; a number stays."""
    if not is_array(ty):
        return register_jitable(lambda a, shape: a)
    if stretches:
        return register_jitable(lambda a, shape: numpy.broadcast_to(a, shape).flatten())
    return register_jitable(lambda a, shape: a.ravel())


def _chooser(given, item):
    at1, at2, at3 = (register_jitable((lambda a, at: a[at]) if is_array(one) else (lambda a, at: a)) for one in given)
    made = item.type

    @register_jitable
    def choose(out, condition, x, y):
        for at in range(out.size):
            out[at] = made(at2(x, at)) if at1(condition, at) else made(at3(y, at))
    return choose
