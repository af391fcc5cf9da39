"""Norms along axes: of vectors along one axis, of matrices along two. The formulas are those of NumPy's `norm`."""
import math

import numpy

from ...errors import TypingError
from ...extending import register_jitable
from ...intrinsics import raise_if
from ...types import Boolean, Float, Integer, unliteral
from .._predicates import is_absent, is_shape, length
from ..numpy._axis import literal
from ._lapack import Kind


def along(x, ord, axis, keepdims):
    """What gives the norms of `x`, of which the types of the arguments are known; None if there is no such thing."""
    keeps, order = literal(keepdims), None if is_absent(ord) else literal(ord)
    if not isinstance(keeps, bool) or not (order is None or isinstance(order, str) or _is_number(ord)):
        return None
    if isinstance(axis, int) or isinstance(unliteral(axis), Integer):
        return _of_vectors(x, ord, order, keeps)
    if is_shape(axis) and length(axis) == 1:
        inner = _of_vectors(x, ord, order, keeps)
        return inner and register_jitable(lambda x, ord, axis: inner(x, ord, axis[0]))
    if not is_shape(axis) or length(axis) != 2:
        raise TypingError("Improper number of dimensions to norm.")
    return _of_matrices(x, order, keeps)


def _is_number(ty):
    return isinstance(ty, (int, float)) or isinstance(unliteral(ty), (Integer, Float, Boolean))


def _squares(x):
    """What gives the squares of the sizes of items."""
    if Kind(x).is_complex:
        return register_jitable(lambda x: (numpy.conjugate(x) * x).real)
    return register_jitable(lambda x: x * x)


def _euclidean(x, keeps):
    squares = _squares(x)
    return register_jitable(lambda x, ord, axis: numpy.sqrt(numpy.sum(squares(x), axis, keepdims=keeps)))


def _of_vectors(x, ord, order, keeps):
    if isinstance(order, str):
        raise TypingError(f"Invalid norm order '{order}' for vectors")
    real, root = Kind(x).real, _euclidean(x, keeps)
    if is_absent(ord) or order == 2:
        return root

    @register_jitable
    def largest(x, ord, axis):
        return numpy.max(numpy.abs(x), axis, keepdims=keeps, initial=0)

    @register_jitable
    def smallest(x, ord, axis):
        return numpy.min(numpy.abs(x), axis, keepdims=keeps)

    @register_jitable
    def others(x, ord, axis):
        return numpy.sum((x != 0).astype(real), axis, keepdims=keeps)

    @register_jitable
    def sizes(x, ord, axis):
        return numpy.sum(numpy.abs(x), axis, keepdims=keeps)

    @register_jitable
    def powers(x, ord, axis):
        return numpy.power(numpy.sum(numpy.power(numpy.abs(x), real(ord)), axis, keepdims=keeps), real(1) / real(ord))
    known = {math.inf: largest, -math.inf: smallest, 0: others, 1: sizes}
    if isinstance(order, (int, float)):
        return known.get(order, powers)

    @register_jitable
    def any_order(x, ord, axis):
        if ord == math.inf:
            return largest(x, ord, axis)
        if ord == -math.inf:
            return smallest(x, ord, axis)
        if ord == 0:
            return others(x, ord, axis)
        if ord == 1:
            return sizes(x, ord, axis)
        return root(x, ord, axis) if ord == 2 else powers(x, ord, axis)
    return any_order


def _of_matrices(x, order, keeps):
    if x.ndim < 2:
        raise TypingError("Improper number of dimensions to norm.")
    if order in ("fro", "f", None):
        return _checked(x.ndim, _euclidean(x, keeps))
    real, stretch = Kind(x).real, register_jitable(
        (lambda made, axis: numpy.expand_dims(made, axis)) if keeps else (lambda made, axis: made))
    named = order if isinstance(order, str) else None

    @register_jitable
    def each(x, ord, axis):
        matrices = numpy.moveaxis(x, (axis[0], axis[1]), (-2, -1))
        made = numpy.empty(matrices.shape[:-2], real)
        for index in numpy.ndindex(made.shape):
            made[index] = numpy.linalg.norm(matrices[index], ord if named is None else named)
        return stretch(made, axis)

    @register_jitable
    def only(x, ord, axis):
        matrix = x if axis[0] % 2 == 0 else x.T
        found = numpy.linalg.norm(matrix, ord if named is None else named)
        return numpy.full((1, 1), found) if keeps else found
    return _checked(x.ndim, each if x.ndim > 2 else only)


def _checked(ndim, inner):
    @register_jitable
    def check(x, ord, axis):
        for at in range(2):
            raise_if(axis[at] < -ndim or axis[at] >= ndim, "AxisError", "axis {} is out of bounds for array of dimension {}",
                     axis[at], ndim)
        raise_if(axis[0] % ndim == axis[1] % ndim, "ValueError", "Duplicate axes given.")
        return inner(x, ord, axis)
    return check
