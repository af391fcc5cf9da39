"""Iterators that the compiler has no rules for: `iter` of a function and a sentinel."""
from ...effects import Effects
from .. import library


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
