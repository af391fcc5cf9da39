"""Methods of lists that are not inlined.

Items change hands by `list_take`, `list_write`, `list_gap` and `list_close`: no position is empty where an exception
may leave a function.
"""
import operator
import sys

from ...errors import TypingError
from ...extending import Effects, register_jitable
from ...intrinsics import (
    items_equal, list_change, list_close, list_freeze, list_frozen, list_gap, list_item, list_new, list_push,
    list_room, list_sort, list_take, list_write, present, raise_if)
from ...types import (
    BaseTuple, Boolean, ByteArray, Bytes, CharSeq, DequeType, DictType, Float, Integer, List, ListType,
    LiteralList, NoneType, Number, Omitted, Optional, Set, SetType, SliceType, UnicodeType, unliteral)
from .. import library
from ._unequal_kinds import always, are_apart, never
from .._predicates import is_absent, is_array, is_fixed_list, is_iterable, is_list, is_user_iterable, length
from ..stable_argsort import order_of

# What Python says of an iterable without items.
_EMPTY = "iterable argument is empty" if sys.version_info >= (3, 12) else "arg is an empty sequence"


def _item(ty):
    return ty.dtype


def _is_index(ty):
    return isinstance(unliteral(ty), (Integer, Boolean))


def _check_index(ty, message):
    if not _is_index(ty):
        raise TypingError(message)


def _is_slice(ty):
    return isinstance(unliteral(ty), SliceType)


@library("builtins.list._allocated")
def allocated(self, /):
    return _allocated if isinstance(self, ListType) else None


def _allocated(self, /):
    return list_room(self)


@library("builtins.list._make_immutable", effects=Effects(mutates="self"))
def make_immutable(self, /):
    return _make_immutable if isinstance(self, ListType) else None


def _make_immutable(self, /):
    list_freeze(self)


@library("builtins.list._is_mutable")
def is_mutable(self, /):
    return _is_mutable if isinstance(self, ListType) else None


def _is_mutable(self, /):
    return not list_frozen(self)


@library("builtins.list.insert", effects=Effects(appends={"self": "object"}))
def insert(self, index, object, /):
    _check_index(index, f"list insert indices must be integers, not {unliteral(index)}")
    return _insert


def _insert(self, index, object, /):
    list_change(self)
    count = len(self)
    at = index
    if at < 0:
        at = max(at + count, 0)
    at = min(at, count)
    list_gap(self, at, 1)
    list_write(self, at, object)


@library("builtins.list.extend", effects=Effects(extends={"self": "iterable"}, exhausts="iterable"))
def extend(self, iterable, /):
    if isinstance(iterable, Optional):
        return lambda self, iterable, /: self.extend(present(iterable))
    if not is_iterable(iterable):
        raise TypingError(f"extend argument must be iterable, which {unliteral(iterable)} is not")
    if length(iterable) == 0:
        return _extend_nothing
    return _extend_list if is_list(iterable) else _extend


def _extend_nothing(self, iterable, /):
    list_change(self)


def _extend(self, iterable, /):
    list_change(self)
    for item in iterable:
        self.append(item)


def _extend_list(self, iterable, /):
    list_change(self)
    # The same list may be both.
    for at in range(len(iterable)):
        self.append(list_item(iterable, at))


@library("builtins.list.__iadd__", effects=Effects(extends={"self": "other"}, returns="self"))
def iadd(self, other, /):
    return _iadd


def _iadd(self, other, /):
    self.extend(other)
    return self


@library("builtins.list.__add__", effects=Effects(returns=("items of self", "items of other")))
def add(self, other, /):
    if is_list(other):
        return _add if _item(self) == _item(other) else _add_other
    if not is_fixed_list(other):
        return None
    return _add_other if length(other) else _add_nothing


@library("builtins.list.__radd__", effects=Effects(returns=("items of other", "items of self")))
def radd(other, self, /):
    if not is_fixed_list(other):
        return None
    return _add_before if length(other) else _added_to_nothing


def _add_nothing(self, other, /):
    return self.copy()


def _added_to_nothing(other, self, /):
    return self.copy()


def _add_before(other, self, /):
    total = []
    for item in other:
        total.append(item)
    for item in self:
        total.append(item)
    return total


def _add(self, other, /):
    total = list_new(self, len(self) + len(other))
    for at in range(len(self)):
        list_push(total, list_item(self, at))
    for at in range(len(other)):
        list_push(total, list_item(other, at))
    return total


def _add_other(self, other, /):
    total = []
    for item in self:
        total.append(item)
    for item in other:
        total.append(item)
    return total


@library("builtins.list.__mul__", effects=Effects(returns="items of self"))
def mul(self, count, /):
    return _mul if _is_index(count) else None


@library("builtins.list.__rmul__", effects=Effects(returns="items of self"))
def rmul(count, self, /):
    return _rmul if _is_index(count) else None


def _rmul(count, self, /):
    return _mul_of(self, count)


def _mul(self, count, /):
    return _mul_of(self, count)


@register_jitable
def _mul_of(self, count):
    times = max(count, 0)
    total = list_new(self, len(self) * times)
    if len(self) == 1:
        # `[0] * n` is how most of these lists are made.
        only = list_item(self, 0)
        for _ in range(times):
            list_push(total, only)
        return total
    for _ in range(times):
        for at in range(len(self)):
            list_push(total, list_item(self, at))
    return total


@library("builtins.list.__imul__", effects=Effects(mutates="self", returns="self"))
def imul(self, count, /):
    return _imul if _is_index(count) else None


def _imul(self, count, /):
    list_change(self)
    length = len(self)
    if count <= 0:
        self.clear()
    for _ in range(1, count):
        for at in range(length):
            self.append(list_item(self, at))
    return self


@library("builtins.list.copy", effects=Effects(returns="list of self"))
def copy(self, /):
    return _copy


@register_jitable
def _copy_of(self):
    items = list_new(self, len(self))
    for at in range(len(self)):
        list_push(items, list_item(self, at))
    return items


def _copy(self, /):
    return _copy_of(self)


@library("builtins.list.index")
def index(self, value, start=0, stop=9223372036854775807, /):
    for name, position in (("start", start), ("stop", stop)):
        if not isinstance(position, int):
            _check_index(position, f'arg "{name}" must be an Integer. (It is {unliteral(position)}.)')
    if isinstance(self, ListType):
        return _index_typed
    return _index_shown if _is_shown(unliteral(value)) else _index


def _is_shown(kind):
    """Whether compiled code has the text of values of a type for an error."""
    if isinstance(kind, (BaseTuple, LiteralList)):
        return all(_is_shown(unliteral(item)) for item in kind)
    if is_list(kind) or isinstance(kind, (DequeType, Set)):
        return _is_shown(kind.dtype)
    if isinstance(kind, DictType):
        return _is_shown(kind.key_type) and _is_shown(kind.value_type)
    if isinstance(kind, Optional):
        return _is_shown(kind.type)
    return isinstance(kind, (NoneType, Number, Boolean, UnicodeType))


@register_jitable
def _position(self, value, start, stop):
    """Where the value is first found, or -1."""
    at, last = start, stop
    if at < 0:
        at = max(at + len(self), 0)
    if last < 0:
        last += len(self)
    # The list may change while values are compared.
    while at < last and at < len(self):
        if items_equal(list_item(self, at), value):
            return at
        at += 1
    return -1


def _index(self, value, start=0, stop=9223372036854775807, /):
    at = _position(self, value, start, stop)
    if at < 0:
        raise ValueError("the value is not in list")
    return at


def _index_typed(self, value, start=0, stop=9223372036854775807, /):
    at = _position(self, value, start, stop)
    if at < 0:
        raise ValueError("item not in list")
    return at


def _index_shown(self, value, start=0, stop=9223372036854775807, /):
    at = _position(self, value, start, stop)
    if at < 0:
        raise ValueError(f"{value!r} is not in list")
    return at


@library("builtins.list.count")
def count(self, value, /):
    return _count


def _count(self, value, /):
    found = 0
    for item in self:
        if items_equal(item, value):
            found += 1
    return found


@library("builtins.list.pop", effects=Effects(mutates="self", returns="item of self"))
def pop(self, index=-1, /):
    _check_index(index, f"argument for pop must be an integer, not {unliteral(index)}")


@library("builtins.list.remove", effects=Effects(mutates="self"))
def remove(self, value, /):
    return _remove


def _remove(self, value, /):
    list_change(self)
    for at in range(len(self)):
        if items_equal(list_item(self, at), value):
            self.pop(at)
            return
    raise ValueError("list.remove(x): x not in list")


@library("builtins.list.reverse", effects=Effects(mutates="self"))
def reverse(self, /):
    return _reverse


@register_jitable
def _turn(self):
    low, high = 0, len(self) - 1
    while low < high:
        item = list_take(self, low)
        list_write(self, low, list_take(self, high))
        list_write(self, high, item)
        low += 1
        high -= 1


def _reverse(self, /):
    list_change(self)
    _turn(self)


@library("builtins.list.__contains__")
def contains(self, value, /):
    return _contains


def _contains(self, value, /):
    for item in self:
        if items_equal(item, value):
            return True
    return False


# Slices.

@library("builtins.list.__getitem__", effects=Effects(returns=("item of self", "items of self")))
def getitem(self, index, /):
    if not _is_slice(index):
        _check_index(index, _not_an_index(index))
        return None
    return _get_slice


def _not_an_index(ty):
    return f"list indices must be integers or slices, not {unliteral(ty)}"


def _get_slice(self, index, /):
    start, stop, step = index.indices(len(self))
    count = len(range(start, stop, step))
    items = list_new(self, count)
    at = start
    for _ in range(count):
        list_push(items, list_item(self, at))
        at += step
    return items


@library("builtins.list.__setitem__", effects=Effects(mutates="self", extends={"self": "values"}))
def setitem(self, index, values, /):
    if not _is_slice(index):
        _check_index(index, _not_an_index(index))
        return None
    if not is_iterable(values):
        raise TypingError("can only assign an iterable when using a slice with assignment/setitem")
    return _set_slice_to_list if is_list(values) else _set_slice


def _set_slice(self, index, values, /):
    items = list_new(self, 0)
    items.extend(values)
    _put(self, index, items)


def _set_slice_to_list(self, index, values, /):
    items = list_new(self, len(values))
    items.extend(values)
    _put(self, index, items)


@register_jitable
def _put(self, index, items):
    list_change(self)
    start, stop, step = index.indices(len(self))
    count = len(range(start, stop, step))
    if step != 1:
        if len(items) != count:
            raise ValueError(f"attempt to assign sequence of size {len(items)} to extended slice of size {count}")
        at = start
        for item in items:
            self[at] = item
            at += step
        return
    shared = min(count, len(items))
    for at in range(shared):
        self[start + at] = list_item(items, at)
    if count > shared:
        _cut(self, start + shared, count - shared)
    elif len(items) > shared:
        list_gap(self, start + shared, len(items) - shared)
        for at in range(shared, len(items)):
            list_write(self, start + at, list_item(items, at))


@register_jitable
def _cut(self, start, count):
    """Removes items that follow each other."""
    for at in range(start, start + count):
        gone = list_take(self, at)
    list_close(self, start, count)


@library("builtins.list.__delitem__", effects=Effects(mutates="self"))
def delitem(self, index, /):
    if _is_slice(index):
        return _delete_slice
    _check_index(index, _not_an_index(index))
    return _delete


def _delete(self, index, /):
    list_change(self)
    at = index
    if at < 0:
        at += len(self)
    if at < 0 or at >= len(self):
        raise IndexError("list assignment index out of range")
    _cut(self, at, 1)


def _delete_slice(self, index, /):
    list_change(self)
    start, stop, step = index.indices(len(self))
    count = len(range(start, stop, step))
    if count == 0:
        return
    if step < 0:
        start, step = start + (count - 1) * step, -step
    if step == 1:
        _cut(self, start, count)
        return
    kept = start
    for at in range(start, len(self)):
        past = at - start
        if past % step == 0 and past // step < count:
            gone = list_take(self, at)
        else:
            list_write(self, kept, list_take(self, at))
            kept += 1
    list_close(self, len(self) - count, count)


# Comparison.

@library("rumba.items_equal")
def equal_items(a, b):
    return lambda a, b: bool(a == b)


@register_jitable
def _listed(items):
    return [item for item in items]


def _by_copies(compare, self, other):
    """A comparison of a list with one that never changes; None for others."""
    if length(self) and is_fixed_list(self):
        return lambda self, other, /: compare(_listed(self), other)
    if length(other) and is_fixed_list(other):
        return lambda self, other, /: compare(self, _listed(other))
    return None


@library("builtins.list.__eq__")
def eq(self, other, /):
    if is_list(other):
        return _eq
    return _by_copies(operator.eq, self, other) or (never if are_apart(self, other) else None)


@library("builtins.list.__ne__")
def ne(self, other, /):
    if is_list(other):
        return _ne
    return _by_copies(operator.ne, self, other) or (always if are_apart(self, other) else None)


@library("builtins.list.__req__")
def req(self, other, /):
    return _by_copies(operator.eq, self, other) or (never if are_apart(self, other) else None)


@library("builtins.list.__rne__")
def rne(self, other, /):
    return _by_copies(operator.ne, self, other) or (always if are_apart(self, other) else None)


@register_jitable
def _same(a, b):
    if len(a) != len(b):
        return False
    for at in range(len(a)):
        if not items_equal(list_item(a, at), list_item(b, at)):
            return False
    return True


def _eq(self, other, /):
    return _same(self, other)


def _ne(self, other, /):
    return not _same(self, other)


@library("builtins.list.__lt__")
def lt(self, other, /):
    return _ordered(operator.lt) if is_list(other) else None


@library("builtins.list.__le__")
def le(self, other, /):
    return _ordered(operator.le) if is_list(other) else None


@library("builtins.list.__gt__")
def gt(self, other, /):
    return _ordered(operator.gt) if is_list(other) else None


@library("builtins.list.__ge__")
def ge(self, other, /):
    return _ordered(operator.ge) if is_list(other) else None


@register_jitable
def _first_difference(a, b):
    shorter = min(len(a), len(b))
    at = 0
    while at < shorter and items_equal(list_item(a, at), list_item(b, at)):
        at += 1
    return at


def _ordered(compare):
    """A comparison of lists: that of the first items that differ, or of the lengths."""
    def ordered(self, other, /):
        at = _first_difference(self, other)
        if at < len(self) and at < len(other):
            return compare(list_item(self, at), list_item(other, at))
        return compare(len(self), len(other))
    return ordered


# Sorting.

def check_order(key, reverse):
    """Refuses what says nothing of an order."""
    if not isinstance(unliteral(reverse), (int, Boolean, Integer)):
        raise TypingError(f"an integer is required for 'reverse', and it is {reverse}")
    if isinstance(unliteral(key), (Number, Boolean, UnicodeType, List, ListType)):
        raise TypingError(f"'key' must be None or a function, and it is {key}")


@library("builtins.list.sort", effects=Effects(mutates="self", calls="key"))
def sort(self, /, *, key=None, reverse=False):
    check_order(key, reverse)
    if not is_absent(key):
        return _sort_by_key
    return _sort_numbers if isinstance(_item(self), (Integer, Float, Boolean)) else _sort


def _sort(self, /, *, key=None, reverse=False):
    list_change(self)
    order = order_of(self, bool(reverse))
    spare = list_new(self, len(self))
    for at in order:
        list_push(spare, list_take(self, at))
    for at in range(len(order)):
        list_write(self, at, list_take(spare, at))
    list_close(spare, 0, len(order))


def _sort_numbers(self, /, *, key=None, reverse=False):
    list_change(self)
    # In reverse, equal numbers keep their order too.
    if reverse:
        _turn(self)
    list_sort(self)
    if reverse:
        _turn(self)


def _sort_by_key(self, /, *, key=None, reverse=False):
    list_change(self)
    keys = [key(item) for item in self]
    order = order_of(keys, bool(reverse))
    items = list_new(self, len(self))
    for at in order:
        list_push(items, list_item(self, at))
    for at in range(len(items)):
        self[at] = list_item(items, at)


# Functions that make lists.

@library(list, effects=Effects(returns="list of iterable", exhausts="iterable", also="makes=list"))
def list_(iterable, /):
    if is_list(iterable):
        return _list_of_list
    return _list_of


def _list_of_list(iterable, /):
    return _copy_of(iterable)


def _list_of(iterable, /):
    return [item for item in iterable]


def sorted_list(iterable, /, *, key=None, reverse=False):
    """`sorted` of what has any number of items."""
    items = [item for item in iterable]
    items.sort(key=key, reverse=reverse)
    return items


@register_jitable
def _greater(a, b):
    return a > b


@register_jitable
def _less(a, b):
    return a < b


@library(max, strict=False, effects=Effects(returns=("any of iterable", "others", "default"), calls="key"))
def max_(iterable, /, *others, key=None, default=None):
    return _best((iterable, others), key, default, _greater, "max")


@library(min, strict=False, effects=Effects(returns=("any of iterable", "others", "default"), calls="key"))
def min_(iterable, /, *others, key=None, default=None):
    return _best((iterable, others), key, default, _less, "min")


def _best(values, key, default, better, name):
    """`max` or `min` of what has any number of items, or of several values."""
    iterable, others = values
    # None is a default as any other value is.
    has_default = default is not None and not isinstance(default, Omitted)
    message = f"{name}() {_EMPTY}"
    key_of = _itself if is_absent(key) else None
    if others:
        if has_default:
            raise TypingError(f"Cannot specify a default for {name}() with multiple positional arguments")
        return _best_of_several(key_of, better)
    if isinstance(iterable, BaseTuple) and not len(iterable):
        raise TypingError(f"{name}() argument is an empty tuple")
    if length(iterable) == 0 and not has_default:
        def of_nothing(iterable, /, *others, key=None, default=None):
            raise ValueError(message)
        return of_nothing
    if _is_compared_elsewhere(iterable) and is_absent(key) and not has_default:
        return None

    return (_best_of_fixed if length(iterable) is not None else _best_of_many)(key_of, better, has_default, message)


def _best_of_fixed(key_of, better, has_default, message):
    """Of a tuple, or a list that never changes: items may be of several types."""
    def best(iterable, /, *others, key=None, default=None):
        items = [item for item in iterable]
        if not items:
            if has_default:
                return default
            raise ValueError(message)
        return _best_item(items, key, key_of, better)
    return best


def _best_of_many(key_of, better, has_default, message):
    """Of anything else: the key of an item is asked for before the next item is."""
    def best(iterable, /, *others, key=None, default=None):
        items = iter(iterable)
        for found in items:
            value = key_of(found) if key_of is not None else key(found)
            for item in items:
                other = key_of(item) if key_of is not None else key(item)
                if better(other, value):
                    found, value = item, other
            return found
        if has_default:
            return default
        raise ValueError(message)
    return best


def _best_of_several(key_of, better):
    def best(iterable, /, *others, key=None, default=None):
        items = [iterable]
        for other in others:
            items.append(other)
        return _best_item(items, key, key_of, better)
    return best


@register_jitable
def _best_item(items, key, key_of, better):
    found = items[0]
    value = key_of(found) if key_of is not None else key(found)
    for at in range(1, len(items)):
        item = list_item(items, at)
        other = key_of(item) if key_of is not None else key(item)
        if better(other, value):
            found, value = item, other
    return found


def _is_compared_elsewhere(ty):
    """Whether a type is a tuple, or a list that never changes, of items that the compiler itself compares."""
    if length(ty) is None:
        return False
    items = ty if isinstance(ty, BaseTuple) else (ty.dtype,)
    return not any(map(_holds_list, items))


def _holds_list(ty):
    ty = unliteral(ty)
    if isinstance(ty, BaseTuple):
        return any(map(_holds_list, ty))
    return isinstance(ty, (DictType, LiteralList, List, ListType, Set, SetType))


@register_jitable
def _itself(item):
    return item


# What Python refuses to sum, and what it says to do.
_NOT_SUMMED = ((UnicodeType, "strings", "''"), ((Bytes, CharSeq), "bytes", "b''"), (ByteArray, "bytearray", "b''"))


@library(sum, strict=False, effects=Effects(returns=("item of iterable", "start"), exhausts="iterable"))
def sum_(iterable, /, start=0):
    """Of lists, which are put together."""
    for kinds, name, way in _NOT_SUMMED:
        if isinstance(unliteral(start), kinds):
            raise TypingError(f"sum() can't sum {name} [use {way}.join(seq) instead]")
    if is_array(iterable) and iterable.ndim > 1:
        return _sum_of_rows
    if is_user_iterable(iterable):
        return lambda iterable, /, start=0: sum((item for item in iterable), start)
    return _sum_of_lists if is_list(start) or is_fixed_list(start) else None


def _sum_of_rows(iterable, /, start=0):
    raise_if(len(iterable) == 0, "ValueError", "a sum of no rows is a number, but one of rows is an array")
    total = start + iterable[0]
    for at in range(1, len(iterable)):
        total += iterable[at]
    return total


def _sum_of_lists(iterable, /, start=0):
    total = []
    for item in start:
        total.append(item)
    for part in iterable:
        for item in part:
            total.append(item)
    return total
