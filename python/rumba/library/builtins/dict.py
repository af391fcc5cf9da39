"""Methods of dicts that are not inlined."""
import collections

from ...extending import Effects, register_jitable
from ...intrinsics import present, table_end, table_find, table_key, table_next, table_remove, table_value
from ...types import DictItemsIterableType, DictKeysIterableType, DictType, LiteralStrKeyDict, Optional, OrderedDictType, Set
from .. import library
from .._predicates import holds_objects
from ._unequal_kinds import always, are_apart, never


def is_dict(ty):
    """Whether a type is that of a dict that changes."""
    return isinstance(ty, DictType)


def has_items(ty):
    """Whether a type is a dict of any kind."""
    return is_dict(ty) or isinstance(ty, LiteralStrKeyDict)


@library("builtins.dict.__delitem__", effects=Effects(mutates="self"))
def delitem(self, key, /):
    return _delete_object if holds_objects(self.key_type) else _delete


def _delete(self, key, /):
    at = table_find(self, key)
    if at < 0:
        raise KeyError(key)
    table_remove(self, at)


def _delete_object(self, key, /):
    at = table_find(self, key)
    if at < 0:
        raise KeyError
    table_remove(self, at)


@library("builtins.dict.pop", effects=Effects(mutates="self", returns=("item of self", "default")))
def pop(self, key, default=None, /):
    if default is not None:
        return _pop_or
    return _pop_object if holds_objects(self.key_type) else _pop


def _pop(self, key, default=None, /):
    at = table_find(self, key)
    if at < 0:
        raise KeyError(key)
    value = table_value(self, at)
    table_remove(self, at)
    return value


def _pop_object(self, key, default=None, /):
    at = table_find(self, key)
    if at < 0:
        raise KeyError
    value = table_value(self, at)
    table_remove(self, at)
    return value


def _pop_or(self, key, default=None, /):
    at = table_find(self, key)
    if at < 0:
        return default
    value = table_value(self, at)
    table_remove(self, at)
    return value


@library("builtins.dict.popitem", effects=Effects(mutates="self", returns="item of self"))
def popitem(self, /):
    return _pop_item


def _pop_item(self, /):
    last = table_end(self) - 1
    if last < 0:
        raise KeyError("popitem(): dictionary is empty")
    item = table_key(self, last), table_value(self, last)
    table_remove(self, last)
    return item


@library("builtins.dict.update", effects=Effects(updates={"self": "other"}))
def update(self, other=(), /):
    if isinstance(other, Optional):
        return lambda self, other=(), /: self.update(present(other))
    return _update if has_items(other) else _update_pairs


@library("builtins.dict.update", strict=False, effects=Effects(updates={"self": "other"}))
def update_with_names(self, other=(), /, **names):
    return _update_with_names if names else None


def _update_with_names(self, other=(), /, **names):
    self.update(other)
    for key, value in names.items():
        self[key] = value


def _update(self, other=(), /):
    for key, value in other.items():
        self[key] = value


def _update_pairs(self, other=(), /):
    for key, value in other:
        self[key] = value


@library("builtins.dict.__merge__", effects=Effects(returns=("items of self", "items of other")))
def merge(self, other, /):
    if isinstance(other, Optional):
        return _merge_present if has_items(other.type) else None
    if not has_items(self) or not has_items(other):
        return None
    return _merge


def _merge_present(self, other, /):
    return {**self, **present(other)}


@library("builtins.dict.__or__", effects=Effects(returns=("items of self", "items of other")))
def or_(self, other, /):
    if not has_items(other):
        return None
    return _merge_ordered if isinstance(other, OrderedDictType) else _merge


def _merge_ordered(self, other, /):
    return collections.OrderedDict(self) | other


def _merge(self, other, /):
    both = {}
    for key, value in self.items():
        both[key] = value
    for key, value in other.items():
        both[key] = value
    return both


@library("builtins.dict.__ior__", effects=Effects(updates={"self": "other"}, returns="self"))
def ior(self, other, /):
    return _ior


def _ior(self, other, /):
    self.update(other)
    return self


@library("builtins.dict.__eq__")
def eq(self, other, /):
    if is_dict(other):
        return _are_empty if are_apart(self.key_type, other.key_type) else _eq
    return never if are_apart(self, other) else None


@library("builtins.dict.__ne__")
def ne(self, other, /):
    if is_dict(other):
        return _not_empty if are_apart(self.key_type, other.key_type) else _ne
    return always if are_apart(self, other) else None


@register_jitable
def _same(a, b):
    if len(a) != len(b):
        return False
    at = table_next(a, 0)
    while at < table_end(a):
        found = table_find(b, table_key(a, at))
        if found < 0 or not table_value(a, at) == table_value(b, found):
            return False
        at = table_next(a, at + 1)
    return True


def _eq(self, other, /):
    return _same(self, other)


def _ne(self, other, /):
    return not _same(self, other)


def _are_empty(self, other, /):
    """Dicts whose keys are of different kinds."""
    return len(self) == 0 and len(other) == 0


def _not_empty(self, other, /):
    return len(self) > 0 or len(other) > 0


@library("builtins.dict_values.__contains__")
def in_values(self, value, /):
    return _contains


@library("builtins.dict_items.__contains__")
def in_items(self, value, /):
    return _contains


def _contains(self, value, /):
    for item in self:
        if item == value:
            return True
    return False


@library(dict, strict=False, effects=Effects(also="makes=dict returns=items:iterable@0,items:**names@- exhausts=iterable@0"))
def dict_of_names(**names):
    return _dict_of_names


def _dict_of_names(**names):
    made = {}
    for key, value in names.items():
        made[key] = value
    return made


@library(dict, effects=Effects(also="makes=dict returns=items:iterable@0,items:**names@- exhausts=iterable@0"))
def dict_(iterable, /):
    if isinstance(iterable, Optional):
        return lambda iterable, /: dict(present(iterable))
    if is_dict(iterable):
        return _dict_of_dict if iterable.missing is None else _dict_of_items
    return _dict_of_items if has_items(iterable) else _dict_of_pairs


@library(dict, strict=False, effects=Effects(also="makes=dict returns=items:iterable@0,items:**names@- exhausts=iterable@0"))
def dict_with_names(iterable, /, **names):
    return _dict_with_names if names else None


def _dict_with_names(iterable, /, **names):
    made = dict(iterable)
    for key, value in names.items():
        made[key] = value
    return made


def _dict_of_dict(iterable, /):
    return iterable.copy()


def _dict_of_items(iterable, /):
    made = {}
    for key, value in iterable.items():
        made[key] = value
    return made


def _dict_of_pairs(iterable, /):
    made = {}
    for key, value in iterable:
        made[key] = value
    return made


@library("builtins.dict.fromkeys", effects=Effects(returns=("items of iterable", "value")))
def fromkeys(iterable, value=None, /):
    return _from_keys


def _from_keys(iterable, value=None, /):
    made = {}
    for key in iterable:
        made[key] = value
    return made


# Views as sets.

def _is_view(ty):
    return isinstance(ty, (DictKeysIterableType, DictItemsIterableType))


def _sees_a_set(ty):
    """Whether a type is that of a view of keys or items, or of a set."""
    return _is_view(ty) or isinstance(ty, Set)


@register_jitable
def _set_of(items):
    return {item for item in items}


def _combination(combine):
    """An operator that makes a set of a view and of anything that can be gone through."""
    def combined(self, other, /):
        return combine(_set_of(self), _set_of(other))
    return lambda self, other, /: combined


def _comparison(compare):
    """A comparison of a view with a view or a set."""
    def compared(self, other, /):
        return compare(_set_of(self), _set_of(other))
    return lambda self, other, /: compared if _sees_a_set(other) else None


def _disjoint(self, other, /):
    for item in other:
        if item in self:
            return False
    return True


_OPERATORS = {
    "and": lambda a, b: a & b, "or": lambda a, b: a | b, "sub": lambda a, b: a - b, "xor": lambda a, b: a ^ b,
}
_COMPARISONS = {
    "eq": lambda a, b: a == b, "ne": lambda a, b: a != b, "le": lambda a, b: a <= b, "lt": lambda a, b: a < b,
    "ge": lambda a, b: a >= b, "gt": lambda a, b: a > b,
}
for _view in ("builtins.dict_keys", "builtins.dict_items"):
    for _name, _combine in _OPERATORS.items():
        library(f"{_view}.__{_name}__")(_combination(register_jitable(_combine)))
    for _name, _compare in _COMPARISONS.items():
        library(f"{_view}.__{_name}__")(_comparison(register_jitable(_compare)))
    library(f"{_view}.isdisjoint")(lambda self, other, /: _disjoint)


@library("builtins.dict.__req__")
def req(self, other, /):
    return never if are_apart(self, other) else None


@library("builtins.dict.__rne__")
def rne(self, other, /):
    return always if are_apart(self, other) else None
