"""`unique_values`, `unique_counts`, `unique_inverse`, `unique_all`: the different items of an array of numbers in order. Each NaN is one of its own."""
import numpy

from ...extending import register_jitable
from ...types import Boolean, Complex, Float, Integer
from .. import library
from .._predicates import is_array


@register_jitable
def _look(x):
    """The different items, and with them where each is first, which one each item is, how often each is there."""
    row = x.ravel()
    order = numpy.argsort(row, kind="mergesort")
    items, first = numpy.empty(row.size, row.dtype), numpy.empty(row.size, numpy.int64)
    which, counts = numpy.empty(row.size, numpy.int64), numpy.zeros(row.size, numpy.int64)
    kept = 0
    for at in order:
        if kept == 0 or row[at] != items[kept - 1]:
            items[kept], first[kept] = row[at], at
            kept += 1
        which[at] = kept - 1
        counts[kept - 1] += 1
    return items[:kept].copy(), first[:kept].copy(), which.reshape(x.shape), counts[:kept].copy()


def _takes(x):
    return is_array(x) and isinstance(x.dtype, (Boolean, Integer, Float, Complex))


def _register(name, implementation):
    """Registers a function that NumPy has since 2.0."""
    function = getattr(numpy, name, None)
    if function is None:
        return
    # NumPy's class of results, a named tuple.
    result = type(function(numpy.zeros(1)))

    def overload(x):
        return implementation(result) if _takes(x) else None
    overload.__name__ = name
    library(function, array_like="x")(overload)


def _all(result):
    def unique_all(x):
        items, first, which, counts = _look(x)
        return result(items, first, which, counts)
    return unique_all


def _counts(result):
    def unique_counts(x):
        items, _, _, counts = _look(x)
        return result(items, counts)
    return unique_counts


def _inverse(result):
    def unique_inverse(x):
        items, _, which, _ = _look(x)
        return result(items, which)
    return unique_inverse


_register("unique_values", lambda _: lambda x: _look(x)[0])
_register("unique_all", _all)
_register("unique_counts", _counts)
_register("unique_inverse", _inverse)
