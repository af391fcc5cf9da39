"""Iterators without rules in the compiler: `iter` of a function and a sentinel, `zip` with `strict`, `enumerate` of what a class
says how to iterate over. Also the error for `tuple` of an iterable with unknown length."""
from ... import source_text
from ...extending.effects import Effects
from ...errors import TypingError
from ...intrinsics import present
from ...types import BaseTuple, EnumClass, IterableType, Optional
from .. import library
from .._predicates import is_user_iterable


# The same facts hold of one argument.
@library(iter, effects=Effects(calls="object", returns="items of object"), strict=False)
def iter_of_calls(object, sentinel):
    return _calls


def _calls(object, sentinel):
    while True:
        item = object()
        if item == sentinel:
            return
        yield item


@library(iter, effects=Effects(calls="object", returns="items of object"), strict=False)
def iter_of_enum(object):
    if not isinstance(object, EnumClass):
        return None
    members = tuple(object.instance_class)

    def all_members(object):
        for member in members:  # noqa: UP028  the iterator of a tuple cannot be returned
            yield member

    return all_members


@library(enumerate, effects=Effects(returns="items of iterable"), strict=False)
def enumerate_user_iterable(iterable, start=0):
    return _enumerate if is_user_iterable(iterable) else None


def _enumerate(iterable, start=0):
    count = int(start)
    for item in iterable:
        yield count, item
        count += 1


@library(zip, effects=Effects(also="returns=items:*iterables@0"), strict=False)
def zip_checked(*iterables, strict=False):
    # `*iterables` is the tuple of all.
    iterables = iterables[0] if len(iterables) == 1 and isinstance(iterables[0], (tuple, BaseTuple)) else iterables
    count = len(iterables)
    if not count:
        return _zip_nothing
    lines = [f"it{at} = iter(iterables[{at}])" for at in range(count)] + ["for x0 in it0:"]
    for at in range(1, count):
        lines += [f" for x{at} in it{at}:", "  break", " else:",
                  f"  if strict: raise ValueError('zip() argument {at + 1} is shorter than argument{_before(at)}')", "  return"]
    lines += [f" yield ({''.join(f'x{at}, ' for at in range(count))})"]
    for at in range(1, count):
        # All before this one have ended.
        message = f"zip() argument {at + 1} is longer than argument{_before(at)}"
        lines += ["if strict:", f" for x{at} in it{at}: raise ValueError('{message}')"]
    return source_text.function("zip(*iterables, strict=False)", lines, {})


def _zip_nothing(*iterables, strict=False):
    for _ in range(0):
        yield ()


def _before(at):
    return " 1" if at == 1 else f"s 1-{at}"


@library(tuple, effects=Effects(returns="items of iterable", exhausts=("iterable", "tuple")), strict=False)
def tuple_of(iterable=()):
    if isinstance(iterable, Optional) and isinstance(iterable.type, BaseTuple):
        return lambda iterable=(): tuple(present(iterable))
    iterable = iterable.type if isinstance(iterable, Optional) else iterable
    if isinstance(iterable, IterableType) and not isinstance(iterable, BaseTuple):
        raise TypingError("the length of a tuple is part of its type, which must be known when the function compiles: make a list")
