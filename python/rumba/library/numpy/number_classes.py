"""NumPy's classes of numbers called with sequences and arrays: `np.int32((n, m))`, `np.float64(a)` convert the items.

Absent: calls with a number (the compiler), and Python's own classes, which refuse sequences.
"""
import numpy

from ...types import BaseTuple, CharSeq, List, ListType, NPDatetime, NPTimedelta, UnicodeCharSeq
from .. import library
from .._predicates import is_array

_CLASSES = {"bool": numpy.bool_, **{name: getattr(numpy, name) for name in (
    "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64", "complex64", "complex128")}}


def _register(name, scalar):
    dtype = numpy.dtype(scalar)

    @library(f"class.{name}")
    def converted(object):
        if is_array(object):
            return lambda object: numpy.asarray(object, dtype)
        if isinstance(object, (BaseTuple, List, ListType)):
            return lambda object: numpy.array(object, dtype)
        return None


# The class of the items of an array of times or text, `a.dtype.type`: the unit and the length are those of the array.

@library("class.datetime64")
def datetime64(value):
    return _only_item(value, NPDatetime)


@library("class.timedelta64")
def timedelta64(value):
    return _only_item(value, NPTimedelta)


@library("class.str_")
def str_(value):
    return _only_item(value, UnicodeCharSeq)


@library("class.bytes_")
def bytes_(value):
    return _only_item(value, CharSeq)


def _only_item(value, kind):
    """The item of an array without dimensions."""
    if is_array(value) and value.ndim == 0 and isinstance(value.dtype, kind):
        return lambda value: value[()]


for _name, _scalar in _CLASSES.items():
    _register(_name, _scalar)
