"""Indices of nonzero items: `nonzero`, `flatnonzero`, `argwhere`; selection: `where`."""
import numpy

from ...errors import TypingError
from ...extending import register_jitable
from ...intrinsics import array_view, raise_if
from ...types import BaseTuple, Boolean, NoneType, Number, UnicodeType, from_dtype, unliteral
from ...types.typeof import as_dtype
from .. import library
from .._predicates import has_truth, is_absent, is_array, is_list, is_movable, is_numeric_array, length


def _is_number(ty):
    return isinstance(unliteral(ty), (Number, Boolean))


@library(numpy.flatnonzero, array_like="a", scalars="a")
def flatnonzero(a):
    if isinstance(a, NoneType):
        return lambda a: numpy.empty(0, numpy.int64)
    if isinstance(unliteral(a), UnicodeType):
        return lambda a: numpy.arange(min(len(a), 1))
    if has_truth(a):
        return _flatnonzero


def _flatnonzero(a):
    row = a.ravel()
    positions = numpy.empty(numpy.count_nonzero(row), numpy.int64)
    _put_indices(row, positions)
    return positions


@register_jitable(boundscheck=False)
def _put_indices(row, positions):
    """Each index is written, and overwritten by the next one where it is not wanted. There are as many as are wanted."""
    found, at = numpy.uint64(0), numpy.uint64(0)
    while found < numpy.uint64(positions.size):
        positions[found] = at
        found += numpy.uint64(1 if row[at] else 0)
        at += numpy.uint64(1)


def _indices(number):
    """What gives the first indices of positions in the order of rows."""
    if number == 0:
        return register_jitable(lambda a, positions: ())
    before = _indices(number - 1)

    @register_jitable
    def indices(a, positions):
        step = 1
        for axis in range(number, a.ndim):
            step *= a.shape[axis]
        found = numpy.empty(positions.size, numpy.int64)
        for at in range(positions.size):
            found[at] = positions[at] // step % a.shape[number - 1]
        return before(a, positions) + (found,)
    return indices


def _finder(array):
    if not has_truth(array) or not array.ndim:
        return None
    indices = _indices(array.ndim)
    if array.ndim == 1:
        return register_jitable(lambda a: (numpy.flatnonzero(a),))
    return register_jitable(lambda a: indices(a, numpy.flatnonzero(a)))


@library(numpy.nonzero, array_like="a")
def nonzero(a):
    _check_dimensions(a)
    find = _finder(a)
    if find:
        return lambda a: find(a)


def _check_dimensions(a):
    if is_array(a) and not a.ndim:
        raise TypingError("Calling nonzero on 0d arrays is not allowed. Use np.atleast_1d(scalar).nonzero() instead.")


@library("numpy.ndarray.nonzero")
def array_nonzero(self):
    _check_dimensions(self)
    find = _finder(self)
    if find:
        return lambda self: find(self)


@library(numpy.argwhere, array_like="a", scalars="a")
def argwhere(a):
    if isinstance(a, NoneType):
        return lambda a: numpy.empty((0, 0), numpy.int64)
    if isinstance(unliteral(a), UnicodeType):
        return lambda a: numpy.empty((min(len(a), 1), 0), numpy.int64)
    if is_numeric_array(a) and not a.ndim:
        return lambda a: numpy.empty((1 if a[()] else 0, 0), numpy.int64)
    find = _finder(a)
    if not find:
        return None

    def rows(a):
        found = find(a)
        made = numpy.empty((a.ndim, found[0].size), numpy.int64)
        for axis in range(a.ndim):
            made[axis] = found[axis]
        return made.T
    return rows


@library(numpy.where, array_like="condition x y")
def where(condition, x=None, y=None):
    _check_choices(condition, x, y)
    if is_absent(x) and is_absent(y):
        _check_dimensions(condition)
        find = _finder(condition)
        return (lambda condition, x=None, y=None: find(condition)) if find else None
    given = (condition, x, y)
    if not all(is_numeric_array(one) or _is_number(one) for one in given):
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


def _check_choices(condition, x, y):
    if not (is_array(condition) or _is_number(condition)):
        raise TypingError(f'The argument "condition" must be array-like, which {condition} is not')
    for name, one in (("x", x), ("y", y)):
        if isinstance(one, NoneType):
            raise TypingError('Argument "x" or "y" cannot be None: arrays of objects are not compiled')
        if not (is_absent(one) or is_array(one) or _is_number(one)):
            raise TypingError(f'The argument "{name}" must be array-like if provided, which {one} is not')


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


# Those items for which something holds.

@library(numpy.extract, array_like="condition arr", scalars="condition arr")
def extract(condition, arr):
    if not is_numeric_array(condition) or not is_movable(arr):
        return None

    def chosen(condition, arr):
        positions, row = numpy.flatnonzero(condition), arr.ravel()
        made = numpy.empty(positions.size, row.dtype)
        for at in range(positions.size):
            raise_if(positions[at] >= row.size, "IndexError", "index {} is out of bounds for axis 0 with size {}",
                     positions[at], row.size)
            made[at] = row[positions[at]]
        return made
    return chosen


@library(numpy.compress, array_like="condition a", scalars="a")
def compress(condition, a, axis=None):
    if not is_array(a):
        return None
    if is_array(condition) and condition.ndim != 1:
        raise TypingError("condition must be a 1-d array")
    if is_numeric_array(condition) and is_movable(a):
        return lambda condition, a, axis=None: numpy.take(a, numpy.flatnonzero(condition), axis)


@library("numpy.ndarray.compress")
def array_compress(self, condition, axis=None):
    return lambda self, condition, axis=None: numpy.compress(condition, self, axis)


# The items of the first array whose condition holds.

@library(numpy.select)
def select(condlist, choicelist, default=0):
    count = length(condlist)
    if is_list(condlist) and is_list(choicelist):
        return _select_of_lists(condlist, choicelist, default)
    if count is None or length(choicelist) is None:
        return None
    if not isinstance(condlist, BaseTuple) or not isinstance(choicelist, BaseTuple):
        return lambda condlist, choicelist, default=0: numpy.select(tuple(condlist), tuple(choicelist), default)
    if count != length(choicelist):
        raise TypingError("list of cases must be same length as list of conditions")
    if not count:
        raise TypingError("select with an empty condition list is not possible")
    conditions, choices = list(condlist), list(choicelist)
    if any(is_array(one) and not isinstance(one.dtype, Boolean) for one in conditions):
        raise TypingError("condlist arrays must contain booleans")
    if not all(is_numeric_array(one) or _is_number(one) for one in conditions + choices) or not _is_number_or_default(default):
        return None
    item = numpy.result_type(*(as_dtype(one.dtype if is_array(one) else unliteral(one)) for one in choices),
                             as_dtype(_type_of(default))).type
    choose = _selector(count, 0)

    def selected(condlist, choicelist, default=0):
        return choose(condlist, choicelist, item(default))
    return selected


def _select_of_lists(condlist, choicelist, default):
    """`select` of lists whose lengths are known at run time."""
    conditions, choices = condlist.dtype, choicelist.dtype
    if not (is_array(conditions) and isinstance(conditions.dtype, Boolean) and is_numeric_array(choices)
            and _is_number_or_default(default)):
        return None
    item = numpy.result_type(as_dtype(choices.dtype), as_dtype(_type_of(default))).type

    def selected(condlist, choicelist, default=0):
        if len(condlist) != len(choicelist):
            raise ValueError("list of cases must be same length as list of conditions")
        if len(condlist) == 0:
            raise ValueError("select with an empty condition list is not possible")
        shape = numpy.broadcast_shapes(condlist[0].shape, choicelist[0].shape)
        for number in range(1, len(condlist)):
            shape = numpy.broadcast_shapes(shape, condlist[number].shape, choicelist[number].shape)
        made = numpy.full(shape, item(default))
        for number in range(len(condlist) - 1, -1, -1):
            made = numpy.where(condlist[number], choicelist[number].astype(item), made)
        return made
    return selected


def _is_number_or_default(ty):
    return _is_number(ty) or isinstance(ty, (int, float, complex))


def _type_of(default):
    """The type of a number, or of a default."""
    return from_dtype(numpy.dtype(type(default))) if isinstance(default, (int, float, complex)) else unliteral(default)


def _selector(count, number):
    if number == count - 1:
        return register_jitable(lambda conditions, choices, default: numpy.where(
            conditions[number], choices[number], default))
    rest = _selector(count, number + 1)
    return register_jitable(lambda conditions, choices, default: numpy.where(
        conditions[number], choices[number], rest(conditions, choices, default)))
