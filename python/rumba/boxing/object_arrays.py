"""NumPy's arrays of objects, for compiled code."""
import operator

import numpy as np


def items(array):
    """The items in the order of rows."""
    return array.ravel().tolist()


def array(shape, items, writeable):
    """The array of this shape with these items, whatever they are."""
    flat = np.empty(len(items), dtype=object)
    for number, item in enumerate(items):
        flat[number] = item
    flat.flags.writeable = writeable
    return flat.reshape(shape)


def write_back(into, before, items):
    """Assigns the items that are others than before."""
    if not all(map(operator.is_, before, items)):
        into[...] = array(into.shape, items, True)
