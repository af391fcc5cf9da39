"""Reductions of datetimes and timedeltas: minimum, maximum and their indices, sum, mean, median.

Times are counts of a unit, which a view of a row shows; the least count is no time (NaT), which is what comes of it.
"""
import numpy

from ...extending import register_jitable
from ...types import NPDatetime, NPTimedelta
from ...types.typeof import as_dtype
from .._predicates import is_array

_NO_TIME = numpy.iinfo(numpy.int64).min


def is_times(ty):
    """Whether a type is that of arrays of points or spans of time."""
    return is_array(ty) and isinstance(ty.dtype, (NPDatetime, NPTimedelta))


def is_spans(ty):
    """Whether a type is that of arrays of spans of time."""
    return is_array(ty) and isinstance(ty.dtype, NPTimedelta)


def finder(greatest, refusal, wants_position):
    """What gives the first (last) time of a row, or its place; no time comes before all."""
    @register_jitable
    def index(row):
        counts = row.view(numpy.int64)
        if not counts.size:
            raise ValueError(refusal)
        found = 0
        for at in range(counts.size):
            if counts[at] == _NO_TIME:
                return at
            if counts[at] > counts[found] if greatest else counts[at] < counts[found]:
                found = at
        return found
    return index if wants_position else register_jitable(lambda row: row[index(row)])


def nothing(item):
    """The span of this type that takes no time."""
    return as_dtype(item).type(0, item.unit) if item.unit else numpy.timedelta64(0)


def make_sum(item):
    """What adds up the spans of a row."""
    zero = nothing(item)

    @register_jitable
    def add_all(row):
        total = zero
        for at in range(row.size):
            total += row[at]
        return total
    return add_all


def averager(item):
    """What gives the mean of a row of spans: NaT of none."""
    add_all = make_sum(item)
    return register_jitable(lambda row: add_all(row) / row.size)


def make_cumulative(item):
    """What writes the sums of the spans of a row up to each of them."""
    zero = nothing(item)

    @register_jitable
    def run(items, result):
        total = zero
        for at in range(items.size):
            total += items[at]
            result[at] = total
    return run


def middle(item):
    """What gives the span in the middle of a row, or the mean of the two there."""
    zero = nothing(item)

    @register_jitable
    def median(row):
        counts, half = row.view(numpy.int64), row.size // 2
        order = numpy.argsort(counts)
        if not row.size:
            return zero / 0
        first = row[order[0]]
        if counts[order[0]] == _NO_TIME:
            return first
        if row.size % 2:
            return row[order[half]]
        return (row[order[half - 1]] + row[order[half]]) / 2
    return median


@register_jitable
def is_any(row):
    return numpy.any(row.view(numpy.int64))


@register_jitable
def are_all(row):
    return numpy.all(row.view(numpy.int64))
