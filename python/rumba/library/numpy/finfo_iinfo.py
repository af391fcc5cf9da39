"""Limits of numeric types: `numpy.iinfo`, `numpy.finfo`."""
import collections

import numpy

from ...types import Array, Complex, Float, Integer, Number, unliteral
from ...types.typeof import as_dtype
from .. import library
from .copy_eye import item_of

_INTEGER = "min max bits"
_FLOAT = "eps epsneg iexp machep max maxexp min minexp negep nexp nmant precision resolution tiny bits"
IInfo = collections.namedtuple("iinfo", _INTEGER)
FInfo = collections.namedtuple("finfo", _FLOAT)


def _item(given):
    """The item type that an argument has or means."""
    given = unliteral(given)
    if isinstance(given, Array):
        return given.dtype
    return given if isinstance(given, Number) else item_of(given)


@library(numpy.iinfo)
def iinfo(int_type):
    item = _item(int_type)
    if isinstance(item, Integer):
        found = numpy.iinfo(as_dtype(item))
        lowest, highest, bits = int(found.min), int(found.max), int(found.bits)

        def limits(int_type):
            return IInfo(lowest, highest, bits)
        return limits
    return None


@library(numpy.finfo)
def finfo(dtype):
    item = _item(dtype)
    if not isinstance(item, (Float, Complex)):
        return None
    found = numpy.finfo(as_dtype(item))
    eps, epsneg, iexp, machep, highest, maxexp, lowest, minexp, negep, nexp, nmant, precision, resolution, tiny, bits = (
        getattr(found, name) for name in _FLOAT.split())

    def limits(dtype):
        return FInfo(eps, epsneg, iexp, machep, highest, maxexp, lowest, minexp, negep, nexp, nmant, precision, resolution,
                     tiny, bits)
    return limits
