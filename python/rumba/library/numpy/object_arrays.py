"""Arrays of objects of compiled classes: their methods, and what makes such arrays of lists."""
import numpy

from ...errors import TypingError
from ...extending import Effects
from ...types import BaseTuple, EllipsisType, Integer, ListType, NoneType, ObjectArray, SliceType, unliteral
from .. import library
from .._predicates import holds_objects, is_fixed_list, is_list, is_sequence_to_numpy

_OBJECT = object


def array_of_objects(objects, dtype):
    """A function that makes an array of a list or tuple of objects; None for other types. `dtype` is left out, or `object`."""
    if isinstance(objects, ObjectArray):
        return lambda object, dtype=None: object.copy()
    if is_list(objects) or isinstance(objects, ListType):
        items = (objects.dtype,)
    else:
        items = tuple(objects) if isinstance(objects, BaseTuple) or is_fixed_list(objects) else ()
    if not any(map(holds_objects, items)) or any(isinstance(item, BaseTuple) for item in items):
        return None
    _check_no_sequence(*items)
    return _collected if all(holds_objects(item) or isinstance(item, NoneType) for item in items) else None


def _check_no_sequence(*items):
    if any(map(is_sequence_to_numpy, items)):
        raise TypingError("NumPy takes an object whose class has `__len__` and `__getitem__` for a sequence: assign it to one item "
                          "of an array, `a[i] = object`")


def _collected(object, dtype=None):
    made = numpy.empty(len(object), _OBJECT)
    at = 0
    for item in object:
        made[at] = item
        at += 1
    return made


@library("rumba.object_array.copy", effects=Effects(returns="items of self"))
def copy(self, order="C", /):
    return _copy


def _copy(self, order="C", /):
    made = numpy.empty_like(self)
    made._take(self)
    return made


@library("rumba.object_array.fill", effects=Effects(appends={"self": "value"}))
def fill(self, value, /):
    return _fill if self.ndim == 1 else _fill_rows


def _fill(self, value, /):
    for at in range(len(self)):
        self[at] = value


def _fill_rows(self, value, /):
    for row in self:
        row.fill(value)


@library("rumba.object_array.tolist", effects=Effects(returns="items of self"))
def tolist(self, /):
    return _to_list if self.ndim == 1 else _to_lists


def _to_list(self, /):
    return [item for item in self]


def _to_lists(self, /):
    return [row.tolist() for row in self]


def _selects_part(index):
    """Whether an index has slices, so that it selects an array."""
    items = index.types if isinstance(index, BaseTuple) else (index,)
    return all(isinstance(unliteral(item), (SliceType, EllipsisType, Integer)) for item in items)


@library("rumba.object_array.__setitem__", effects=Effects(mutates="self"))
def setitem(self, index, value, /):
    """`a[1:3] = value`, which is an object or None for all items, or an array of objects."""
    if not _selects_part(index):
        raise TypingError("an array of objects is indexed with integers and slices")
    if isinstance(value, ObjectArray):
        return _assign_array
    if not holds_objects(value) and not isinstance(value, NoneType) or isinstance(value, BaseTuple):
        raise TypingError(f"an array of objects holds objects of compiled classes and None, not {value}")
    _check_no_sequence(value)
    return _assign


def _assign(self, index, value, /):
    self[index].fill(value)


def _assign_array(self, index, value, /):
    part = self[index]
    if part.shape != value.shape:
        raise ValueError(f"could not broadcast input array from shape {value.shape} into shape {part.shape}")
    # They may be parts of one array.
    part._take(value.copy())


@library("rumba.object_array._take", effects=Effects(extends={"self": "source"}))
def take(self, source, /):
    """Assigns the items of an array of the same shape."""
    return _take if self.ndim == 1 else _take_rows


def _take(self, source, /):
    for at in range(len(self)):
        self[at] = source[at]


def _take_rows(self, source, /):
    for at in range(len(self)):
        self[at]._take(source[at])


@library("rumba.object_array.__contains__")
def contains(self, value, /):
    if isinstance(value, NoneType):
        return _has_none if self.ndim == 1 else _contains_in_rows
    return _contains if self.ndim == 1 else _contains_in_rows


def _has_none(self, value, /):
    for item in self:
        if item is None:
            return True
    return False


def _contains(self, value, /):
    for item in self:
        if item is not None and item == value:
            return True
    return False


def _contains_in_rows(self, value, /):
    for row in self:
        if value in row:
            return True
    return False
