"""Dicts and sets whose keys are equal by `__eq__` and `__hash__` of compiled classes. (The compiler itself compares other keys.)"""
import numpy as np

from ...extending import Effects, register_jitable
from ...intrinsics import (
    is_same_key, items_equal, table_end, table_find, table_find_hash, table_insert, table_key, table_next, table_of_keys,
    table_replace, table_value)
from ...types import BaseTuple, DictType, FrozenSetType, Set, SetType
from .. import library
from .._predicates import each_of, holds_objects, is_key_by_methods


def _asks_methods(table):
    """Whether a type is that of such a dict or set."""
    if isinstance(table, DictType):
        return is_key_by_methods(table.key_type)
    return isinstance(table, (Set, SetType)) and is_key_by_methods(table.dtype)


@library("rumba.is_same_key")
def same_key(one, other):
    if isinstance(one, BaseTuple):
        return _same_keys if len(one) else lambda one, other: True
    return _same_object if holds_objects(one) else _equal


def _same_keys(one, other):
    return is_same_key(one[0], other[0]) and is_same_key(one[1:], other[1:])


def _same_object(one, other):
    return one is other


def _equal(one, other):
    # NaN is what it was.
    return one == other or one != one and other != other


@register_jitable
def _find(table, key, hashed):
    """The number of a key's entry, -1 if there is none. A comparison may change the table: then it begins again."""
    number, slot = table_find_hash(table, hashed, -1)
    while number >= 0:
        known = table_key(table, number)
        same = items_equal(known, key)
        if table_end(table) <= number or table_next(table, number) != number or not is_same_key(table_key(table, number), known):
            number, slot = table_find_hash(table, hashed, -1)
        elif same:
            return number
        else:
            number, slot = table_find_hash(table, hashed, slot)
    return -1


@library("rumba.table_find")
def find(table, key):
    return _find_key if _asks_methods(table) else None


def _find_key(table, key):
    return _find(table, key, hash(key))


@library("rumba.dict_by_methods.__getitem__", effects=Effects(returns="item of self"))
def getitem(self, key, /):
    return _getitem


def _getitem(self, key, /):
    number = table_find(self, key)
    if number < 0:
        raise KeyError
    return table_value(self, number)


@library("rumba.dict_by_methods.__setitem__", effects=Effects(mutates="self"))
def setitem(self, key, value, /):
    return _setitem


def _setitem(self, key, value, /):
    hashed = hash(key)
    number = _find(self, key, hashed)
    if number < 0:
        table_insert(self, hashed, key, value)
    else:
        table_replace(self, number, value)


@library("rumba.dict_by_methods.__contains__")
@library("rumba.set_by_methods.__contains__")
def contains(self, key, /):
    return _contains


def _contains(self, key, /):
    return table_find(self, key) >= 0


@library("rumba.dict_keys_by_methods.__contains__")
def contains_key(self, key, /):
    return _contains_key


def _contains_key(self, key, /):
    return table_find(table_of_keys(self), key) >= 0


@library("rumba.dict_by_methods.get", effects=Effects(returns=("item of self", "default")))
def get(self, key, default=None, /):
    return _get


def _get(self, key, default=None, /):
    number = table_find(self, key)
    if number < 0:
        return default
    return table_value(self, number)


@library("rumba.dict_by_methods.setdefault", effects=Effects(sets={"self": ("key", "default")}, returns=("item of self", "default")))
def setdefault(self, key, default, /):
    return _setdefault


def _setdefault(self, key, default, /):
    hashed = hash(key)
    number = _find(self, key, hashed)
    if number < 0:
        table_insert(self, hashed, key, default)
        number = table_end(self) - 1
    return table_value(self, number)


@library("rumba.set_by_methods.add", effects=Effects(appends={"self": "object"}))
def add(self, object, /):
    return None if isinstance(self, FrozenSetType) else _add


def _add(self, object, /):
    hashed = hash(object)
    if _find(self, object, hashed) < 0:
        table_insert(self, hashed, object)


def hash_of_tuple(ty):
    """CPython's `tuplehash` for tuples that hold objects: a function for tuples of this type."""
    hashes = each_of([lambda item: hash(item)] * len(ty))

    def hash_of(obj, /):
        mixed = np.uint64(2870177450012600261)
        for hashed in hashes(obj):
            mixed += np.uint64(hashed) * np.uint64(14029467366897019727)
            mixed = (mixed << np.uint64(31) | mixed >> np.uint64(33)) * np.uint64(11400714785074694791)
        mixed += np.uint64(len(obj)) ^ np.uint64(2870177450012600261 ^ 3527539)
        return 1546275796 if mixed == ~np.uint64(0) else np.int64(mixed)
    return hash_of
