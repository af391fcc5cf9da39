"""Arrays from indices: `mgrid`, `ogrid`, `r_`, `c_`; `s_` and `index_exp`, which give the index itself."""
import numpy

from ...errors import TypingError
from ...extending import register_jitable
from ...types import BaseTuple, Boolean, Number, SliceType, unliteral
from .. import library
from .._predicates import each_of, is_array
from .dtype_promotion import operand


@register_jitable
def _range(part):
    return numpy.arange(part.start, part.stop, part.step)


@register_jitable
def _size(side):
    return side.size


def _is_slice(ty):
    return isinstance(unliteral(ty), SliceType)


def _ranges(index, name):
    """What gives the ranges of slices."""
    if isinstance(index, BaseTuple) and len(index) and all(map(_is_slice, index)):
        return each_of([_range] * len(index))
    raise TypingError(f"numpy.{name} takes slices of integers in compiled code, not {index}")


@library("numpy.mgrid.__getitem__")
def mgrid(self, index, /):
    if _is_slice(index):
        return lambda self, index, /: _range(index)
    ranges, sizes = _ranges(index, "mgrid"), each_of([_size] * len(index))

    def grids(self, index, /):
        rows = ranges(index)
        sides = numpy.ix_(*rows)
        made = numpy.empty((len(sides),) + sizes(rows), numpy.int64)
        for axis in range(len(sides)):
            made[axis] = sides[axis]
        return made
    return grids


@library("numpy.ogrid.__getitem__")
def ogrid(self, index, /):
    if _is_slice(index):
        return lambda self, index, /: _range(index)
    ranges = _ranges(index, "ogrid")
    return lambda self, index, /: numpy.ix_(*ranges(index))


# What stands beside each other in an array.

def _items(index):
    return list(index) if isinstance(index, BaseTuple) else [index]


def _parts(items, most_dimensions):
    """The dtype of all, and what makes an array of each."""
    if not items:
        return None
    operands, functions = [], []
    for item in items:
        if _is_slice(item):
            operands.append(numpy.dtype(numpy.int64))
            functions.append(_range)
        elif is_array(item) and 0 < item.ndim <= most_dimensions and isinstance(item.dtype, (Number, Boolean)):
            operands.append(operand(item))
            functions.append(lambda one: one)
        elif isinstance(unliteral(item), (Number, Boolean)):
            operands.append(operand(item))
            functions.append(None)
        else:
            return None
    made = numpy.result_type(*operands).type

    def alone(one):
        return numpy.full(1, one, made)
    return [function or alone for function in functions]


def _as_tuple(index):
    return register_jitable((lambda index: index) if isinstance(index, BaseTuple) else (lambda index: (index,)))


@library("numpy.r_.__getitem__")
def r_(self, index, /):
    parts = _parts(_items(index), 1)
    if parts is None:
        return None
    arrays, items = each_of(parts), _as_tuple(index)
    return lambda self, index, /: numpy.concatenate(arrays(items(index)))


@library("numpy.c_.__getitem__")
def c_(self, index, /):
    given = _items(index)
    parts = _parts(given, 2)
    if parts is None:
        return None
    arrays, items = each_of(parts), _as_tuple(index)
    columns = each_of([(lambda one: one) if is_array(item) and item.ndim == 2 else (lambda one: one.reshape((one.size, 1)))
                       for item in given])
    return lambda self, index, /: numpy.concatenate(columns(arrays(items(index))), axis=1)


@library("numpy.s_.__getitem__")
def s_(self, index, /):
    return lambda self, index, /: index


@library("numpy.index_exp.__getitem__")
def index_exp(self, index, /):
    return (lambda self, index, /: index) if isinstance(index, BaseTuple) else lambda self, index, /: (index,)
