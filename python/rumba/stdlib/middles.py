"""What stands at a part of the order of an array's items: `median`, `percentile`, `quantile`; in which interval items
lie: `digitize`."""
import numpy

from ..extending import register_jitable
from ..special import array_view, raise_if
from ..types import Boolean, Float, Integer, float32, unliteral
from . import library
from .kinds import is_array
from .sorting import _left, _right


def _is_real(ty):
    return isinstance(ty.dtype if is_array(ty) else unliteral(ty), (Integer, Float, Boolean))


def _real_array(ty, ndim=None):
    return is_array(ty) and _is_real(ty) and (ndim is None or ty.ndim == ndim)


@library(numpy.median)
def median(a):
    if not _real_array(a):
        return None
    item = numpy.float32 if a.dtype == float32 else numpy.float64
    two = item(2)

    def middle(a):
        row = numpy.sort(a.flatten())
        if row.size == 0 or row[-1] != row[-1]:
            return item(numpy.nan)
        at = row.size // 2
        if row.size % 2:
            return item(row[at])
        return item((item(row[at - 1]) + item(row[at])) / two)
    return middle


@register_jitable
def _between(row, part):
    """The item at a part of the way through a row in order, of two neighbors the one between them."""
    if row.size == 0 or row[-1] != row[-1]:
        return numpy.nan
    place = part * (row.size - 1)
    at = int(numpy.floor(place))
    below = float(row[at])
    above = float(row[min(at + 1, row.size - 1)])
    rest, step = place - at, above - below
    if rest >= 0.5:
        return above - step * (1 - rest)
    return below + step * rest


def _parts(a, q, most, text):
    if not _real_array(a) or not _is_real(q):
        return None
    if not is_array(q):
        @register_jitable
        def one(a, q):
            part = q / most
            raise_if(not 0 <= part <= 1, "ValueError", text)
            return _between(numpy.sort(a.flatten()), part)
        return one

    @register_jitable
    def each(a, q):
        row = numpy.sort(a.flatten())
        made = numpy.empty(q.shape, numpy.float64)
        flat = array_view(made, made.dtype, 0, (made.size,), (8,), "C")
        at = 0
        for value in q.flat:
            part = value / most
            raise_if(not 0 <= part <= 1, "ValueError", text)
            flat[at] = _between(row, part)
            at += 1
        return made
    return each


@library(numpy.percentile)
def percentile(a, q):
    found = _parts(a, q, 100.0, "Percentiles must be in the range [0, 100]")
    if found:
        return lambda a, q: found(a, q)


@library(numpy.quantile)
def quantile(a, q):
    found = _parts(a, q, 1.0, "Quantiles must be in the range [0, 1]")
    if found:
        return lambda a, q: found(a, q)


@library(numpy.digitize)
def digitize(x, bins, right=False):
    if not _real_array(x) or not _real_array(bins, 1):
        return None

    def each(x, bins, right=False):
        made = numpy.empty(x.shape, numpy.int64)
        flat = array_view(made, made.dtype, 0, (made.size,), (8,), "C")
        falls = bins.size > 1 and bins[0] > bins[-1]
        for at in range(1, bins.size):
            wrong = bins[at - 1] < bins[at] if falls else bins[at - 1] > bins[at]
            raise_if(wrong, "ValueError", "bins must be monotonically increasing or decreasing")
        at = 0
        for value in x.flat:
            if falls:
                down = bins[::-1]
                flat[at] = bins.size - (_left(down, value) if right else _right(down, value))
            else:
                flat[at] = _left(bins, value) if right else _right(bins, value)
            at += 1
        return made
    return each
