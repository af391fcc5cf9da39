"""Shared by the sorters: compilation of comparisons, keys, index arrays."""
import numpy

from ..decorators import njit
from ..extending import is_jitted


def compiled(function):
    """A function compiled, if it is not yet."""
    return function if is_jitted(function) else njit(function)


def plain(function):
    """A function as it is."""
    return function


def comes_before(wrap, lt):
    """The comparison that was asked for, or that of `<`."""
    return wrap(_less if lt is None else lt)


def _less(a, b):
    return a < b


def key_getter(wrap, is_argsort):
    """What gives the key of an entry of the result: an entry is the place of an item, or the item."""
    return wrap(_item_at if is_argsort else _itself)


def _item_at(items, entry):
    return items[entry]


def _itself(items, entry):
    return entry


def result_maker(wrap, is_argsort, is_list=False):
    """What gives the entries to be sorted: all indices in their order, or the items themselves."""
    if not is_argsort:
        return wrap(_all_items)
    return wrap(_indices_in_list if is_list else _positions)


def _all_items(items):
    return items


def _positions(items):
    return numpy.arange(len(items))


def _indices_in_list(items):
    return [at for at in range(len(items))]


def row_sorter(wrap, sort, is_argsort):
    """What sorts an array of any number of dimensions along the last one."""
    def rows(array):
        for index in numpy.ndindex(array.shape[:-1]):
            sort(array[index])
        return array

    def indices_of_rows(array):
        indices = numpy.empty(array.shape, numpy.int64)
        for index in numpy.ndindex(array.shape[:-1]):
            indices[index] = sort(array[index])
        return indices
    return wrap(indices_of_rows if is_argsort else rows)


def insertion_sorter(wrap, before, key):
    """What sorts some entries of a result by insertion."""
    @wrap
    def insertion_sort(A, R, low, high):
        """Sorts the entries `low` to `high`, both included."""
        for at in range(low + 1, high + 1):
            entry, free = R[at], at
            while free > low and before(key(A, entry), key(A, R[free - 1])):
                R[free] = R[free - 1]
                free -= 1
            R[free] = entry
    return insertion_sort
