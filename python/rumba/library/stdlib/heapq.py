"""`heapq`: heaps in lists, and the smallest and largest items of an iterable.

An item moves by exchanges with its parent or child, each after its comparison, so that a comparison that raises leaves
all items in the list. The order of comparisons is CPython's, and so is what a heap of equal or unordered items looks like.
"""
import heapq

from ...errors import TypingError
from ...extending import Effects, register_jitable
from ...intrinsics import list_item, list_take, list_write
from ...types import Boolean, Complex, Integer, IterableType, Number, unliteral
from .. import library
from .._predicates import is_absent, is_list


def _check_heap(heap, function):
    """Refuses what is no heap: other types, and items without an order."""
    if not is_list(heap):
        raise TypingError(f"{function}: heap argument must be a list, not {heap}")
    if isinstance(heap.dtype, Complex):
        raise TypingError(f"{function}: '<' not supported between instances of 'complex' and 'complex'")


def _check_item(heap, item, function):
    """Refuses an item that would not stay what it is in the heap."""
    _check_heap(heap, function)
    held, given = heap.dtype, unliteral(item)
    if held != given and not (isinstance(held, Number) and isinstance(given, Integer)):
        raise TypingError(f"{function}: heap type must be the same as item type: a heap of {held} got {given}")


@register_jitable
def _exchange(heap, a, b):
    item = list_take(heap, a)
    list_write(heap, a, list_take(heap, b))
    list_write(heap, b, item)


@register_jitable
def _less(a, b):
    return a < b


@register_jitable
def _greater(a, b):
    return b < a


@register_jitable
def _rise(heap, top, at, before):
    """Moves an item up to its place, at most to `top`."""
    while at > top:
        parent = (at - 1) >> 1
        if not before(list_item(heap, at), list_item(heap, parent)):
            break
        _exchange(heap, at, parent)
        at = parent


@register_jitable
def _sink(heap, top, before):
    """Moves the item at `top` down: to a leaf along the children that come first, and from there up again."""
    at, inner = top, len(heap) >> 1
    while at < inner:
        child = 2 * at + 1
        if child + 1 < len(heap) and not before(list_item(heap, child), list_item(heap, child + 1)):
            child += 1
        _exchange(heap, at, child)
        at = child
    _rise(heap, top, at, before)


@register_jitable
def _arrange(heap, before):
    for at in range((len(heap) >> 1) - 1, -1, -1):
        _sink(heap, at, before)


@library(heapq.heapify, effects=Effects(mutates="heap"))
def heapify(heap, /):
    _check_heap(heap, "heapify")
    return _heapify


def _heapify(heap, /):
    _arrange(heap, _less)


@library(heapq.heappush, effects=Effects(appends={"heap": "item"}))
def heappush(heap, item, /):
    _check_item(heap, item, "heappush")
    return _heappush


def _heappush(heap, item, /):
    heap.append(item)
    _rise(heap, 0, len(heap) - 1, _less)


@library(heapq.heappop, effects=Effects(mutates="heap", returns="item of heap"))
def heappop(heap, /):
    _check_heap(heap, "heappop")
    return _heappop


def _heappop(heap, /):
    if len(heap) == 0:
        raise IndexError("index out of range")
    last = len(heap) - 1
    if last == 0:
        return heap.pop()
    _exchange(heap, 0, last)
    item = heap.pop()
    _sink(heap, 0, _less)
    return item


@register_jitable
def _replace(heap, item, before):
    first = list_item(heap, 0)
    heap[0] = item
    _sink(heap, 0, before)
    return first


@library(heapq.heapreplace, effects=Effects(mutates="heap", appends={"heap": "item"}, returns=("item of heap", "item")))
def heapreplace(heap, item, /):
    _check_item(heap, item, "heapreplace")
    return _heapreplace


def _heapreplace(heap, item, /):
    if len(heap) == 0:
        raise IndexError("index out of range")
    return _replace(heap, item, _less)


@library(heapq.heappushpop, effects=Effects(mutates="heap", appends={"heap": "item"}, returns=("item of heap", "item")))
def heappushpop(heap, item, /):
    _check_item(heap, item, "heappushpop")
    return _heappushpop


def _heappushpop(heap, item, /):
    if len(heap) == 0 or not list_item(heap, 0) < item:
        return item
    return _replace(heap, item, _less)


# The smallest and the largest. A heap holds the best so far, the worst of them first, each with a number that tells which
# of equal items came first.

def _check_best(n, iterable, function):
    if not isinstance(unliteral(n), (Integer, Boolean)):
        raise TypingError(f"{function}: First argument 'n' must be an integer, not {n}")
    if not isinstance(iterable, IterableType):
        raise TypingError(f"{function}: Second argument 'iterable' must be iterable, not {iterable}")


@library(heapq.nsmallest, effects=Effects(returns="items of iterable", calls="key"))
def nsmallest(n, iterable, key=None):
    _check_best(n, iterable, "nsmallest")
    return _best(_greater, 1, False) if is_absent(key) else _best_by_key(_greater, 1, False)


@library(heapq.nlargest, effects=Effects(returns="items of iterable", calls="key"))
def nlargest(n, iterable, key=None):
    _check_best(n, iterable, "nlargest")
    return _best(_less, -1, True) if is_absent(key) else _best_by_key(_less, -1, True)


def _best(worse, step, reverse):
    """The best `n`; `worse` is the order of the heap."""
    def best(n, iterable, key=None):
        held, number = [], 0
        for item in iterable:
            if len(held) < n:
                held.append((item, number))
                if len(held) == n:
                    _arrange(held, worse)
            elif n > 0 and worse(held[0][0], item):
                held[0] = (item, number)
                _sink(held, 0, worse)
            number += step
        held.sort(reverse=reverse)
        return [pair[0] for pair in held]
    return best


def _best_by_key(worse, step, reverse):
    def best(n, iterable, key=None):
        items = [item for item in iterable]
        held = []
        for at in range(len(items)):
            value = key(list_item(items, at))
            if len(held) < n:
                held.append((value, at * step))
                if len(held) == n:
                    _arrange(held, worse)
            elif n > 0 and worse(held[0][0], value):
                held[0] = (value, at * step)
                _sink(held, 0, worse)
        held.sort(reverse=reverse)
        return [list_item(items, pair[1] * step) for pair in held]
    return best
