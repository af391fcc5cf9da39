"""Set operations that are not inlined. Sets keep insertion order."""
from ...errors import TypingError
from ...extending import Effects, register_jitable
from ...intrinsics import table_end, table_find, table_key, table_new, table_next, table_remove
from ...types import FrozenSetType, Set, SetType
from .. import library
from .._predicates import holds_objects
from ._unequal_kinds import always, are_apart, never


def is_set(ty):
    """Whether a type is that of a set."""
    return isinstance(ty, (Set, SetType))


def is_like(self, other):
    """Whether the other operand is a set; an error if its items are of another kind, so that sets have none in common."""
    if not is_set(other):
        return False
    if are_apart(self.dtype, other.dtype):
        raise TypingError(f"All Sets must be of the same type: one holds {self.dtype}, the other {other.dtype}")
    return True


@library(set, effects=Effects(returns="items of iterable", exhausts="iterable", also="makes=set"))
def set_(iterable, /):
    return _set_of_set if is_set(iterable) and not isinstance(iterable, FrozenSetType) else _set_of


def _set_of_set(iterable, /):
    return iterable.copy()


def _set_of(iterable, /):
    return {item for item in iterable}


@register_jitable
def _discarded(self, item):
    at = table_find(self, item)
    if at < 0:
        return False
    table_remove(self, at)
    return True


@library("builtins.set.discard", effects=Effects(mutates="self"))
def discard(self, item, /):
    return _discard


def _discard(self, item, /):
    _discarded(self, item)


@library("builtins.set.remove", effects=Effects(mutates="self"))
def remove(self, item, /):
    return _remove_object if holds_objects(self.dtype) else _remove


def _remove(self, item, /):
    if not _discarded(self, item):
        raise KeyError(item)


def _remove_object(self, item, /):
    if not _discarded(self, item):
        raise KeyError


@library("builtins.set.pop", effects=Effects(mutates="self", returns="item of self"))
def pop(self, /):
    return _pop


def _pop(self, /):
    last = table_end(self) - 1
    if last < 0:
        raise KeyError("pop from an empty set")
    item = table_key(self, last)
    table_remove(self, last)
    return item


# New sets.

@library("builtins.set.union")
def union(self, *others):
    for other in others:
        is_like(self, other)
    return _union


def _union(self, *others):
    both = set()
    for item in self:
        both.add(item)
    for other in others:
        for item in other:
            both.add(item)
    return both


@register_jitable
def _only_in_both(a, b):
    both = table_new(a, 0)
    for item in a:
        if item in b:
            both.add(item)
    return both


@register_jitable
def _only_in_first(a, b):
    rest = table_new(a, 0)
    for item in a:
        if item not in b:
            rest.add(item)
    return rest


@library("builtins.set.intersection")
def intersection(self, *others):
    return _intersection_of_set if _is_one_set(self, others) else _intersection


def _is_one_set(self, others):
    """Whether the other operands are a single set; errors as of `is_like` for each of them."""
    return [is_like(self, other) for other in others] == [True]


def _intersection_of_set(self, *others):
    return _only_in_both(self, others[0])


def _intersection(self, *others):
    both = set(self)
    for other in others:
        _keep(both, set(other))
    return both


@library("builtins.set.difference")
def difference(self, *others):
    return _difference_of_set if _is_one_set(self, others) else _difference


def _difference_of_set(self, *others):
    return _only_in_first(self, others[0])


def _difference(self, *others):
    rest = set(self)
    for other in others:
        _drop_items(rest, other)
    return rest


@register_jitable
def _drop_items(self, other):
    for item in other:
        _discarded(self, item)


@library("builtins.set.symmetric_difference")
def symmetric_difference(self, other, /):
    return _in_one_of_set if is_like(self, other) else _in_one


@register_jitable
def _only_in_one(a, b):
    rest = _only_in_first(a, b)
    for item in b:
        if item not in a:
            rest.add(item)
    return rest


def _in_one_of_set(self, other, /):
    return _only_in_one(self, other)


def _in_one(self, other, /):
    return _only_in_one(self, set(other))


@library("builtins.set.__or__")
def or_(self, other, /):
    return _or if is_like(self, other) else None


def _or(self, other, /):
    return _union_of_two(self, other)


@register_jitable
def _union_of_two(a, b):
    both = set()
    for item in a:
        both.add(item)
    for item in b:
        both.add(item)
    return both


@library("builtins.set.__and__")
def and_(self, other, /):
    return _and if is_like(self, other) else None


def _and(self, other, /):
    return _only_in_both(self, other)


@library("builtins.set.__sub__")
def sub(self, other, /):
    return _sub if is_like(self, other) else None


def _sub(self, other, /):
    return _only_in_first(self, other)


@library("builtins.set.__xor__")
def xor(self, other, /):
    return _in_one_of_set if is_like(self, other) else None


# In place.

@library("builtins.set.update", effects=Effects(extends={"self": "others"}))
def update(self, *others):
    return _update


def _update(self, *others):
    for other in others:
        for item in other:
            self.add(item)


@register_jitable
def _keep(self, other):
    """Removes what is not in another set."""
    at = table_next(self, 0)
    while at < table_end(self):
        if table_key(self, at) not in other:
            table_remove(self, at)
        at = table_next(self, at + 1)


@register_jitable
def _drop(self, other):
    """Removes what is in another set."""
    at = table_next(self, 0)
    while at < table_end(self):
        if table_key(self, at) in other:
            table_remove(self, at)
        at = table_next(self, at + 1)


@library("builtins.set.intersection_update", effects=Effects(mutates="self"))
def intersection_update(self, *others):
    return _keep_of_set if _is_one_set(self, others) else _keep_of


def _keep_of_set(self, *others):
    _keep(self, others[0])


def _keep_of(self, *others):
    for other in others:
        _keep(self, set(other))


@library("builtins.set.difference_update", effects=Effects(mutates="self"))
def difference_update(self, *others):
    return _drop_of_set if _is_one_set(self, others) else _drop_of


def _drop_of_set(self, *others):
    _drop(self, others[0])


def _drop_of(self, *others):
    for other in others:
        # One of them may be the set itself.
        _drop_items(self, set(other))


@register_jitable
def _toggle(self, other):
    for item in other:
        if not _discarded(self, item):
            self.add(item)


@library("builtins.set.symmetric_difference_update", effects=Effects(mutates="self", extends={"self": "other"}))
def symmetric_difference_update(self, other, /):
    return _toggle_of


def _toggle_of(self, other, /):
    # The same set may be both, and an item may come twice.
    _toggle(self, set(other))


@library("builtins.set.__ior__", effects=Effects(mutates="self", returns="self"))
def ior(self, other, /):
    return _ior if is_like(self, other) else None


def _ior(self, other, /):
    if self is not other:
        for item in other:
            self.add(item)
    return self


@library("builtins.set.__iand__", effects=Effects(mutates="self", returns="self"))
def iand(self, other, /):
    return _iand if is_like(self, other) else None


def _iand(self, other, /):
    _keep(self, other)
    return self


@library("builtins.set.__isub__", effects=Effects(mutates="self", returns="self"))
def isub(self, other, /):
    return _isub if is_like(self, other) else None


def _isub(self, other, /):
    if self is other:
        self.clear()
    else:
        _drop(self, other)
    return self


@library("builtins.set.__ixor__", effects=Effects(mutates="self", returns="self"))
def ixor(self, other, /):
    return _ixor if is_like(self, other) else None


def _ixor(self, other, /):
    _toggle(self, other.copy())
    return self


# Comparison.

@register_jitable
def _within(a, b):
    """Whether all items of one set are in another one."""
    if len(a) > len(b):
        return False
    for item in a:
        if item not in b:
            return False
    return True


@library("builtins.set.isdisjoint")
def isdisjoint(self, other, /):
    # Items of different kinds are never equal.
    return always if is_set(other) and are_apart(self.dtype, other.dtype) else _is_disjoint


def _is_disjoint(self, other, /):
    for item in other:
        if item in self:
            return False
    return True


@library("builtins.set.issubset")
def issubset(self, other, /):
    if not is_set(other):
        return _is_subset
    return _is_empty if are_apart(self.dtype, other.dtype) else _is_subset_of_set


def _is_empty(self, other, /):
    return not self


def _is_subset_of_set(self, other, /):
    return _within(self, other)


def _is_subset(self, other, /):
    return _within(self, set(other))


@library("builtins.set.issuperset")
def issuperset(self, other, /):
    return _is_superset_of_nothing if is_set(other) and are_apart(self.dtype, other.dtype) else _is_superset


def _is_superset_of_nothing(self, other, /):
    return not other


def _is_superset(self, other, /):
    for item in other:
        if item not in self:
            return False
    return True


@library("builtins.set.__eq__")
def eq(self, other, /):
    if is_set(other):
        return _are_empty if are_apart(self.dtype, other.dtype) else _eq
    return never if are_apart(self, other) else None


def _are_empty(self, other, /):
    # Items of different kinds are never equal.
    return not self and not other


def _eq(self, other, /):
    return len(self) == len(other) and _within(self, other)


@library("builtins.set.__ne__")
def ne(self, other, /):
    if is_set(other):
        return _are_not_empty if are_apart(self.dtype, other.dtype) else _ne
    return always if are_apart(self, other) else None


def _are_not_empty(self, other, /):
    return len(self) > 0 or len(other) > 0


def _ne(self, other, /):
    return len(self) != len(other) or not _within(self, other)


@library("builtins.set.__le__")
def le(self, other, /):
    return _is_subset_of_set if is_like(self, other) else None


@library("builtins.set.__lt__")
def lt(self, other, /):
    return _lt if is_like(self, other) else None


def _lt(self, other, /):
    return len(self) < len(other) and _within(self, other)


@library("builtins.set.__ge__")
def ge(self, other, /):
    return _ge if is_like(self, other) else None


def _ge(self, other, /):
    return _within(other, self)


@library("builtins.set.__gt__")
def gt(self, other, /):
    return _gt if is_like(self, other) else None


def _gt(self, other, /):
    return len(self) > len(other) and _within(other, self)


@library("builtins.set.__req__")
def req(self, other, /):
    return never if are_apart(self, other) else None


@library("builtins.set.__rne__")
def rne(self, other, /):
    return always if are_apart(self, other) else None
