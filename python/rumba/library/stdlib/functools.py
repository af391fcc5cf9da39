"""`functools.reduce` and `functools.partial`."""
import functools

from ...intrinsics import literal_unroll
from ...types import BaseTuple
from ...extending.effects import Effects
from .. import library
from .._predicates import is_uniform, length

# With or without the value that it starts from.
_FACTS = "calls=function@0 mutates=initial@2 returns=item:iterable@1,initial@2"
_EMPTY = "reduce() of empty iterable with no initial value"


@library(functools.reduce, effects=Effects(also=_FACTS))
def reduce(function, iterable):
    if length(iterable) == 0:
        return _reduce_nothing
    if is_uniform(iterable):
        return _reduce_items
    return _reduce_unrolled if isinstance(iterable, BaseTuple) else _reduce_iterable


@library(functools.reduce, effects=Effects(also=_FACTS))
def reduce_from(function, iterable, initial):
    unrolled = isinstance(iterable, BaseTuple) and not is_uniform(iterable)
    return _reduce_unrolled_from if unrolled else _reduce_from


def _reduce_from(function, iterable, initial):
    result = initial
    for item in iterable:
        result = function(result, item)
    return result


def _reduce_nothing(function, iterable):
    raise TypeError(_EMPTY)


def _reduce_items(function, iterable):
    result = iterable[0]
    for item in iterable[1:]:
        result = function(result, item)
    return result


def _reduce_iterable(function, iterable):
    started = False
    for item in iterable:
        if started:
            result = function(result, item)
        else:
            result = item
            started = True
    if not started:
        raise TypeError(_EMPTY)
    return result


# Items of different types: every round has types of its own.

def _reduce_unrolled(function, iterable):
    result = iterable[0]
    for item in literal_unroll(iterable[1:]):
        result = function(result, item)
    return result


def _reduce_unrolled_from(function, iterable, initial):
    result = initial
    for item in literal_unroll(iterable):
        result = function(result, item)
    return result


# A function with arguments that are given already.

@library(functools.partial, strict=False, effects=Effects(calls="func", returns=("func", "args", "keywords")))
def partial(func, *args, **keywords):
    return _bind_with_names if keywords else _bind


def _bind(func, *args):
    def bound(*more):
        return func(*args, *more)
    return bound


def _bind_with_names(func, *args, **keywords):
    def bound(*more):
        return func(*args, *more, **keywords)
    return bound
