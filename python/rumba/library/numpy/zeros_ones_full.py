"""Array creation by shape: `zeros`, `ones`, `empty`, `full` and their `_like` forms, with all of NumPy's arguments.

The compiler makes them itself where a shape is an integer or a tuple and a type of items is named. What else says a shape
or items is brought to that form here.
"""
import numpy

from ...errors import NumbaNotImplementedError, TypingError
from ...extending import register_jitable
from ...types import Array, Boolean, Integer, Number, Record, unliteral
from ...types.typeof import as_dtype
from .. import library
from .copy_eye import literal, wanted_item
from .._predicates import integers_in_list, is_absent, is_array, is_list, is_shape


def _order_of(name, order, known="CFAK"):
    order = literal(order)
    if not isinstance(order, str) or order.upper() not in tuple(known):
        raise TypingError(f"the order of np.{name} must be a constant of {', '.join(known)}, not {order}")
    return order.upper()


def _shape_maker(name, shape):
    """What makes an integer or a tuple of integers of a shape, and how many dimensions that has."""
    if isinstance(unliteral(shape), Integer):
        return _itself, 1
    if is_shape(shape):
        return _itself, len(shape)
    if integers_in_list(shape):
        return register_jitable(lambda shape: tuple(shape)), integers_in_list(shape)
    if isinstance(shape, Array) and shape.ndim == 0 and isinstance(shape.dtype, Integer):
        return register_jitable(lambda shape: shape[()]), 1
    if is_list(shape) or isinstance(shape, Array) and shape.ndim == 1 and isinstance(shape.dtype, Integer):
        raise TypingError(f"the shape of np.{name} is in {shape}, of which it is not known how many dimensions it has: "
                          "write it as a tuple, as in (a[0], a[1])")
    raise TypingError(f"the shape of np.{name} must be an integer or a tuple of integers, not {shape}")


@register_jitable
def _itself(shape):
    return shape


def _laid_out(make, ndim, order):
    """What makes an array of a shape, whose items lie in this order."""
    if order != "F" or ndim < 2:
        return make
    return register_jitable(lambda shape, item: make(shape[::-1], item).T)


# Of a shape.

def _of_shape(function, name):
    make = register_jitable(lambda shape, item: function(shape, item))

    def made(shape, dtype=float, order="C"):
        item = wanted_item(name, dtype, numpy.dtype(float))
        convert, ndim = _shape_maker(name, shape)
        laid = _laid_out(make, ndim, _order_of(name, order, "CF"))
        return lambda shape, dtype=float, order="C": laid(convert(shape), item)
    library(function)(made)


_of_shape(numpy.zeros, "zeros")
_of_shape(numpy.ones, "ones")
_of_shape(numpy.empty, "empty")


@library(numpy.full, array_like="fill_value")
def full(shape, fill_value, dtype=None, order="C"):
    convert, ndim = _shape_maker("full", shape)
    laid = _laid_out(_empty, ndim, _order_of("full", order, "CF"))
    filled, own = _filler("full", fill_value)
    item = wanted_item("full", dtype, own)
    return lambda shape, fill_value, dtype=None, order="C": filled(laid(convert(shape), item), fill_value)


@register_jitable
def _empty(shape, item):
    return numpy.empty(shape, item)


def _filler(name, value):
    """What fills an array with a value, and the dtype of the value."""
    if is_array(value):
        return _fill_with_array, as_dtype(value.dtype)
    try:
        return _fill_with_one, as_dtype(value)
    except NumbaNotImplementedError:
        raise TypingError(f"np.{name} cannot fill an array with {value}") from None


@register_jitable
def _fill_with_array(array, value):
    array[...] = value
    return array


@register_jitable
def _fill_with_one(array, value):
    array.fill(value)
    return array


# Like others.

def _like(name, a, dtype, order, shape, make):
    """What makes an array like `a`."""
    if is_array(a):
        own, of_shape = as_dtype(a.dtype), register_jitable(lambda a: a.shape)
    elif isinstance(unliteral(a), (Number, Boolean, Record)):
        own, of_shape = as_dtype(unliteral(a)), register_jitable(lambda a: ())
    else:
        return None
    item = wanted_item(name, dtype, own)
    order, ndim, of_a = _order_of(name, order), getattr(a, "ndim", 0), is_absent(shape)
    if order in "AK" and (of_a or ndim == _dimensions(name, shape)):
        order = "F" if is_array(a) and a.layout == "F" else "C"
    if of_a:
        laid = _laid_out(make, ndim, order)
        return register_jitable(lambda a, shape: laid(of_shape(a), item))
    convert, ndim = _shape_maker(name, shape)
    laid = _laid_out(make, ndim, order)
    return register_jitable(lambda a, shape: laid(convert(shape), item))


def _dimensions(name, shape):
    return _shape_maker(name, shape)[1]


def _like_others(function, name, make):
    make = register_jitable(make)

    def like(a, dtype=None, order="K", subok=True, shape=None):
        found = _like(name, a, dtype, order, shape, make)
        if found:
            return lambda a, dtype=None, order="K", subok=True, shape=None: found(a, shape)
    library(function, array_like="a")(like)


_like_others(numpy.zeros_like, "zeros_like", lambda shape, item: numpy.zeros(shape, item))
_like_others(numpy.ones_like, "ones_like", lambda shape, item: numpy.ones(shape, item))


@library(numpy.empty_like, array_like="prototype")
def empty_like(prototype, dtype=None, order="K", subok=True, shape=None):
    found = _like("empty_like", prototype, dtype, order, shape, _empty)
    if found:
        return lambda prototype, dtype=None, order="K", subok=True, shape=None: found(prototype, shape)


@library(numpy.full_like, array_like="a fill_value")
def full_like(a, fill_value, dtype=None, order="K", subok=True, shape=None):
    found = _like("full_like", a, dtype, order, shape, _empty)
    if found:
        filled = _filler("full_like", fill_value)[0]
        return lambda a, fill_value, dtype=None, order="K", subok=True, shape=None: filled(found(a, shape), fill_value)
