"""`tolist`: arrays as lists of Python values, records as tuples."""
import numpy

from ...extending import register_jitable
from ...types import Boolean, CharSeq, Complex, Float, Integer, Record, UnicodeCharSeq
from .. import library
from .._predicates import is_array
from .record import names_of


@library("numpy.ndarray.tolist")
def array_tolist(self):
    value = _value_of(self.dtype) if is_array(self) else None
    if value is None:
        return None
    of_dimensions = _lister(self.ndim, register_jitable(value))
    return lambda self: of_dimensions(self)


@library("numpy.void.tolist")
def record_tolist(self):
    value = _value_of(self)
    return value and (lambda self: value(self))


def _value_of(item):
    """What makes Python's value of an item; None for times, whose values compiled code does not have."""
    if isinstance(item, Integer):
        wide = numpy.int64 if item.signed or item.bitwidth < 64 else numpy.uint64
        return lambda item: wide(item)
    if isinstance(item, UnicodeCharSeq):
        return lambda item: str(item)
    if isinstance(item, CharSeq):
        return lambda item: item[:]
    if isinstance(item, Record):
        values = [(name, _value_of(item.typeof(name))) for name in names_of(item)]
        return None if any(value is None for _, value in values) else _tuple_of(values)
    kinds = {Boolean: lambda item: bool(item), Float: lambda item: float(item), Complex: lambda item: complex(item)}
    return next((value for kind, value in kinds.items() if isinstance(item, kind)), None)


def _tuple_of(values):
    """What makes a tuple of fields, each with its name and what makes its value."""
    if not values:
        return register_jitable(lambda record: ())
    (name, value), rest = values[0], _tuple_of(values[1:])
    value = register_jitable(value)
    return register_jitable(lambda record: (value(record[name]),) + rest(record))


def _lister(ndim, value):
    """What lists an array of so many dimensions, a list for each part; the item of an array without dimensions."""
    if ndim == 0:
        return register_jitable(lambda array: value(array[()]))
    if ndim == 1:
        return register_jitable(lambda array: [value(item) for item in array])
    inner = _lister(ndim - 1, value)
    return register_jitable(lambda array: [inner(part) for part in array])
