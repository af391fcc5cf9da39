"""Methods of ufuncs in compiled code: `reduce`, `accumulate`, `reduceat`, `outer` and `at`, as NumPy's ufuncs have them.

What is reduced, along which axes and into what, is that of other reductions (`_axis`); here is what a row comes to, with
a ufunc's loop. Lists, tuples and numbers in the place of an array become arrays first.

Functions here get a ufunc (one that a user made, or `ufunc_methods.NumpyUfunc`) and `loop_of(ufunc, items)`, which gives the key of its loop
for items of these types in `ufunc._loops`. They return an implementation, whose first parameter is the ufunc.
"""
import numpy

from ...errors import TypingError
from ...extending import register_jitable
from ...intrinsics import raise_if, scratch, scratch_items, scratch_set
from ...types import Array, BaseTuple, Boolean, Integer, Number, unliteral
from .._array_like import is_number, is_sequence
from .._predicates import is_absent, is_array
from ._axis import axis_kind, check_axis, counter, keepdims_of, lines_along, literal, remaining_ndim
from .copy_eye import item_of

EMPTY = "zero-size array to reduction operation {} which has no identity"
OUTSIDE = "index {{}} out-of-bounds in {}.reduceat [0, {{}})"
# What makes arrays of lists, tuples and numbers.
_as_array = numpy.asarray


class Fold:
    """How a ufunc's loop joins items of an array, one after another."""

    def __init__(self, ufunc, loop_of, array, dtype):
        accumulator = getattr(ufunc, "accumulator", lambda item: item)
        item = accumulator(array.dtype) if is_absent(dtype) else item_of(dtype)
        if not isinstance(item, (Number, Boolean)):
            raise TypingError(f"the ufunc '{ufunc.__name__}' has no loop for items of {item}")
        kinds = loop_of(ufunc, (item, array.dtype))
        if kinds is None:
            raise TypingError(f"the ufunc '{ufunc.__name__}' has no loop for ({item}, {array.dtype})")
        first, second, made = (kind.type for kind in ufunc._loops[kinds][0])
        if not numpy.can_cast(made, first, "safe"):
            raise TypingError(f"the ufunc '{ufunc.__name__}' makes {made.__name__} of {first.__name__}, which it does not take")
        self.name, self.made = ufunc.__name__, made
        kernel = ufunc._dispatcher
        self.join = register_jitable(lambda one, other: made(kernel(first(one), second(other))))
        self.rest = getattr(ufunc, "rest_of_row", None)

    def of_row(self, has_start):
        """What makes one number of a row, beginning with another number or with its first."""
        join, made, rest = self.join, self.made, self.rest

        @register_jitable
        def from_rest(row, start):
            found = made(row[0])
            return found if len(row) == 1 else join(found, rest(row[1:], made))

        @register_jitable
        def from_start(row, start):
            found = made(start)
            for at in range(len(row)):
                found = join(found, row[at])
            return found

        @register_jitable
        def from_first(row, start):
            found = made(row[0])
            for at in range(1, len(row)):
                found = join(found, row[at])
            return found
        if has_start:
            return from_start
        return from_rest if rest else from_first


def _array_like(ty, name, role=""):
    """Whether an argument has to be made an array first."""
    if is_array(ty):
        return False
    if is_sequence(ty) or is_number(ty):
        return True
    raise TypingError(f'The {role}argument "{name}" must be array-like')


def _check_order(ufunc, array, axis):
    several = array.ndim > 1 if axis_kind(array, axis) == "all" else isinstance(axis, BaseTuple) and len(axis) > 1
    if several and ufunc._identity is None:
        raise TypingError(
            f"reduction operation '{ufunc.__name__}' is not reorderable, so at most one axis may be specified")


def reduce(ufunc, loop_of, array, axis, dtype, out, keepdims, initial):
    """The implementation of `reduce` for these types."""
    keeps = literal(keepdims)
    if not isinstance(keeps, bool):
        raise TypingError("keepdims has to be a constant: the result's dimensions depend on it")
    if _array_like(array, "array", "first "):
        def converted(self, array, axis=0, dtype=None, out=None, keepdims=False, initial=None):
            return self.reduce(_as_array(array), axis, dtype, out, keeps, initial)
        return converted
    _check_order(ufunc, array, axis)
    fold = Fold(ufunc, loop_of, array, dtype)
    find = _each_item(fold) if isinstance(axis, BaseTuple) and not len(axis) else _lines(
        fold, ufunc, array, axis, not is_absent(initial))
    if keeps and remaining_ndim(array, axis) != array.ndim:
        find = _kept(find, keepdims_of(array, axis, fold.made))
    if is_absent(out):
        return lambda self, array, axis=0, dtype=None, out=None, keepdims=False, initial=None: find(array, axis, initial)
    _check_out(out)

    def put(self, array, axis=0, dtype=None, out=None, keepdims=False, initial=None):
        out[...] = find(array, axis, initial)
        return out
    return put


def _kept(find, keep):
    return register_jitable(lambda array, axis, initial: keep(find(array, axis, initial), array, axis))


def _each_item(fold):
    """What a reduction along no axis gives: the items, converted."""
    made = numpy.dtype(fold.made)
    return register_jitable(lambda array, axis, initial: array.astype(made))


def _lines(fold, ufunc, array, axis, given):
    """What reduces each line along the axes. A number to begin with is given, or the ufunc has one, or the first is."""
    start = None if ufunc._identity == "reorderable" else ufunc._identity
    of_row, lines_of, count = fold.of_row(given or start is not None), lines_along(array, axis), counter(array, axis)
    nothing, dtype, starts = EMPTY.format(fold.name), numpy.dtype(fold.made), given or start is not None

    @register_jitable
    def begin(array, axis, initial):
        if not starts:
            raise_if(count(array, axis) == 0, "ValueError", nothing)
        return initial if given else start

    @register_jitable
    def only(array, axis, initial):
        lines = lines_of(array, axis)
        return of_row(lines, begin(array, axis, initial))

    @register_jitable
    def each(array, axis, initial):
        lines = lines_of(array, axis)
        first = begin(array, axis, initial)
        result = numpy.empty(lines.shape[:-1], dtype)
        for index in numpy.ndindex(result.shape):
            result[index] = of_row(lines[index], first)
        return result
    return each if remaining_ndim(array, axis) else only


def accumulate(ufunc, loop_of, array, axis, dtype, out):
    """The implementation of `accumulate` for these types."""
    if not is_absent(out):
        _check_out(out)
    if not isinstance(axis, int) and not isinstance(unliteral(axis), Integer):
        raise TypingError('"axis" must be an integer')
    if is_number(array):
        raise TypingError("cannot accumulate on a scalar")
    if _array_like(array, "array", "first "):
        return lambda self, array, axis=0, dtype=None, out=None: self.accumulate(_as_array(array), axis, dtype, out)
    find = _running(Fold(ufunc, loop_of, array, dtype), array)
    if is_absent(out):
        return lambda self, array, axis=0, dtype=None, out=None: find(array, axis)

    def put(self, array, axis=0, dtype=None, out=None):
        found = find(array, axis)
        raise_if(found.shape != out.shape, "ValueError", "the output has another shape than the result")
        out[...] = found
        return out
    return put


def _running(fold, array):
    """What joins each item with all that stand before it in its line."""
    join, made, dtype = fold.join, fold.made, numpy.dtype(fold.made)

    @register_jitable
    def of_line(row, result):
        if len(row):
            found = made(row[0])
            result[0] = found
            for at in range(1, len(row)):
                found = join(found, row[at])
                result[at] = found

    @register_jitable
    def only(array, axis):
        check_axis(array, axis)
        result = numpy.empty(array.shape, dtype)
        of_line(array, result)
        return result

    @register_jitable
    def each(array, axis):
        check_axis(array, axis)
        result = numpy.empty(array.shape, dtype)
        lines, positions = numpy.moveaxis(array, axis, -1), numpy.moveaxis(result, axis, -1)
        for index in numpy.ndindex(lines.shape[:-1]):
            of_line(lines[index], positions[index])
        return result
    return only if array.ndim == 1 else each


def outer(first, second):
    """The implementation of `outer` for these types: the ufunc is called with arrays whose axes stand beside each other."""
    lists = [_array_like(one, "operand", index) and not is_number(one) for one, index in ((first, "first "), (second, "second "))]
    if any(lists):
        # How many axes a list has shows when it is an array.
        one, other = (_as_array if is_list else _itself for is_list in lists)
        return lambda self, A, B: self.outer(one(A), other(B))
    count, ones = getattr(first, "ndim", 0), (1,) * getattr(second, "ndim", 0)
    if not count and not ones:
        return lambda self, A, B: self(A, B)
    # A number is an array, too, so that its type counts.
    if not count or not ones:
        return lambda self, A, B: self(_as_array(A), _as_array(B))
    return lambda self, A, B: self(_beside(A, ones), B)


@register_jitable
def _beside(array, ones):
    return numpy.ascontiguousarray(array).reshape(array.shape + ones)


def _check_out(out):
    if not is_array(out):
        raise TypingError("the output must be an array")
    if not out.mutable:
        raise TypingError("the output is read-only")


def reduceat(ufunc, loop_of, array, indices, axis, dtype, out):
    """The implementation of `reduceat` for these types."""
    first, second = _array_like(array, "array", "first "), _array_like(indices, "indices", "second ")
    if not is_absent(out):
        _check_out(out)
    if not isinstance(axis, int) and not isinstance(unliteral(axis), Integer):
        raise TypingError('"axis" must be an integer')
    if first or second:
        return _converted(first, second)
    if indices.ndim > 1 or not isinstance(indices.dtype, Integer):
        raise TypingError("the indices have to be integers and have at most 1 dimension")
    find = _slices(Fold(ufunc, loop_of, array, dtype), array)
    if is_absent(out):
        return lambda self, array, indices, axis=0, dtype=None, out=None: find(array, indices, axis)

    def put(self, array, indices, axis=0, dtype=None, out=None):
        found = find(array, indices, axis)
        raise_if(found.shape != out.shape, "ValueError", "the output has another shape than the result")
        out[...] = found
        return out
    return put


def _converted(first, second):
    one = _as_array if first else _itself
    other = _as_array if second else _itself
    return lambda self, array, indices, axis=0, dtype=None, out=None: self.reduceat(
        one(array), other(indices), axis, dtype, out)


@register_jitable
def _itself(value):
    return value


def _slices(fold, array):
    """What reduces slices of each line along an axis."""
    outside, dtype, made = OUTSIDE.format(fold.name), numpy.dtype(fold.made), fold.made
    of_row, one_line = fold.of_row(False), array.ndim == 1

    @register_jitable
    def of_line(row, indices, result):
        for at in range(len(indices)):
            begin = indices[at]
            raise_if(begin < 0 or begin >= len(row), "IndexError", outside, begin, len(row))
            end = indices[at + 1] if at + 1 < len(indices) else len(row)
            result[at] = of_row(row[begin:end], 0) if begin < end else made(row[begin])

    @register_jitable
    def only(array, indices, axis):
        check_axis(array, axis)
        result = numpy.empty(len(indices), dtype)
        of_line(array, indices, result)
        return result

    @register_jitable
    def each(array, indices, axis):
        check_axis(array, axis)
        lengths = scratch(array.shape)
        scratch_set(lengths, axis % array.ndim, len(indices))
        result = numpy.empty(tuple(scratch_items(lengths)), dtype)
        lines, positions = numpy.moveaxis(array, axis, -1), numpy.moveaxis(result, axis, -1)
        for index in numpy.ndindex(lines.shape[:-1]):
            of_line(lines[index], indices, positions[index])
        return result
    return only if one_line else each


# In place.

def at(ufunc, loop_of, a, indices, b):
    """The implementation of `at` for these types."""
    if ufunc.nin == 2 and is_absent(b):
        raise TypingError("second operand needed for ufunc")
    if ufunc.nin == 1 and not is_absent(b):
        raise TypingError("second operand provided when ufunc is unary")
    if not is_array(a) or not a.mutable:
        raise TypingError(f"the first argument has to be an array that can be written to, not {a}")
    if ufunc.nin == 2 and _array_like(b, "b", "third ") and not is_number(b):
        return lambda self, a, indices, b=None: self.at(a, indices, _as_array(b))
    if is_sequence(indices) and not isinstance(indices, BaseTuple):
        return lambda self, a, indices, b=None: self.at(a, _as_array(indices), b)
    change = _changer(ufunc, loop_of, a, b)
    if a.ndim == 1 and is_array(indices) and indices.ndim == 1 and isinstance(indices.dtype, Integer):
        return _at_indices(change, b, getattr(ufunc, "wrong_count", None))
    return _at_selection(change, a, b)


def _changer(ufunc, loop_of, a, b):
    """What changes one item of a flat array with a number."""
    items = (a.dtype,) if ufunc.nin == 1 else (a.dtype, b.dtype if isinstance(b, Array) else unliteral(b))
    if not all(isinstance(item, (Number, Boolean)) for item in items):
        raise TypingError(f"the ufunc '{ufunc.__name__}' has no loop for ({', '.join(map(str, items))})")
    kinds = loop_of(ufunc, items)
    if kinds is None:
        raise TypingError(f"the ufunc '{ufunc.__name__}' has no loop for ({', '.join(map(str, items))})")
    # What it gives is converted to an item where it is stored, as in NumPy.
    kernel = ufunc._dispatcher
    *given, made = (kind.type for kind in ufunc._loops[kinds][0])
    first, last = given[0], given[-1]
    if ufunc.nin == 1:
        return register_jitable(lambda item, other: made(kernel(first(item))))
    return register_jitable(lambda item, other: made(kernel(first(item), last(other))))


def _spread(b):
    """What gives as many items of an argument as there are positions, and one of them."""
    if not isinstance(b, Array):
        return register_jitable(lambda b, shape: b), register_jitable(lambda b, index: b)
    if b.ndim == 0:
        return register_jitable(lambda b, shape: b[()]), register_jitable(lambda b, index: b)
    return register_jitable(lambda b, shape: numpy.broadcast_to(b, shape)), register_jitable(lambda b, index: b[index])


def _at_indices(change, b, wrong_count):
    """For an array of one dimension and positions in it. What is wrong with another count of items may have words of its own."""
    spread, one = _spread(b)
    has_row = isinstance(b, Array) and b.ndim == 1 and wrong_count is not None

    def call(self, a, indices, b=None):
        if has_row:
            raise_if(len(b) != len(indices) and len(b) != 1, "ValueError", wrong_count)
        every = spread(b, indices.shape)
        for at in range(len(indices)):
            index = indices[at]
            raise_if(index < -len(a) or index >= len(a), "IndexError",
                     "index {} is out of bounds for axis 0 with size {}", index, len(a))
            a[index] = change(a[index], one(every, at))
    return call


def _at_selection(change, a, b):
    """For any index: what it selects of the numbers of all positions are the positions that change, in order."""
    spread, one = _spread(b)

    def call(self, a, indices, b=None):
        numbers = numpy.asarray(numpy.arange(a.size).reshape(a.shape)[indices])
        every, items = spread(b, numbers.shape), a.flat
        for index, number in numpy.ndenumerate(numbers):
            items[number] = change(items[number], one(every, index))
    return call
