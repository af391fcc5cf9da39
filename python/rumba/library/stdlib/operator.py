"""Functions of `operator` without rules in the compiler: searches in sequences, setting and deleting items."""
import operator

from ...extending.effects import Effects
from ...extending.overload_registry import is_extension_type
from ...types import BaseTuple, DictType, Optional
from .. import library
from .._predicates import holds_objects, is_array, is_iterable, is_list


@library(operator.concat, effects=Effects(returns=("items of a", "items of b")))
def concat(a, b, /):
    if not is_array(a) and is_iterable(a):
        return lambda a, b, /: a + b


@library(operator.countOf)
def count_of(a, b, /):
    if is_iterable(a) and not isinstance(a, BaseTuple):
        def count(a, b, /):
            found = 0
            for item in a:
                if item == b:
                    found += 1
            return found
        return count
    return lambda a, b, /: a.count(b)


def _index_in_tuple(a, b, /):
    if b not in a:
        raise ValueError("sequence.index(x): x not in sequence")
    return a.index(b)


@library(operator.indexOf)
def index_of(a, b, /):
    if isinstance(a, BaseTuple):
        return _index_in_tuple
    if not is_iterable(a):
        return None

    def position(a, b, /):
        at = 0
        for item in a:
            if item == b:
                return at
            at += 1
        raise ValueError("sequence.index(x): x not in sequence")
    return position


@library(operator.length_hint)
def length_hint(obj, default=0, /):
    if is_list(obj) or is_array(obj) or isinstance(obj, BaseTuple):
        return lambda obj, default=0, /: len(obj)


def _has_indices(ty):
    return is_list(ty) or is_array(ty) or isinstance(ty, DictType)


@library("rumba.setitem", effects=Effects(sets={"a": ("b", "c")}, extends={"a": "c"}))
def set_item(a, b, c, /):
    if _has_indices(a):
        def put(a, b, c, /):
            a[b] = c
        return put


@library("rumba.delitem", effects=Effects(mutates="a"))
def delete_item(a, b, /):
    if _has_indices(a) and not is_array(a):
        def remove(a, b, /):
            del a[b]
        return remove


@library(operator.not_)
def not_(a, /):
    # What other libraries say of the truth of their values, and methods of classes of objects that may be None.
    if is_extension_type(a) or isinstance(a, Optional) and holds_objects(a):
        return lambda a, /: False if a else True
