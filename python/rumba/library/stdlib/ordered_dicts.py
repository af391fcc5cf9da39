"""`collections.OrderedDict` in compiled code: a dict that compares the order of its keys and can change it."""
import collections

from ...extending import Effects, register_jitable
from ...intrinsics import present, table_end, table_find, table_key, table_next, table_remove, table_value
from ...types import Optional, OrderedDictType
from .. import library
from ..builtins.dict import has_items

_MADE = "makes=ordered_dict returns=items:iterable@0,items:**names@- exhausts=iterable@0"


@library(collections.OrderedDict, effects=Effects(also=_MADE))
def ordered_dict(iterable, /):
    if isinstance(iterable, Optional):
        return lambda iterable, /: collections.OrderedDict(present(iterable))
    return _of_anything


def _of_anything(iterable, /):
    made = collections.OrderedDict()
    made.update(iterable)
    return made


@library(collections.OrderedDict, strict=False, effects=Effects(also=_MADE))
def ordered_dict_of_names(**names):
    return _of_names


def _of_names(**names):
    made = collections.OrderedDict()
    made.update(names)
    return made


@library("collections.OrderedDict.fromkeys", effects=Effects(returns=("items of iterable", "value")))
def fromkeys(iterable, value=None, /):
    return _from_keys


def _from_keys(iterable, value=None, /):
    made = collections.OrderedDict()
    for key in iterable:
        made[key] = value
    return made


@library("collections.OrderedDict.popitem", effects=Effects(mutates="self", returns="item of self"))
def popitem(self, last=True):
    return _pop_item


def _pop_item(self, last=True):
    at = table_end(self) - 1 if last else table_next(self, 0)
    if len(self) == 0:
        raise KeyError("dictionary is empty")
    item = table_key(self, at), table_value(self, at)
    table_remove(self, at)
    return item


@register_jitable
def put_last(table, at):
    """Moves an entry of a dict behind all others, and gives its value."""
    key, value = table_key(table, at), table_value(table, at)
    table_remove(table, at)
    table[key] = value
    return value


@library("collections.OrderedDict.move_to_end", effects=Effects(mutates="self"))
def move_to_end(self, key, last=True):
    return _move_to_end


def _move_to_end(self, key, last=True):
    at = table_find(self, key)
    if at < 0:
        raise KeyError(key)
    if last:
        put_last(self, at)
        return
    # A table appends: the key is put in again, and all others behind it.
    moved, value = table_key(self, at), table_value(self, at)
    table_remove(self, at)
    others = [item for item in self.items()]
    self.clear()
    self[moved] = value
    for other, item in others:
        self[other] = item


@library("collections.OrderedDict.__or__", effects=Effects(returns=("items of self", "items of other")))
def or_(self, other, /):
    return _merged if has_items(other) else None


def _merged(self, other, /):
    made = self.copy()
    made.update(other)
    return made


# With another ordered dict the order counts, with any other dict it does not.

@register_jitable
def _same_in_order(a, b):
    if len(a) != len(b):
        return False
    at, other = table_next(a, 0), table_next(b, 0)
    while at < table_end(a):
        if not table_key(a, at) == table_key(b, other) or not table_value(a, at) == table_value(b, other):
            return False
        at, other = table_next(a, at + 1), table_next(b, other + 1)
    return True


@library("collections.OrderedDict.__eq__")
def eq(self, other, /):
    return (lambda self, other, /: _same_in_order(self, other)) if isinstance(other, OrderedDictType) else None


@library("collections.OrderedDict.__ne__")
def ne(self, other, /):
    return (lambda self, other, /: not _same_in_order(self, other)) if isinstance(other, OrderedDictType) else None
