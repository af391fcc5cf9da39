"""Histograms in several dimensions: `histogram2d`, `histogramdd`."""
import numpy

from ...errors import TypingError
from ...extending import register_jitable
from ...intrinsics import raise_if
from ...types import BaseTuple, Boolean, Float, Integer, unliteral
from .. import library
from .._predicates import each_of, integers_in_list, is_absent, is_array, is_list, length
from ._axis import literal
from .histogram import _bounder, _is_edges
from .unique_searchsorted import find_right


def _is_column(ty):
    return is_array(ty) and ty.ndim == 1 and isinstance(ty.dtype, (Integer, Float, Boolean))


def _is_count(ty):
    return isinstance(ty, int) or isinstance(unliteral(ty), Integer)


# The edges along one dimension.

def _edger(dimension, bins, bounds):
    """What gives the edges along a dimension for its column, the bins there and the bounds there."""
    not_positive = f"`bins[{dimension}]` must be positive, when an integer"
    not_rising = f"`bins[{dimension}]` must be monotonically increasing, when an array"
    if _is_count(bins):
        bounds_of = _bounder(bounds)

        @register_jitable
        def even(column, bins, bounds):
            raise_if(bins < 1, "ValueError", not_positive)
            low, high = bounds_of(column, bounds)
            return numpy.linspace(low, high, bins + 1)
        return even
    if not _is_edges(bins) and not is_list(bins):
        raise TypingError(f"`bins[{dimension}]` must be a scalar or 1d array")

    @register_jitable
    def given(column, bins, bounds):
        edges = numpy.asarray(bins)
        for at in range(1, edges.size):
            raise_if(edges[at - 1] > edges[at], "ValueError", not_rising)
        return edges
    return given


def _among(ty, dimension):
    """The type at an index of what has one item for each dimension, or is one for all."""
    if isinstance(ty, BaseTuple):
        return ty[dimension]
    return ty if length(ty) is None else ty.dtype


def _picker(ty, dimension):
    """What gives that item."""
    if length(ty) is not None:
        return register_jitable(lambda given: given[dimension])
    return register_jitable(lambda given: given)


def _bounds_at(ty, dimension):
    """The type of the bounds of a dimension; None if there are none."""
    if is_absent(ty):
        return None
    if isinstance(ty, BaseTuple):
        return None if is_absent(ty[dimension]) else ty[dimension]
    return ty.dtype if is_list(ty) else ty


def _edges_of(count, bins, bounds):
    """What gives the tuple of edges for a tuple of columns."""
    def along(dimension):
        pick = _picker(bins, dimension)
        edges = _edger(dimension, _among(bins, dimension), _bounds_at(bounds, dimension))
        if is_absent(bounds) or isinstance(bounds, BaseTuple) and is_absent(bounds[dimension]):
            @register_jitable
            def free(columns, bins, bounds):
                return (edges(columns[dimension], pick(bins), None),)
            return free

        @register_jitable
        def bound(columns, bins, bounds):
            return (edges(columns[dimension], pick(bins), bounds[dimension]),)
        return bound
    found = along(count - 1)
    for dimension in range(count - 2, -1, -1):
        found = _both(along(dimension), found)
    return found


def _both(first, rest):
    @register_jitable
    def both(columns, bins, bounds):
        return first(columns, bins, bounds) + rest(columns, bins, bounds)
    return both


# Counting.

@register_jitable
def _advance(edges, column, indices):
    """Goes on in the indices of samples by the interval along one more dimension; -1 is outside."""
    last, count = edges[edges.size - 1], edges.size - 1
    for at in range(indices.size):
        if indices[at] >= 0:
            value = column[at]
            interval = find_right(edges, value) - 1
            if value == last:
                interval -= 1
            indices[at] = indices[at] * count + interval if 0 <= interval < count else -1


def _advancer(count):
    """What does so along all dimensions."""
    if count == 1:
        return register_jitable(lambda edges, columns, indices: _advance(edges[0], columns[0], indices))
    rest = _advancer(count - 1)

    @register_jitable
    def advance(edges, columns, indices):
        _advance(edges[0], columns[0], indices)
        rest(edges[1:], columns[1:], indices)
    return advance


def _divider(count, dimension=0):
    """What divides counts by the widths of their intervals."""
    ones_before, ones_after = (1,) * dimension, (1,) * (count - dimension - 1)
    rest = _divider(count, dimension + 1) if dimension + 1 < count else register_jitable(lambda counts, edges: counts)

    @register_jitable
    def divide(counts, edges):
        widths = numpy.diff(edges[dimension])
        return rest(counts / widths.reshape(ones_before + (widths.size,) + ones_after), edges)
    return divide


def _counter(count, bins, bounds, weights, density):
    """What gives the counts and the tuple of edges for a tuple of columns."""
    edges_of, advance, divide = _edges_of(count, bins, bounds), _advancer(count), _divider(count)
    sizes = each_of([_intervals] * count)
    if is_absent(weights):
        weight = register_jitable(lambda weights, at: 1.0)
        check = register_jitable(lambda weights, size: None)
    else:
        weight = register_jitable(lambda weights, at: float(weights[at]))

        @register_jitable
        def check(weights, size):
            raise_if(weights.size != size, "ValueError", "The weights and list don't have the same length.")
    is_dense = literal(density)

    @register_jitable
    def counted(columns, bins, bounds, weights):
        edges = edges_of(columns, bins, bounds)
        indices = numpy.zeros(columns[0].size, numpy.int64)
        advance(edges, columns, indices)
        check(weights, indices.size)
        shape = sizes(edges)
        counts = numpy.zeros(shape)
        row = counts.reshape(-1)
        for at in range(indices.size):
            if indices[at] >= 0:
                row[indices[at]] += weight(weights, at)
        return counts, edges

    @register_jitable
    def dense(columns, bins, bounds, weights):
        counts, edges = counted(columns, bins, bounds, weights)
        return divide(counts, edges) / counts.sum(), edges
    return dense if is_dense else counted


def _intervals(edges):
    return edges.size - 1


def _check(bins, bounds, density, weights, count):
    """Whether the arguments are such as are known here."""
    given = length(bins)
    if given is not None and given != count:
        raise TypingError("The dimension of bins must be equal to the dimension of the sample x.")
    if isinstance(bounds, BaseTuple) and len(bounds) != count:
        raise TypingError("range argument must have one entry per dimension")
    if not (is_absent(bounds) or isinstance(bounds, BaseTuple) or is_list(bounds) or is_array(bounds) and bounds.ndim == 2):
        return False
    return literal(density) in (None, True, False) and (is_absent(weights) or _is_column(weights))


@library(numpy.histogram2d, array_like="x y weights")
def histogram2d(x, y, bins=10, range=None, density=None, weights=None):
    if not _is_column(x) or not _is_column(y) or not _check(bins, range, density, weights, 2):
        return None
    if length(bins) is None and not _is_count(bins):
        items = bins.dtype if is_array(bins) or is_list(bins) else None
        if not isinstance(items, Float):
            raise TypingError("`bins` is a number of intervals, a tuple of two, or edges that are floats")
    count = _counter(2, bins, range, weights, density)

    def counts(x, y, bins=10, range=None, density=None, weights=None):
        raise_if(x.size != y.size, "ValueError", "x and y must have the same length.")
        made, edges = count((x, y), bins, range, weights)
        return made, edges[0], edges[1]
    return counts


@library(numpy.histogramdd, array_like="weights")
def histogramdd(sample, bins=10, range=None, density=None, weights=None):
    dimensions = length(sample)
    if dimensions is None:
        dimensions = length(bins) or integers_in_list(bins) or (len(range) if isinstance(range, BaseTuple) else None)
        if not (is_array(sample) and sample.ndim == 2 and isinstance(sample.dtype, (Integer, Float, Boolean))):
            return None
        if dimensions is None:
            raise TypingError("the number of dimensions must be known when the function compiles: pass a tuple for `bins`, or a "
                              "tuple of columns")
        columns_of = _column_maker(dimensions)
    elif all(_is_column(_among(sample, at)) for at in numpy.arange(dimensions)):
        columns_of = register_jitable(lambda sample: sample)
    else:
        return None
    if not _check(bins, range, density, weights, dimensions) or length(bins) is None and not _is_count(bins):
        return None
    count = _counter(dimensions, bins, range, weights, density)

    def counts(sample, bins=10, range=None, density=None, weights=None):
        made, edges = count(columns_of(sample), bins, range, weights)
        return made, list(edges)
    return counts


def _column_maker(count):
    """What gives the tuple of the columns of a matrix that has so many."""
    def column(at):
        return register_jitable(lambda sample: (sample[:, at],))
    found = column(count - 1)
    for at in range(count - 2, -1, -1):
        found = _joined(column(at), found)

    @register_jitable
    def columns(sample):
        raise_if(sample.shape[1] != count, "ValueError", "The dimension of bins must be equal to the dimension of the sample x.")
        return found(sample)
    return columns


def _joined(first, rest):
    return register_jitable(lambda sample: first(sample) + rest(sample))
