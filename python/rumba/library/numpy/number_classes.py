"""NumPy's classes of numbers called with sequences and arrays: `np.int32((n, m))`, `np.float64(a)` convert the items.

Absent: calls with a number (the compiler), and Python's own classes, which refuse sequences.
"""
import numpy

from ...types import BaseTuple, List, ListType
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


for _name, _scalar in _CLASSES.items():
    _register(_name, _scalar)
