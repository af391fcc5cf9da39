"""`numpy.linalg`: products of several matrices and tensor equations, by those of matrices: `multi_dot`, `tensorinv`, `tensorsolve`, `tensordot`."""
import numpy

from ...extending import register_jitable
from ...intrinsics import raise_if
from ...types import BaseTuple, Float, Integer
from .. import library
from .._predicates import is_absent, is_array, is_list, is_numeric_array, length
from ..numpy._axis import literal

_FEW = "Expecting at least two arrays."
# As NumPy prints it, where a line of the source was continued within the text.
_NOT_SQUARE = "Input arrays must satisfy the requirement             prod(a.shape[b.ndim:]) == prod(a.shape[:b.ndim])"


def _is_matrix(ty):
    return is_numeric_array(ty) and ty.ndim == 2


@library(numpy.linalg.multi_dot)
def multi_dot(arrays, *, out=None):
    if not is_absent(out):
        return None
    if is_list(arrays) and _is_matrix(arrays.dtype):
        return lambda arrays, *, out=None: _product(arrays)
    if isinstance(arrays, BaseTuple) and length(arrays) and all(_is_matrix(ty) for ty in arrays):
        return lambda arrays, *, out=None: _product([one for one in arrays])


@register_jitable
def _product(arrays):
    count = len(arrays)
    raise_if(count < 2, "ValueError", _FEW)
    if count == 2:
        return numpy.dot(arrays[0], arrays[1])
    if count == 3:
        return _three(arrays[0], arrays[1], arrays[2])
    return _ordered(arrays, _order(arrays), 0, count - 1)


@register_jitable
def _three(a, b, c):
    """The cheaper of both orders, by the number of multiplications."""
    left = a.shape[0] * b.shape[1] * (a.shape[1] + c.shape[1])
    right = a.shape[1] * c.shape[1] * (a.shape[0] + b.shape[1])
    if left < right:
        return numpy.dot(numpy.dot(a, b), c)
    return numpy.dot(a, numpy.dot(b, c))


@register_jitable
def _order(arrays):
    """Where to split each range of matrices (Cormen et al., Introduction to Algorithms, chapter 15.2)."""
    count = len(arrays)
    sizes = numpy.empty(count + 1)
    for at in range(count):
        sizes[at] = arrays[at].shape[0]
    sizes[count] = arrays[count - 1].shape[1]
    costs, splits = numpy.zeros((count, count)), numpy.zeros((count, count), numpy.int64)
    for distance in range(1, count):
        for first in range(count - distance):
            last = first + distance
            costs[first, last] = numpy.inf
            for split in range(first, last):
                cost = costs[first, split] + costs[split + 1, last] + sizes[first] * sizes[split + 1] * sizes[last + 1]
                if cost < costs[first, last]:
                    costs[first, last], splits[first, last] = cost, split
    return splits


@register_jitable
def _ordered(arrays, splits, first, last):
    if first == last:
        return arrays[first]
    split = splits[first, last]
    return numpy.dot(_ordered(arrays, splits, first, split), _ordered(arrays, splits, split + 1, last))


def _takes_floats(*arrays):
    return all(is_array(ty) and isinstance(ty.dtype, (Float, Integer)) for ty in arrays)


@library(numpy.linalg.tensorinv)
def tensorinv(a, ind=2):
    number = literal(ind)
    if not _takes_floats(a) or not isinstance(number, int) or isinstance(number, bool):
        return None
    if number <= 0 or number > a.ndim:
        return None

    def inverse(a, ind=2):
        rows = 1
        for size in a.shape[number:]:
            rows *= size
        made = numpy.linalg.inv(numpy.ascontiguousarray(a).reshape(rows, -1).astype(numpy.float64))
        return made.reshape(a.shape[number:] + a.shape[:number])
    return inverse


@library(numpy.linalg.tensorsolve)
def tensorsolve(a, b, axes=None):
    if not _takes_floats(a, b) or not is_absent(axes) or a.ndim <= b.ndim:
        return None
    known = b.ndim

    def solved(a, b, axes=None):
        wanted = a.shape[known:]
        size = 1
        for one in wanted:
            size *= one
        if a.size != size * size:
            raise numpy.linalg.LinAlgError(_NOT_SQUARE)
        matrix = numpy.ascontiguousarray(a).reshape(size, size).astype(numpy.float64)
        return numpy.linalg.solve(matrix, b.ravel().astype(numpy.float64)).reshape(wanted)
    return solved


@library(numpy.linalg.tensordot)
def tensordot(x1, x2, /, *, axes=2):
    if is_array(x1) and is_array(x2):
        return lambda x1, x2, /, *, axes=2: numpy.tensordot(x1, x2, axes)
