"""Quicksort with a custom comparison (C. A. R. Hoare, "Quicksort", The Computer Journal 5, 1962).

The pivot is the median of three, short parts are sorted by insertion, the larger part waits on a stack. Scans stop at
the ends of a part, so a comparison that contradicts itself gives some order, and never leaves the array.
"""
import collections

from .common import comes_before, compiled, insertion_sorter, key_getter, plain, result_maker, row_sorter

# Partitions up to this size are sorted by insertion.
_SHORT = 15

QuicksortImplementation = collections.namedtuple(
    "QuicksortImplementation", "compile partition partition3 insertion_sort run_quicksort")


def make_quicksort_impl(wrap, lt=None, is_argsort=False, is_list=False, is_np_array=False):
    """The functions of a quicksort, each made by `wrap`.

    `lt(a, b)` says whether a comes before b. With `is_argsort` the result is the places of the items in order, as an
    array, or as a list if `is_list`. With `is_np_array` arrays may have any number of dimensions and are sorted along the last.
    """
    before, key = comes_before(wrap, lt), key_getter(wrap, is_argsort)
    entries = result_maker(wrap, is_argsort, is_list)
    insertion_sort, partition = insertion_sorter(wrap, before, key), _make_partition(wrap, before, key)

    @wrap
    def run_quicksort(A):
        R = entries(A)
        waiting = [(0, len(R) - 1)]
        while len(waiting) > 0:
            low, high = waiting.pop()
            while high - low >= _SHORT:
                index = partition(A, R, low, high)
                if index - low < high - index:
                    waiting.append((index + 1, high))
                    high = index - 1
                else:
                    waiting.append((low, index - 1))
                    low = index + 1
            insertion_sort(A, R, low, high)
        return R

    run = row_sorter(wrap, run_quicksort, is_argsort) if is_np_array else run_quicksort
    return QuicksortImplementation(wrap, partition, _make_partition3(wrap, before), insertion_sort, run)


def _make_partition(wrap, before, key):
    @wrap
    def order(A, R, first, second):
        if before(key(A, R[second]), key(A, R[first])):
            R[first], R[second] = R[second], R[first]

    @wrap
    def partition(A, R, low, high):
        """Puts what is smaller than some entry before it, what is larger behind it; returns where that entry is."""
        middle = (low + high) >> 1
        order(A, R, low, middle)
        order(A, R, middle, high)
        order(A, R, low, middle)
        pivot = key(A, R[middle])
        R[middle], R[high] = R[high], R[middle]
        left, right = low, high - 1
        while True:
            while left < high and before(key(A, R[left]), pivot):
                left += 1
            while right >= low and before(pivot, key(A, R[right])):
                right -= 1
            if left >= right:
                break
            R[left], R[right] = R[right], R[left]
            left, right = left + 1, right - 1
        R[left], R[high] = R[high], R[left]
        return left
    return partition


def _make_partition3(wrap, before):
    @wrap
    def partition3(A, low, high):
        """Three parts, smaller than an item, equal to it, larger; returns where the middle one begins and ends."""
        middle = (low + high) >> 1
        pivot = A[middle]
        start, at, end = low, low, high
        while at <= end:
            if before(A[at], pivot):
                A[start], A[at] = A[at], A[start]
                start, at = start + 1, at + 1
            elif before(pivot, A[at]):
                A[at], A[end] = A[end], A[at]
                end -= 1
            else:
                at += 1
        return start, end
    return partition3


def make_py_quicksort(*args, **kwargs):
    """A quicksort of plain Python functions: the arguments of `make_quicksort_impl` behind `wrap`."""
    return make_quicksort_impl(plain, *args, **kwargs)


def make_jit_quicksort(*args, **kwargs):
    """A quicksort of compiled functions: the arguments of `make_quicksort_impl` behind `wrap`."""
    return make_quicksort_impl(compiled, *args, **kwargs)
