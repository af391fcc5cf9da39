"""Heaps beside CPython's: what the functions give or raise, and what the heap looks like afterwards."""
import heapq
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from beside import compare
from leaks import nothing_leaks  # noqa: F401
from rumba import errors, njit
from rumba.typed import List

few = settings(max_examples=60, deadline=None)
ints = st.lists(st.integers(-9, 9), min_size=1, max_size=30)
floats = st.lists(st.sampled_from([-math.inf, -1.5, -0.0, 0.0, 2.0, math.inf, math.nan]), min_size=1, max_size=12)
pairs = st.lists(st.tuples(st.integers(-3, 3), st.sampled_from(["a", "b", "ab"])), min_size=1, max_size=20)


@njit
def heapify(heap):
    return heapq.heapify(heap)


@njit
def push(heap, item):
    return heapq.heappush(heap, item)


@njit
def pop(heap):
    return heapq.heappop(heap)


@njit
def replace(heap, item):
    return heapq.heapreplace(heap, item)


@njit
def push_pop(heap, item):
    return heapq.heappushpop(heap, item)


@few
@given(ints | floats | pairs)
def test_heaps_look_like_those_of_cpython(items):
    compare(heapify, items)
    compare(pop, items)
    heapq.heapify(items)
    for function in (push, replace, push_pop):
        compare(function, items, items[-1])
        compare(function, items, items[len(items) // 2])


@njit
def emptied(heap):
    found = [heapq.heappop(heap)]
    while heap:
        found.append(heapq.heappop(heap))
    return found


@few
@given(ints | pairs)
def test_items_leave_a_heap_in_their_order(items):
    heapq.heapify(items)
    compare(emptied, items)


def test_an_empty_heap_raises_or_takes_the_item():
    for function, rest in ((pop, ()), (replace, (1,))):
        for call in (function, function.py_func):
            heap = List([1])
            heap.clear()
            with pytest.raises(IndexError, match="index out of range"):
                call(heap if call is function else [], *rest)
    for function, held in ((push_pop, []), (push, [2])):
        heap = List([1])
        heap.clear()
        assert function(heap, 2) == function.py_func([], 2)
        assert list(heap) == held


@njit
def shortest_path(edges, count):
    best = [1 << 60 for _ in range(count)]
    heap = []
    heapq.heappush(heap, (0, 0))
    while heap:
        distance, node = heapq.heappop(heap)
        if distance >= best[node]:
            continue
        best[node] = distance
        for start, end, weight in edges:
            if start == node:
                heapq.heappush(heap, (distance + weight, end))
    return best


def test_a_heap_that_is_made_empty_holds_what_is_pushed():
    compare(shortest_path, [(0, 1, 7), (0, 2, 3), (2, 1, 2), (1, 3, 1), (2, 3, 8)], 5)


@njit
def mixed(n):
    heap = []
    heapq.heappush(heap, n)
    heapq.heappush(heap, 0.5)
    return heap


def test_items_of_a_new_heap_decide_on_its_type_together():
    assert mixed(2) == [0.5, 2.0]


@njit
def best(n, items):
    return heapq.nsmallest(n, items), heapq.nlargest(n, items)


@njit
def best_by_key(n, items):
    return heapq.nsmallest(n, items, key=lambda item: -item), heapq.nlargest(n, items, key=lambda item: item % 3)


@few
@given(st.integers(-2, 40), ints)
def test_the_smallest_and_the_largest(n, items):
    compare(best, n, items)
    compare(best, n, [(item % 3, item) for item in items])
    compare(best_by_key, n, items)


@njit
def best_of_range(n, stop):
    return heapq.nsmallest(n, range(stop)), heapq.nlargest(n, range(stop))


def test_the_best_of_other_iterables():
    assert best(2, (3.5, 1.5, 2.5)) == ([1.5, 2.5], [3.5, 2.5])
    assert best(2, np.arange(5)) == ([0, 1], [4, 3])
    assert best_of_range(True, 4) == ([0], [3])


@pytest.mark.parametrize("function, args, message", [
    (push, ((1, 2), 3), "heap argument must be a list"),
    (pop, (np.arange(3),), "heap argument must be a list"),
    (push, ([1], 2.5), "heap type must be the same as item type"),
    (replace, ([1], True), "heap type must be the same as item type"),
    (push, ([1], "a"), "heap type must be the same as item type"),
    (heapify, ([1j, 2j],), "'<' not supported between instances of 'complex' and 'complex'"),
    (best, (1.5, [1]), "'n' must be an integer"),
    (best, (1, 5), "must be iterable"),
])
def test_what_is_no_heap_is_refused(function, args, message):
    with pytest.raises(errors.TypingError) as found:
        function(*args)
    assert message in str(found.value)
