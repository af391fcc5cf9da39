"""Arrays of what an iterable or a function gives: `fromiter`, `fromfunction`."""
import numpy

from ...extending import Effects, register_jitable
from ...intrinsics import raise_if
from ...types import Boolean, Integer, Number, unliteral
from ...types.typeof import as_dtype
from .. import library
from .._predicates import is_dtype, is_iterable, is_shape
from .copy_eye import item_of


@library(numpy.fromiter, effects=Effects(calls="iter", exhausts="iter"), strict=False)
def fromiter(iter, dtype, count=-1):
    if not is_iterable(iter) or not is_dtype(dtype) or not isinstance(unliteral(count), (int, Integer)):
        return None
    item = item_of(dtype)
    if not isinstance(item, (Number, Boolean)):
        return None
    dtype_of_items = as_dtype(item)

    def made(iter, dtype, count=-1):
        room = numpy.empty(max(count, 16), dtype_of_items)
        known = 0
        for one in iter:
            if known == count:
                break
            if known == room.size:
                larger = numpy.empty(2 * known, dtype_of_items)
                larger[:known] = room
                room = larger
            room[known] = one
            known += 1
        raise_if(count >= 0 and known < count, "ValueError", "iterator too short: Expected {} but iterator had only {} items.",
                 count, known)
        return room[:known].copy()
    return made


@library(numpy.fromfunction, effects=Effects(calls="function"), strict=False)
def fromfunction(function, shape, *, dtype=float):
    if not is_shape(shape) or not len(shape) or not (dtype is float or is_dtype(dtype)):
        return None
    item = numpy.float64 if dtype is float else item_of(dtype)
    if dtype is not float and not isinstance(item, (Number, Boolean)):
        return None
    grids, item = _taker(len(shape)), numpy.dtype(item) if dtype is float else as_dtype(item)
    return lambda function, shape, *, dtype=float: function(*grids(numpy.indices(shape).astype(item)))


def _taker(count, at=0):
    """What gives the tuple of the items along the first axis, so many."""
    if at + 1 == count:
        return register_jitable(lambda grid: (grid[at],))
    rest = _taker(count, at + 1)
    return register_jitable(lambda grid: (grid[at],) + rest(grid))
