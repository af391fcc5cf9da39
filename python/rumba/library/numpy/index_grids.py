"""Index and coordinate grids: `indices`, `meshgrid`, `vander`."""
import numpy

from ...errors import TypingError
from ...extending import register_jitable
from ...intrinsics import raise_if, scratch_items, scratch_like, scratch_set
from ...types import Boolean, Complex, Float, Integer, unliteral
from ...types.typeof import as_dtype
from .. import library
from ._axis import literal
from .._predicates import each_of, is_absent, is_array, is_shape
from .._array_like import is_number, is_sequence


@library(numpy.indices)
def indices(dimensions):
    if not is_shape(dimensions):
        raise TypingError("The argument \"dimensions\" must be a tuple of integers")
    if not len(dimensions):
        return lambda dimensions: numpy.empty((0,), numpy.int64)

    def positions(dimensions):
        made = numpy.empty((len(dimensions),) + dimensions, numpy.int64)
        for axis in range(len(dimensions)):
            lines = numpy.moveaxis(made[axis], axis, 0)
            for at in range(lines.shape[0]):
                lines[at] = at
        return made
    return positions


# An index for each axis, which all together name a part of an array.

@library(numpy.ix_, strict=False)
def ix_(*args):
    if any(is_sequence(one) for one in args):
        convert = each_of([(lambda one: numpy.asarray(one)) if is_sequence(one) else (lambda one: one) for one in args])
        return lambda *args: numpy.ix_(*convert(args))
    if not all(is_array(one) and isinstance(one.dtype, (Boolean, Integer)) for one in args):
        return None
    if any(one.ndim != 1 for one in args):
        raise TypingError("Cross index must be 1 dimensional")
    each = _stretched(list(args), len(args))
    return lambda *args: each(args)


def _stretched(types, count):
    if not types:
        return register_jitable(lambda rows: ())
    before, at = _stretched(types[:-1], count), len(types) - 1
    front, behind = (1,) * at, (1,) * (count - 1 - at)
    positions = register_jitable((lambda row: numpy.flatnonzero(row)) if isinstance(types[-1].dtype, Boolean) else (lambda row: row))

    @register_jitable
    def stretch(row):
        wanted = positions(row)
        return wanted.reshape(front + (wanted.size,) + behind)
    return register_jitable(lambda rows: before(rows) + (stretch(rows[at]),))


# Grids.

@library(numpy.meshgrid)
def meshgrid(*xi, copy=True, sparse=False, indexing="xy"):
    order, sparse_ = literal(indexing), literal(sparse)
    if order not in ("xy", "ij"):
        raise TypingError("Valid values for `indexing` are 'xy' and 'ij'.")
    if any(is_sequence(one) for one in xi):
        return _with_arrays(len(xi), order)
    if not xi or sparse_ is not False or not all(is_array(one) and one.ndim <= 1 or is_number(one) for one in xi):
        return None
    grid = _grid(len(xi), len(xi) - 1, order == "xy" and len(xi) > 1, [is_array(one) for one in xi])

    def spanned(*xi, copy=True, sparse=False, indexing="xy"):
        return grid(xi)
    return spanned


def _with_arrays(count, order):
    each = each_of([_as_array] * count)

    def converted(*xi, copy=True, sparse=False, indexing="xy"):
        return numpy.meshgrid(*each(xi), indexing=order)
    return converted


def _as_array(items):
    return numpy.asarray(items)


def _grid(count, number, turned, arrays):
    """What gives the first arrays of the grid, each stretched along the axes of the others."""
    measure = _measurer(count, count - 1, turned)
    ones = (1,) * count
    axis = 1 - number if turned and number < 2 else number

    @register_jitable
    def one(xi):
        lengths = scratch_like(ones, 0)
        measure(xi, lengths)
        shape = tuple(scratch_items(lengths))
        row = numpy.ravel(numpy.asarray(xi[number]))
        made = numpy.empty(shape, row.dtype)
        lines = numpy.moveaxis(made, axis, 0)
        for at in range(row.size):
            lines[at] = row[at]
        return made
    if number == 0:
        return register_jitable(lambda xi: (one(xi),))
    before = _grid(count, number - 1, turned, arrays)
    return register_jitable(lambda xi: before(xi) + (one(xi),))


def _measurer(count, number, turned):
    axis = 1 - number if turned and number < 2 else number

    if number == 0:
        return register_jitable(lambda xi, lengths: scratch_set(lengths, axis, numpy.size(xi[number])))
    before = _measurer(count, number - 1, turned)

    @register_jitable
    def measure(xi, lengths):
        before(xi, lengths)
        scratch_set(lengths, axis, numpy.size(xi[number]))
    return measure


# Powers.

@library(numpy.vander, array_like="x")
def vander(x, N=None, increasing=False):
    if not is_array(x):
        return None
    if x.ndim != 1:
        raise TypingError("x must be a one-dimensional array or sequence.")
    if not isinstance(x.dtype, (Integer, Float, Complex, Boolean)):
        return None
    if not (is_absent(N) or isinstance(N, int) or isinstance(unliteral(N), Integer)):
        raise TypingError("Second argument N must be None or an integer")
    item = numpy.promote_types(as_dtype(x.dtype), numpy.int64).type
    fill = _powers(item)
    if is_absent(N):
        return lambda x, N=None, increasing=False: fill(x, x.size, increasing)
    return lambda x, N=None, increasing=False: fill(x, N, increasing)


def _powers(item):
    @register_jitable
    def fill(x, count, increasing):
        raise_if(count < 0, "ValueError", "Negative dimensions are not allowed")
        made = numpy.empty((x.size, count), item)
        for row in range(x.size):
            power = item(1)
            for at in range(count):
                # As in NumPy the first power is the number, which a product with 1 is not always.
                if at == 1:
                    power = item(x[row])
                elif at > 1:
                    power *= item(x[row])
                made[row, at if increasing else count - 1 - at] = power
        return made
    return fill
