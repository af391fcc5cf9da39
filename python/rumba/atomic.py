"""Atomic updates of array elements, for parallel loops: `rumba.atomic.add(histogram, bin, 1)`.

Arrays have integers or floats; an index is an integer, or a tuple of integers. Each function gives the item as it was. Calls from
Python do the same, one after another.
"""
import threading

import numpy

__all__ = ["add", "compare_and_swap", "exchange", "max", "min", "sub"]

_lock = threading.Lock()


def _changed(array, index, change):
    with _lock, numpy.errstate(over="ignore"):
        old = array[index]
        array[index] = change(old)
        return old


def add(array, index, value):
    """Adds a value to an array element and returns its previous value. Integers wrap around."""
    return _changed(array, index, lambda old: old + array.dtype.type(value))


def sub(array, index, value):
    """Subtracts a value from an array element and returns its previous value. Integers wrap around."""
    return _changed(array, index, lambda old: old - array.dtype.type(value))


def max(array, index, value):
    """Sets an array element to the maximum of itself and a value, NaN if one of them is NaN, and returns its previous
    value."""
    return _changed(array, index, lambda old: numpy.maximum(old, array.dtype.type(value)))


def min(array, index, value):
    """Sets an array element to the minimum of itself and a value, NaN if one of them is NaN, and returns its previous
    value."""
    return _changed(array, index, lambda old: numpy.minimum(old, array.dtype.type(value)))


def exchange(array, index, value):
    """Stores a value in an array element and returns its previous value."""
    return _changed(array, index, lambda old: value)


def compare_and_swap(array, index, expected, value):
    """Stores a value in an array element if that is equal to the expected one, and returns its previous value. Floats
    are compared bitwise."""
    def change(old):
        return value if old.tobytes() == array.dtype.type(expected).tobytes() else old

    return _changed(array, index, change)
