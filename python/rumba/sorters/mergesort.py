"""Stable merge sort of arrays with a custom comparison.

Runs are sorted by insertion and merged, bottom up (Knuth, The Art of Computer Programming, volume 3, 5.2.4).
"""
import collections

from .common import comes_before, compiled, insertion_sorter, key_getter, plain, result_maker, row_sorter

# So many entries are sorted by insertion before runs are merged.
_RUN = 16

MergesortImplementation = collections.namedtuple("MergesortImplementation", "run_mergesort")


def make_mergesort_impl(wrap, lt=None, is_argsort=False, is_list=False, is_np_array=False):
    """The functions of a merge sort, each made by `wrap`; the parameters are those of `make_quicksort_impl`."""
    before, key = comes_before(wrap, lt), key_getter(wrap, is_argsort)
    entries, merge = result_maker(wrap, is_argsort, is_list), _make_merge(wrap, before, key)
    insert = insertion_sorter(wrap, before, key)

    @wrap
    def run_mergesort(arr):
        result = entries(arr)
        count = len(result)
        for start in range(0, count, _RUN):
            insert(arr, result, start, min(start + _RUN, count) - 1)
        spare, width = result[:(count + 1) // 2].copy(), _RUN
        while width < count:
            for start in range(0, count - width, 2 * width):
                merge(arr, result, spare, start, start + width, min(start + 2 * width, count))
            width *= 2
        return result

    return MergesortImplementation(row_sorter(wrap, run_mergesort, is_argsort) if is_np_array else run_mergesort)


def _make_merge(wrap, before, key):
    @wrap
    def merge(items, result, spare, start, middle, end):
        """Makes one run of two that stand side by side."""
        # The second one, which is never the longer one, waits in the spare room, and the result fills from behind.
        count = end - middle
        for at in range(count):
            spare[at] = result[middle + at]
        left, right, index = middle - 1, count - 1, end - 1
        while left >= start and right >= 0:
            if before(key(items, spare[right]), key(items, result[left])):
                result[index] = result[left]
                left -= 1
            else:
                result[index] = spare[right]
                right -= 1
            index -= 1
        while right >= 0:
            result[index] = spare[right]
            right, index = right - 1, index - 1
    return merge


def make_jit_mergesort(*args, **kwargs):
    """A merge sort of compiled functions: the arguments of `make_mergesort_impl` behind `wrap`."""
    return make_mergesort_impl(compiled, *args, **kwargs)


def make_py_mergesort(*args, **kwargs):
    """A merge sort of plain Python functions: the arguments of `make_mergesort_impl` behind `wrap`."""
    return make_mergesort_impl(plain, *args, **kwargs)
