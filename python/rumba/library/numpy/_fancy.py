"""Fancy indexing with lists and ranges."""
import numpy

from ...extending import Effects, register_jitable
from ...types import BaseTuple, RangeType, Record
from .. import library
from .._predicates import each_of, is_array, is_fixed_list, is_list
from .record import fields_written


def _as_index(ty):
    """What makes an index that arrays know of a list or range of indices, or of a tuple with such; None of others."""
    if _is_indices(ty):
        return _array_of
    if isinstance(ty, BaseTuple) and any(map(_is_indices, ty.types)):
        return each_of([_array_of if _is_indices(part) else _same for part in ty.types])
    return None


def _is_indices(ty):
    return is_list(ty) or isinstance(ty, RangeType)


def _array_of(indices):
    return numpy.array(indices)


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


@library("numpy.ndarray.__setitem__", effects=Effects(mutates="self"))
def setitem(self, index, value, /):
    if is_array(self) and isinstance(self.dtype, Record):
        return _record_put(self.dtype, index, value)
    if is_list(value) or is_fixed_list(value) or isinstance(value, RangeType):
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


def _record_put(record, index, value):
    """A tuple is written field by field to what an index names in place: a record, or all of a part."""
    parts = index.types if isinstance(index, BaseTuple) else (index,)
    if not isinstance(value, BaseTuple) or any(is_array(part) or is_list(part) for part in parts):
        return None
    write = fields_written(record, value)

    def put(self, index, value, /):
        write(self[index], value)
    return put
