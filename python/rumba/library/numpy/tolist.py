"""Arrays as lists of Python's values: `tolist`."""
import numpy

from ...extending import register_jitable
from ...types import Boolean, Complex, Float, Integer, UnicodeCharSeq
from .. import library
from .._predicates import is_array


@library("numpy.ndarray.tolist")
def array_tolist(self):
    value = _value_of(self.dtype) if is_array(self) else None
    if value is None:
        return None
    of_dimensions = _lister(self.ndim, register_jitable(value))
    return lambda self: of_dimensions(self)


def _value_of(item):
    """What makes Python's value of an item; None for records, times and bytes, whose values compiled code does not have."""
    if isinstance(item, Integer):
        wide = numpy.int64 if item.signed or item.bitwidth < 64 else numpy.uint64
        return lambda item: wide(item)
    if isinstance(item, UnicodeCharSeq):
        return lambda item: str(item)
    kinds = {Boolean: lambda item: bool(item), Float: lambda item: float(item), Complex: lambda item: complex(item)}
    return next((value for kind, value in kinds.items() if isinstance(item, kind)), None)


def _lister(ndim, value):
    """What lists an array of so many dimensions, a list for each part; the item of an array without dimensions."""
    if ndim == 0:
        return register_jitable(lambda array: value(array[()]))
    if ndim == 1:
        return register_jitable(lambda array: [value(item) for item in array])
    inner = _lister(ndim - 1, value)
    return register_jitable(lambda array: [inner(part) for part in array])
