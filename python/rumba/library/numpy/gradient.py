"""`numpy.gradient`: slopes along the axes of an array, between items at even or uneven distances."""
import numpy

from ...errors import TypingError
from ...extending import register_jitable
from ...intrinsics import raise_if
from ...types import Float, Integer, unliteral
from .. import library
from . import _kernels
from .._array_like import is_number
from .._predicates import is_absent, is_array
from ._axis import check_axis, literal

_TOO_SMALL = "Shape of array too small to calculate a numerical gradient, at least (edge_order + 1) elements are required."
_MISFIT = "when 1d, distances must match the length of the corresponding dimension"


@library(numpy.gradient, array_like="f", strict=False)
def gradient(f, *varargs, axis=None, edge_order=1):
    if not is_array(f) or not f.ndim or not isinstance(f.dtype, (Integer, Float)):
        return None
    order = literal(edge_order)
    if order not in (1, 2):
        raise TypingError("'edge_order' is 1 or 2, known when the function compiles")
    if not is_absent(axis) and not isinstance(unliteral(axis), (int, Integer)):
        return None
    count = f.ndim if is_absent(axis) else 1
    given = list(varargs)
    if not all(is_number(one) or is_array(one) and one.ndim == 1 and isinstance(one.dtype, (Integer, Float)) for one in given):
        return None
    if len(given) == 1 and count > 1 and not is_number(given[0]) or len(given) > 1 and len(given) != count:
        raise TypingError("invalid number of arguments")
    item = _kernels.inexact_class(f.dtype)
    along = [_along(item, order, _spacing(at, given, item)) for at in range(count)]
    if not is_absent(axis):
        only = along[0]

        def along_one(f, *varargs, axis=None, edge_order=1):
            check_axis(f, axis)
            return only(f, axis, varargs)
        return along_one
    if count == 1:
        first = along[0]
        return lambda f, *varargs, axis=None, edge_order=1: first(f, 0, varargs)
    every = _each_axis(along)
    return lambda f, *varargs, axis=None, edge_order=1: every(f, varargs)


def _each_axis(along, axis=0):
    """What gives the tuple of the slopes along all axes."""
    first = along[axis]
    if axis + 1 == len(along):
        return register_jitable(lambda f, varargs: (first(f, axis, varargs),))
    rest = _each_axis(along, axis + 1)
    return register_jitable(lambda f, varargs: (first(f, axis, varargs),) + rest(f, varargs))


def _spacing(at, given, item):
    """How far items are from each other along an axis: what gives one distance for all, and where there are coordinates, what
    gives the distances."""
    if not given:
        return register_jitable(lambda varargs: item(1)), None
    index = min(at, len(given) - 1)
    if is_number(given[index]):
        return register_jitable(lambda varargs: item(varargs[index])), None
    return None, register_jitable(lambda varargs: numpy.diff(varargs[index].astype(numpy.float64)))


def _along(item, order, spacing):
    step_of, distances_of = spacing

    @register_jitable
    def even(f, axis, varargs):
        made, lines = _room(f, axis, item, order)
        _even_lines(lines, numpy.moveaxis(made, axis, -1), step_of(varargs), item, order)
        return made

    @register_jitable
    def by_coordinates(f, axis, varargs):
        apart = distances_of(varargs)
        raise_if(apart.size + 1 != f.shape[axis], "ValueError", _MISFIT)
        made, lines = _room(f, axis, item, order)
        if numpy.all(apart == apart[0]):
            _even_lines(lines, numpy.moveaxis(made, axis, -1), apart[0], numpy.float64, order)
        else:
            _uneven_lines(lines, numpy.moveaxis(made, axis, -1), apart, order)
        return made
    return by_coordinates if step_of is None else even


@register_jitable
def _room(f, axis, item, order):
    raise_if(f.shape[axis] < order + 1, "ValueError", _TOO_SMALL)
    return numpy.empty(f.shape, item), numpy.moveaxis(f, axis, -1)


@register_jitable
def _even_lines(lines, made, step, item, order):
    size = lines.shape[-1]
    for index in numpy.ndindex(lines.shape[:-1]):
        f, out = lines[index], made[index]
        for at in range(1, size - 1):
            out[at] = (item(f[at + 1]) - item(f[at - 1])) / (item(2) * step)
        if order == 1:
            out[0] = (item(f[1]) - item(f[0])) / step
            out[size - 1] = (item(f[size - 1]) - item(f[size - 2])) / step
        else:
            out[0] = (item(-1.5) / step * item(f[0]) + item(2) / step * item(f[1])) + item(-0.5) / step * item(f[2])
            out[size - 1] = (item(0.5) / step * item(f[size - 3]) + item(-2) / step * item(f[size - 2])) + (
                item(1.5) / step * item(f[size - 1]))


@register_jitable
def _uneven_lines(lines, made, apart, order):
    size = lines.shape[-1]
    for index in numpy.ndindex(lines.shape[:-1]):
        f, out = lines[index], made[index]
        for at in range(1, size - 1):
            one, two = apart[at - 1], apart[at]
            out[at] = (-two / (one * (one + two)) * f[at - 1] + (two - one) / (one * two) * f[at]) + (
                one / (two * (one + two)) * f[at + 1])
        if order == 1:
            out[0] = (f[1] - f[0]) / apart[0]
            out[size - 1] = (f[size - 1] - f[size - 2]) / apart[size - 2]
        else:
            one, two = apart[0], apart[1]
            out[0] = (-(2.0 * one + two) / (one * (one + two)) * f[0] + (one + two) / (one * two) * f[1]) + (
                -one / (two * (one + two)) * f[2])
            one, two = apart[size - 3], apart[size - 2]
            out[size - 1] = (two / (one * (one + two)) * f[size - 3] + -(two + one) / (one * two) * f[size - 2]) + (
                (2.0 * two + one) / (two * (one + two)) * f[size - 1])
