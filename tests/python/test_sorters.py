"""Sorting algorithms made to order: with own comparisons, places instead of items, values with keys; plain and compiled."""
import math

import numpy as np
import pytest
from leaks import nothing_leaks  # noqa: F401  the fixture

from rumba import njit
from rumba.numba.misc.mergesort import make_jit_mergesort
from rumba.numba.misc.quicksort import make_jit_quicksort, make_py_quicksort
from rumba.numba.misc.timsort import MergeRun, make_jit_timsort, make_py_timsort

RNG = np.random.default_rng(3)


def many():
    """Rows of integers: in order, against it, equal, in waves, at random."""
    for size in (0, 1, 2, 15, 16, 17, 100, 1000):
        ordered = np.arange(size)
        yield from (ordered, ordered[::-1].copy(), np.zeros(size, int), ordered % 7, np.abs(ordered - size // 2))
        yield RNG.integers(-50, 50, size)
        yield np.concatenate([np.sort(RNG.integers(0, 99, size)), np.sort(RNG.integers(50, 60, size)), ordered])


def greater(a, b):
    return a > b


def by_last_digit(a, b):
    return a % 10 < b % 10


# Quicksort.

@pytest.mark.parametrize("make", [make_py_quicksort, make_jit_quicksort])
def test_quicksort(make):
    sort, descending = make().run_quicksort, make(lt=greater).run_quicksort
    places = make(is_argsort=True).run_quicksort
    for a in many():
        items = a.copy()
        assert sort(items) is items
        np.testing.assert_array_equal(items, np.sort(a))
        np.testing.assert_array_equal(descending(a.copy()), np.sort(a)[::-1])
        found = places(a)
        np.testing.assert_array_equal(np.sort(found), np.arange(a.size))
        np.testing.assert_array_equal(a[found], np.sort(a))


@pytest.mark.parametrize("make", [make_py_quicksort, make_jit_quicksort])
def test_quicksort_of_lists(make):
    sort, places = make(is_list=True).run_quicksort, make(is_list=True, is_argsort=True).run_quicksort
    for a in ([3, 1, 2], [2.5], list(range(50, 0, -1))):
        assert places(a) == np.argsort(a, kind="stable").tolist()
        sort(a)
        assert a == sorted(a)


@pytest.mark.parametrize("make", [make_py_quicksort, make_jit_quicksort])
def test_quicksort_along_the_last_axis(make):
    sort, places = make(is_np_array=True).run_quicksort, make(is_np_array=True, is_argsort=True).run_quicksort
    for shape in ((40,), (3, 40), (2, 3, 20), (4, 0), (0, 4)):
        a = RNG.permutation(int(np.prod(shape))).reshape(shape)
        np.testing.assert_array_equal(places(a), np.argsort(a))
        np.testing.assert_array_equal(sort(a.copy()), np.sort(a))


@pytest.mark.parametrize("make", [make_py_quicksort, make_jit_quicksort])
def test_a_comparison_that_contradicts_itself(make):
    """It gives some order of the same items, and nothing outside of a part changes."""
    nan_first = make(lt=lambda a, b: math.isnan(b) or a < b).run_quicksort
    always, never = make(lt=lambda a, b: True).run_quicksort, make(lt=lambda a, b: False).run_quicksort
    for size in (3, 40, 400):
        a = RNG.random(size)
        a[RNG.random(size) < 0.2] = np.nan
        kept = np.sort(a[~np.isnan(a)])
        np.testing.assert_array_equal(nan_first(a.copy())[:kept.size], kept)
        for sort in (always, never):
            np.testing.assert_array_equal(np.sort(sort(a.copy())), np.sort(a))


@pytest.mark.parametrize("make", [make_py_quicksort, make_jit_quicksort])
def test_parts_of_quicksort(make):
    made = make()
    for a in (row.astype(float) for row in many() if row.size > 2):
        last = a.size - 2
        items = a.copy()
        made.insertion_sort(items, items, 1, last)
        np.testing.assert_array_equal(items, np.concatenate([a[:1], np.sort(a[1:-1]), a[-1:]]))
        items = a.copy()
        at = made.partition(items, items, 1, last)
        assert (items[1:at] <= items[at]).all() and (items[at:last + 1] >= items[at]).all()
        assert items[0] == a[0] and items[-1] == a[-1]
        items = a.copy()
        start, end = made.partition3(items, 1, last)
        assert (items[1:start] < items[start]).all() and (items[start:end + 1] == items[start]).all()
        assert (items[end + 1:last + 1] > items[start]).all()
        np.testing.assert_array_equal(np.sort(items), np.sort(a))


# Merge sort.

def test_mergesort():
    sort, places = make_jit_mergesort().run_mergesort, make_jit_mergesort(is_argsort=True).run_mergesort
    digits = make_jit_mergesort(lt=by_last_digit, is_argsort=True).run_mergesort
    for a in many():
        np.testing.assert_array_equal(sort(a.copy()), np.sort(a))
        np.testing.assert_array_equal(places(a), np.argsort(a, kind="stable"))
        np.testing.assert_array_equal(digits(a), np.argsort(a % 10, kind="stable"))
    a = RNG.integers(0, 9, (3, 50))
    along = make_jit_mergesort(is_argsort=True, is_np_array=True).run_mergesort
    np.testing.assert_array_equal(along(a), np.argsort(a, kind="stable"))


# Timsort.

def room_for(keys, n):
    return np.empty(n, keys.dtype)


def list_room(keys, n):
    return [keys[0]] * n


@pytest.mark.parametrize("make", [make_py_timsort, make_jit_timsort])
def test_timsort(make):
    made = make(room_for)
    for a in many():
        keys, values = a.copy(), RNG.random(a.size)
        made.run_timsort(keys)
        np.testing.assert_array_equal(keys, np.sort(a))
        keys, moved, order = a % 10, values.copy(), np.argsort(a % 10, kind="stable")
        made.run_timsort_with_values(keys, moved)
        np.testing.assert_array_equal(keys, (a % 10)[order])
        np.testing.assert_array_equal(moved, values[order])
        # Values of the keys' own type are another array, too.
        keys, moved = a % 10, np.arange(a.size)
        made.run_timsort_with_values(keys, moved)
        np.testing.assert_array_equal(moved, order)


@pytest.mark.parametrize("make", [make_py_timsort, make_jit_timsort])
def test_timsort_of_lists(make):
    made = make(list_room)
    for a in (row.tolist() for row in many() if row.size):
        keys, values = list(a), list(range(len(a)))
        made.run_timsort_with_values(keys, values)
        assert keys == sorted(a) and values == sorted(range(len(a)), key=a.__getitem__)
        made.run_timsort(a)
        assert a == keys


def test_timsort_of_texts():
    made = make_jit_timsort(list_room)
    words = [str(number) for number in RNG.integers(0, 500, 300)]
    keys = list(words)
    made.run_timsort(keys)
    assert keys == sorted(words)


def test_searches_of_timsort():
    made = make_jit_timsort(room_for)
    a = np.sort(RNG.integers(0, 30, 60))
    for key in range(-1, 31):
        for hint in (10, 25, 49):
            assert made.gallop_left(key, a, 10, 50, hint) == np.clip(np.searchsorted(a, key, "left"), 10, 50)
            assert made.gallop_right(key, a, 10, 50, hint) == np.clip(np.searchsorted(a, key, "right"), 10, 50)
    assert [made.merge_compute_minrun(n) for n in (0, 63, 64, 65, 2048, 2049)] == [0, 63, 32, 33, 32, 33]
    assert made.count_run(np.array([5, 4, 3, 3]), 0, 4) == (3, True)
    assert made.count_run(np.array([3, 3, 4, 1]), 0, 4) == (3, False)


def test_merges_of_timsort():
    """The state is passed on: the stack of runs in it changes in place."""
    made = make_py_timsort(room_for)
    first, second = np.sort(RNG.integers(0, 99, 300)), np.sort(RNG.integers(40, 60, 500))
    for runs in ((first, second), (second, first)):
        keys = np.concatenate([[7], *runs, [-7]])
        state = made.merge_append(made.merge_init(keys), MergeRun(1, runs[0].size))
        state = made.merge_append(state, MergeRun(1 + runs[0].size, runs[1].size))
        merged = made.merge_at(state, keys, keys, 0)
        assert merged.n == 1 and merged.pending is state.pending and merged.pending[0] == (1, 800)
        np.testing.assert_array_equal(keys, np.concatenate([[7], np.sort(np.concatenate(runs)), [-7]]))


def test_sorters_in_compiled_code():
    places = make_jit_quicksort(lt=by_last_digit, is_argsort=True).run_quicksort
    timsort = make_jit_timsort(room_for).run_timsort

    @njit
    def both(a):
        order = places(a)
        by_digit = a[order] % 10
        timsort(a)
        return by_digit, a
    by_digit, ordered = both(RNG.permutation(100))
    np.testing.assert_array_equal(by_digit, np.arange(100) // 10)
    np.testing.assert_array_equal(ordered, np.arange(100))
