"""`functools.reduce`."""
import functools

from ..special import literal_unroll
from ..types import BaseTuple, UniTuple
from . import library

_EMPTY = "reduce() of empty iterable with no initial value"


@library(functools.reduce)
def reduce(function, iterable):
    if isinstance(iterable, BaseTuple) and not isinstance(iterable, UniTuple):
        return _reduce_unrolled
    if isinstance(iterable, BaseTuple):
        return _reduce_tuple
    return _reduce_iterable


@library(functools.reduce)
def reduce_from(function, iterable, initial):
    if isinstance(iterable, BaseTuple) and not isinstance(iterable, UniTuple):
        return _reduce_unrolled_from
    return _reduce_from


def _reduce_from(function, iterable, initial):
    result = initial
    for item in iterable:
        result = function(result, item)
    return result


def _reduce_tuple(function, iterable):
    result = iterable[0]
    for item in iterable[1:]:
        result = function(result, item)
    return result


def _reduce_iterable(function, iterable):
    rest = iter(iterable)
    try:
        result = next(rest)
    except StopIteration:
        raise TypeError(_EMPTY)
    for item in rest:
        result = function(result, item)
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
