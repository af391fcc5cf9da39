"""`reversed` of lists, arrays, buffers and dicts."""
from ...extending import Effects, register_jitable
from ...intrinsics import list_item, present
from ...types import DequeType, DictItemsIterableType, DictKeysIterableType, DictType, DictValuesIterableType, Optional
from .. import library
from .._predicates import is_array, is_buffer, is_list


@library(reversed, effects=Effects(returns="items of sequence"))
def reversed_(sequence, /):
    if isinstance(sequence, Optional):
        return lambda sequence, /: reversed(present(sequence))
    if is_list(sequence) or isinstance(sequence, DequeType):
        return _reversed_list
    if is_array(sequence) and sequence.ndim:
        return _reversed_array
    if is_buffer(sequence) and sequence.ndim == 1:
        return _reversed_items
    if isinstance(sequence, (DictType, DictKeysIterableType, DictValuesIterableType, DictItemsIterableType)):
        return _reversed_items


@register_jitable
def _items_down_from(items, at):
    # A list may change meanwhile: the iterator ends where the items no longer reach.
    while 0 <= at < len(items):
        yield list_item(items, at)
        at -= 1


def _reversed_list(sequence, /):
    # The first index is that of the call, although nothing else runs before an item is asked for.
    return _items_down_from(sequence, len(sequence) - 1)


def _reversed_array(sequence, /):
    return sequence[::-1]


def _reversed_items(sequence, /):
    items = [item for item in sequence]
    items.reverse()
    return items
