"""Items of arrays at the places that lists name, and items that lists hold."""
import numpy

from ..extending import register_jitable
from ..types import BaseTuple
from . import library
from .kinds import each_of
from .lists import is_list
from .shapes import is_listed


def _as_index(ty):
    """What makes an index that arrays know of a list of places, or of a tuple with such lists; None of others."""
    if is_list(ty):
        return _array_of
    if isinstance(ty, BaseTuple) and any(is_list(part) for part in ty.types):
        return each_of([_array_of if is_list(part) else _same for part in ty.types])
    return None


def _array_of(places):
    return numpy.array(places)


def _same(index):
    return index


@library("numpy.ndarray.__getitem__")
def getitem(self, index, /):
    found = _as_index(index)
    if found is None:
        return None
    convert = register_jitable(found)

    def get(self, index, /):
        return self[convert(index)]
    return get


@library("numpy.ndarray.__setitem__")
def setitem(self, index, value, /):
    if is_list(value) or is_listed(value):
        def put_items(self, index, value, /):
            self[index] = numpy.array(value)
        return put_items
    found = _as_index(index)
    if found is None:
        return None
    convert = register_jitable(found)

    def put(self, index, value, /):
        self[convert(index)] = value
    return put
