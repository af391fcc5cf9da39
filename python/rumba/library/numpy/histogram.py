"""Histograms: `bincount`, `histogram`."""
import numpy

from ...errors import TypingError
from ...extending import register_jitable
from ...intrinsics import raise_if
from ...types import BaseTuple, Boolean, Float, Integer, Number, unliteral
from .. import library
from ._axis import literal
from .._predicates import is_absent, is_array
from .unique_searchsorted import find_right


def _is_real_array(ty):
    return is_array(ty) and isinstance(ty.dtype, (Integer, Float, Boolean))


@library(numpy.bincount, array_like="x weights")
def bincount(x, weights=None, minlength=0):
    if is_array(x) and x.ndim != 1:
        raise TypingError("object too deep for desired array")
    if not (is_array(x) and isinstance(x.dtype, (Integer, Boolean))):
        return None
    if not (isinstance(minlength, int) or isinstance(unliteral(minlength), Integer)):
        raise TypingError("minlength must be an integer")
    if is_absent(weights):
        def add_one(counts, x, weights):
            for index in x:
                counts[numpy.int64(index)] += 1
        add, item = register_jitable(add_one), numpy.int64
    elif is_array(weights) and weights.ndim == 1 and isinstance(weights.dtype, (Integer, Float, Boolean)):
        def add_weights(counts, x, weights):
            if weights.size != x.size:
                raise ValueError("The weights and list don't have the same length.")
            for at in range(x.size):
                counts[numpy.int64(x[at])] += weights[at]
        add, item = register_jitable(add_weights), numpy.float64
    else:
        return None

    def count(x, weights=None, minlength=0):
        if minlength < 0:
            raise ValueError("'minlength' must not be negative")
        least, most = 0, -1
        for index in x:
            least, most = min(least, numpy.int64(index)), max(most, numpy.int64(index))
        if least < 0:
            raise ValueError("'list' argument must have no negative elements")
        counts = numpy.zeros(max(most + 1, minlength), item)
        add(counts, x, weights)
        return counts
    return count


# Counts between edges.

def _is_edges(ty):
    return is_array(ty) and ty.ndim == 1 and isinstance(ty.dtype, Number)


def _is_bounds(ty):
    return is_absent(ty) or isinstance(ty, BaseTuple) and len(ty) == 2 and all(
        isinstance(unliteral(one), (Integer, Float)) for one in ty)


def _bounder(bounds):
    @register_jitable
    def from_items(a, bounds):
        low, high = 0.0, 1.0
        if a.size:
            low, high = float(a.min()), float(a.max())
            if not (numpy.isfinite(low) and numpy.isfinite(high)):
                raise ValueError(f"autodetected range of [{low}, {high}] is not finite")
        if low == high:
            low, high = low - 0.5, high + 0.5
        return low, high

    @register_jitable
    def given(a, bounds):
        low, high = float(bounds[0]), float(bounds[1])
        raise_if(low > high, "ValueError", "max must be larger than min in range parameter.")
        if not (numpy.isfinite(low) and numpy.isfinite(high)):
            raise ValueError(f"supplied range of [{low}, {high}] is not finite")
        if low == high:
            low, high = low - 0.5, high + 0.5
        return low, high
    return from_items if is_absent(bounds) else given


def _edger(bins, bounds):
    """What gives the edges of the intervals."""
    if _is_edges(bins):
        return register_jitable(lambda a, bins, bounds: bins)
    bounds_of = _bounder(bounds)

    @register_jitable
    def even(a, bins, bounds):
        raise_if(bins < 1, "ValueError", "`bins` must be positive, when an integer")
        low, high = bounds_of(a, bounds)
        edges = numpy.linspace(low, high, bins + 1)
        for at in range(bins):
            if edges[at] >= edges[at + 1]:
                raise ValueError(f"Too many bins for data range. Cannot create {bins} finite-sized bins.")
        return edges
    return even


@register_jitable
def _in_edges(edges, value, scale):
    """The number of the interval in which a value lies, -1 for none."""
    if edges[0] <= value <= edges[-1]:
        return min(find_right(edges, value), edges.size - 1) - 1
    return -1


@register_jitable
def _no_scale(edges):
    return 0.0


@register_jitable
def _scale_of_even(edges):
    """The number of intervals to a unit, if their width is not too small for that."""
    scale = (edges.size - 1) / (edges[-1] - edges[0])
    return scale if scale < numpy.inf else 0.0


@register_jitable
def _in_even(edges, value, scale):
    """The same where all intervals have one width. What is computed may be one off: the edges say which it is."""
    low, high, last = edges[0], edges[-1], edges.size - 2
    if not low <= value <= high:
        return -1
    index = (value - low) * scale if scale else (value - low) / (high - low) * (last + 1)
    at = min(numpy.int64(index), last)
    if value < edges[at]:
        at -= 1
    elif value >= edges[at + 1] and at != last:
        at += 1
    return at


def _counter(is_given, weights):
    position_of, scale_of = (_in_edges, _no_scale) if is_given else (_in_even, _scale_of_even)
    item = numpy.int64 if is_absent(weights) else numpy.float64

    @register_jitable
    def count(a, edges, weights):
        counts, scale = numpy.zeros(edges.size - 1, item), scale_of(edges)
        for value in a.flat:
            at = position_of(edges, value, scale)
            if at >= 0:
                counts[at] += 1
        return counts

    @register_jitable
    def weigh(a, edges, weights):
        raise_if(a.shape != weights.shape, "ValueError", "weights should have the same shape as a.")
        counts, number = numpy.zeros(edges.size - 1, item), weights.ravel()
        at_item, scale = 0, scale_of(edges)
        for value in a.flat:
            at = position_of(edges, value, scale)
            if at >= 0:
                counts[at] += number[at_item]
            at_item += 1
        return counts
    return count if is_absent(weights) else weigh


@register_jitable
def _check_edges(edges):
    for at in range(1, edges.size):
        raise_if(edges[at - 1] > edges[at], "ValueError", "`bins` must increase monotonically, when an array")


@library(numpy.histogram, array_like="a bins weights", scalars="a")
def histogram(a, bins=10, range=None, density=False, weights=None):
    if not _is_real_array(a) or not _is_bounds(range) or not (is_absent(weights) or _is_real_array(weights)):
        return None
    if not _is_edges(bins) and not isinstance(unliteral(bins), (int, Integer)):
        return None
    if not is_absent(weights) and weights.ndim != a.ndim or literal(density) not in (None, True, False):
        return None
    given = _is_edges(bins)
    edges_of, count = _edger(bins, range), _counter(given, weights)

    def counted(a, bins=10, range=None, density=False, weights=None):
        edges = edges_of(a, bins, range)
        if given:
            _check_edges(edges)
        return count(a, edges, weights), edges

    def dense(a, bins=10, range=None, density=False, weights=None):
        edges = edges_of(a, bins, range)
        if given:
            _check_edges(edges)
        counts = count(a, edges, weights)
        return counts / numpy.diff(edges) / counts.sum(), edges
    return dense if literal(density) else counted


@library(numpy.histogram_bin_edges, array_like="a bins", scalars="a")
def histogram_bin_edges(a, bins=10, range=None):
    if _is_real_array(a) and _is_bounds(range) and (_is_edges(bins) or isinstance(unliteral(bins), (int, Integer))):
        edges_of = _edger(bins, range)
        return lambda a, bins=10, range=None: edges_of(a, bins, range)
