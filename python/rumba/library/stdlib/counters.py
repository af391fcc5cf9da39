"""`collections.Counter` and `collections.defaultdict` in compiled code: dicts that make the values of missing keys."""
import collections

from ...errors import TypingError
from ...extending import Effects, register_jitable
from ...intrinsics import default_factory, present, table_find, table_remove, table_value
from ...types import Boolean, CounterType, DictType, NoneType, Number, Optional
from ...types.names import _undef_var
from .. import library
from ..builtins.dict import has_items


def _check_counts(ty):
    if isinstance(ty, DictType) and ty.value_type != _undef_var and not isinstance(ty.value_type, (Number, Boolean)):
        raise TypingError(f"the values of a dict that is counted are counts, which are numbers, not {ty.value_type}")


def _is_counter(ty):
    return isinstance(ty, CounterType)


@library("collections.defaultdict.__getitem__", effects=Effects(mutates="self", returns="item of self"))
def get_or_make(self, key, /):
    return _get_or_make


def _get_or_make(self, key, /):
    at = table_find(self, key)
    if at >= 0:
        return table_value(self, at)
    value = default_factory(self)()
    self[key] = value
    return value


@library("collections.defaultdict.__or__", effects=Effects(returns=("items of self", "items of other")))
def merge(self, other, /):
    return _merge if has_items(other) else None


def _merge(self, other, /):
    made = self.copy()
    made.update(other)
    return made


@library(collections.defaultdict, effects=Effects(also="special=default_dict returns=items:items@1"))
def defaultdict(factory, items, /):
    if isinstance(items, Optional):
        return lambda factory, items, /: collections.defaultdict(factory, present(items))
    return _default_dict


@library(collections.defaultdict, strict=False, effects=Effects(also="special=default_dict returns=items:items@1"))
def other_default_dict(factory=None, /):
    if factory is None or isinstance(factory, NoneType):
        raise TypingError("a `defaultdict` without a factory is not supported in compiled code: use a `dict`")
    raise TypingError(
        f"the factory of a `defaultdict` must be a class like `int` or `list`, or a function that uses no variable of another "
        f"function, not {factory}")


def _default_dict(factory, items, /):
    made = collections.defaultdict(factory)
    made.update(items)
    return made


@library(collections.Counter, effects=Effects(also="makes=counter returns=items:iterable@0,**names@- exhausts=iterable@0"))
def counter(iterable, /):
    _check_counts(iterable)
    return _of_nothing if isinstance(iterable, NoneType) else _of_items


def _of_nothing(iterable, /):
    return collections.Counter()


def _of_items(iterable, /):
    made = collections.Counter()
    made.update(iterable)
    return made


@library(collections.Counter, strict=False, effects=Effects(also="makes=counter returns=items:iterable@0,**names@- exhausts=iterable@0"))
def counter_of_names(**names):
    return _of_names


def _of_names(**names):
    made = collections.Counter()
    made.update(names)
    return made


@library("collections.Counter.__getitem__", effects=Effects(returns="item of self"))
def count(self, key, /):
    return _count


def _count(self, key, /):
    return self.get(key, 0)


@library("collections.Counter.__delitem__", effects=Effects(mutates="self"))
def delitem(self, key, /):
    return _delete


def _delete(self, key, /):
    at = table_find(self, key)
    if at >= 0:
        table_remove(self, at)


@library("collections.Counter.update", effects=Effects(extends={"self": "iterable"}))
def update(self, iterable, /):
    if isinstance(iterable, NoneType):
        return lambda self, iterable, /: None
    _check_counts(iterable)
    return _add_counts if has_items(iterable) else _count_items


def _count_items(self, iterable, /):
    for item in iterable:
        self[item] = self.get(item, 0) + 1


def _add_counts(self, iterable, /):
    for key, number in iterable.items():
        self[key] = self.get(key, 0) + number


@library("collections.Counter.subtract", effects=Effects(extends={"self": "iterable"}))
def subtract(self, iterable, /):
    if isinstance(iterable, NoneType):
        return lambda self, iterable, /: None
    _check_counts(iterable)
    return _subtract_counts if has_items(iterable) else _subtract_items


def _subtract_items(self, iterable, /):
    for item in iterable:
        self[item] = self.get(item, 0) - 1


def _subtract_counts(self, iterable, /):
    for key, number in iterable.items():
        self[key] = self.get(key, 0) - number


@library("collections.Counter.total")
def total(self, /):
    return _total


def _total(self, /):
    return sum(self.values())


@library("collections.Counter.most_common")
def most_common(self, n=None, /):
    return _sorted if n is None or isinstance(n, NoneType) else _most_common


def _sorted(self, n=None, /):
    return sorted(self.items(), key=lambda item: item[1], reverse=True)


def _most_common(self, n=None, /):
    return sorted(self.items(), key=lambda item: item[1], reverse=True)[:max(n, 0)]


@library("collections.Counter.elements", effects=Effects(returns="items of self"))
def elements(self, /):
    return _elements


def _elements(self, /):
    for key, number in self.items():
        for _ in range(number):
            yield key


# Operators between counters: the result holds positive counts alone.

def _operator(combined):
    return lambda self, other, /: combined if _is_counter(other) else None


def _combination(combine):
    """An operator by what it makes of two counts; of a counter that lacks a key the count is 0."""
    combine = register_jitable(combine)

    @_operator
    def combined(self, other, /):
        made = collections.Counter()
        for key, number in self.items():
            number = combine(number, other[key])
            if number > 0:
                made[key] = number
        for key, number in other.items():
            if key not in self:
                number = combine(self[key], number)
                if number > 0:
                    made[key] = number
        return made
    return combined


for _name, _combine in (("add", lambda a, b: a + b), ("sub", lambda a, b: a - b), ("or", lambda a, b: max(a, b))):
    library(f"collections.Counter.__{_name}__", effects=Effects(returns=("items of self", "items of other")))(_combination(_combine))


@library("collections.Counter.__and__", effects=Effects(returns=("items of self", "items of other")))
@_operator
def and_(self, other, /):
    made = collections.Counter()
    for key, number in self.items():
        number = min(number, other[key])
        if number > 0:
            made[key] = number
    return made


@register_jitable
def _keep_positive(counts):
    for key in [key for key, number in counts.items() if not number > 0]:
        del counts[key]
    return counts


@library("collections.Counter.__iadd__", effects=Effects(extends={"self": "other"}, mutates="self", returns="self"))
@_operator
def iadd(self, other, /):
    for key, number in other.items():
        self[key] += number
    return _keep_positive(self)


@library("collections.Counter.__isub__", effects=Effects(extends={"self": "other"}, mutates="self", returns="self"))
@_operator
def isub(self, other, /):
    for key, number in other.items():
        self[key] -= number
    return _keep_positive(self)


@library("collections.Counter.__ior__", effects=Effects(extends={"self": "other"}, mutates="self", returns="self"))
@_operator
def ior(self, other, /):
    for key, number in other.items():
        if number > self[key]:
            self[key] = number
    return _keep_positive(self)


@library("collections.Counter.__iand__", effects=Effects(mutates="self", returns="self"))
@_operator
def iand(self, other, /):
    for key, number in self.items():
        if other[key] < number:
            self[key] = other[key]
    return _keep_positive(self)


@library("collections.Counter.__pos__", effects=Effects(returns="items of self"))
def pos(self, /):
    return _positive


def _positive(self, /):
    return self + collections.Counter()


@library("collections.Counter.__neg__", effects=Effects(returns="items of self"))
def neg(self, /):
    return _negative


def _negative(self, /):
    return collections.Counter() - self


# Comparisons, in which a missing key counts 0.

def _all_counts(compare):
    def compared(self, other, /):
        for key in self:
            if not compare(self[key], other[key]):
                return False
        for key in other:
            if not compare(self[key], other[key]):
                return False
        return True
    return register_jitable(compared)


_equal = _all_counts(register_jitable(lambda a, b: a == b))
_at_most = _all_counts(register_jitable(lambda a, b: a <= b))
_COMPARISONS = {
    "eq": lambda self, other, /: _equal(self, other),
    "ne": lambda self, other, /: not _equal(self, other),
    "le": lambda self, other, /: _at_most(self, other),
    "lt": lambda self, other, /: _at_most(self, other) and not _equal(self, other),
    "ge": lambda self, other, /: _at_most(other, self),
    "gt": lambda self, other, /: _at_most(other, self) and not _equal(self, other),
}
for _name, _compare in _COMPARISONS.items():
    library(f"collections.Counter.__{_name}__")(_operator(_compare))
