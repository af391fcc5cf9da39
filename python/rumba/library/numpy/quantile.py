"""Order statistics: `median`, `percentile`, `quantile`; `average`; binning: `digitize`."""
import numpy

from ...errors import TypingError
from ...extending import register_jitable
from ...intrinsics import array_view, raise_if
from ...types import Boolean, Complex, Float, Integer, Number, unliteral
from ...types.typeof import as_dtype
from . import _kernels, datetime_reductions
from .. import library
from ._axis import axis_kind, keepdims_of, lines_along, literal, map_lines, remaining_ndim, with_keepdims
from .._predicates import is_absent, is_array
from .._array_like import is_number, register
from .partition import select_items
from .unique_searchsorted import find_left, find_right


def _is_real(ty):
    return isinstance(ty.dtype if is_array(ty) else unliteral(ty), (Integer, Float, Boolean))


def _real_array(ty, ndim=None):
    return is_array(ty) and _is_real(ty) and (ndim is None or ty.ndim == ndim)


# Rows in order, with NaN last, as far as that is asked for.

# Rows that are put in order as a whole: few items, or few between those that are asked for.
_FEW = 64


@register_jitable
def _ordered(row, low, high):
    """A copy in which the items from `low` to `high` stand where they stand in order."""
    if row.size <= _FEW or _has_nan(row):
        return numpy.sort(row)
    return _selected(row, low, high)


@register_jitable
def _ordered_numbers(row, low, high):
    """The same of an array without NaN."""
    return numpy.sort(row) if row.size <= _FEW else _selected(row, low, high)


@register_jitable
def _ordered_complex(row, low, high):
    """The same of complex numbers: the real part says where one stands, and the imaginary part among those that share it."""
    if row.size <= _FEW or _has_nan(row):
        return numpy.sort(row)
    placed, parts = row.copy(), row.real
    ordered = _selected(parts, low, high)
    for at in range(low, high + 1):
        same = numpy.sort(row[parts == ordered[at]])
        placed[at] = same[at - numpy.count_nonzero(parts < ordered[at])]
    return placed


@register_jitable
def _selected(row, low, high):
    made = numpy.empty(row.size, row.dtype)
    select_items(row, made, 0, low)
    if high > low:
        select_items(made.copy(), made, low, high)
        made[low:high + 1].sort()
    return made


@register_jitable
def _has_nan(row):
    found = False
    for one in row:
        found |= one != one
    return found


@register_jitable
def _numbers(row):
    """The items without NaN, the array itself if it has none."""
    return row[row == row] if _has_nan(row) else row[:]


def _orders(skips):
    """What gives the items of a row that count, and what puts these in order as far as that is asked for."""
    return (_numbers, _ordered_numbers) if skips else (register_jitable(lambda row: row), _ordered)


def _median(skips):
    numbers, ordered = _orders(skips)

    def find(a, axis, out, overwrite_input, keepdims):
        if not is_absent(out):
            plain = find(a, axis, None, overwrite_input, keepdims)
            return plain and _into(plain, out)
        if datetime_reductions.is_spans(a) and not skips and axis_kind(a, axis) and is_absent(out):
            span = as_dtype(a.dtype)
            return _alone(with_keepdims(a, axis, keepdims, map_lines(a, axis, datetime_reductions.middle(a.dtype), span), span))
        is_complex = is_array(a) and isinstance(a.dtype, Complex) and not skips
        if not (is_complex or _real_array(a)) or not axis_kind(a, axis):
            return None
        item = _kernels.inexact_class(a.dtype)
        two, nothing = item(2), item(complex(numpy.nan, numpy.nan) if is_complex else numpy.nan)

        order = _ordered_complex if is_complex else ordered

        @register_jitable
        def middle(row):
            line = numbers(row)
            at = line.size // 2
            row = order(line, max(at - 1, 0), at)
            if row.size == 0:
                return nothing
            if row[-1] != row[-1]:
                return item(row[-1])
            if row.size % 2:
                return item(row[at])
            return item((item(row[at - 1]) + item(row[at])) / two)
        return _alone(with_keepdims(a, axis, keepdims, map_lines(a, axis, middle, item, True), item))
    return find


def _alone(reduce):
    """A reduction as what is called with no array for the result."""
    return reduce and register_jitable(lambda a, axis, out: reduce(a, axis))


def _into(reduce, out):
    """The same with an array for the result."""
    if not is_array(out) or not out.mutable:
        return None
    reduced = register_jitable(reduce)

    @register_jitable
    def put(a, axis, out):
        out[...] = reduced(a, axis, None)
        return out
    return put


_MEDIAN = "axis=None, out=None, overwrite_input=False, keepdims=False"
register([numpy.median], _MEDIAN, "a, axis, out", _median(False))
register([numpy.nanmedian], _MEDIAN, "a, axis, out", _median(True))


# Parts of the way through a row in order: of two neighbors the one between them, or one of them.

@register_jitable
def _between(row, part):
    if row.size == 0 or row[-1] != row[-1]:
        return numpy.nan
    index = part * (row.size - 1)
    at = int(numpy.floor(index))
    below = float(row[at])
    above = float(row[min(at + 1, row.size - 1)])
    rest, step = index - at, above - below
    if rest >= 0.5:
        return above - step * (1 - rest)
    return below + step * rest


@register_jitable
def _midway(row, part):
    if row.size == 0 or row[-1] != row[-1]:
        return numpy.nan
    index = part * (row.size - 1)
    at = int(numpy.floor(index))
    if index == at:
        return float(row[at])
    return float(row[at + 1]) - (float(row[at + 1]) - float(row[at])) * 0.5


def _neighbor(chosen):
    @register_jitable
    def neighbor(row, part):
        raise_if(row.size == 0, "IndexError", "index -1 is out of bounds for axis 0 with size 0")
        if row[-1] != row[-1]:
            return row[-1]
        return row[int(chosen(part * (row.size - 1)))]
    return neighbor


def _by_plotting_position(alpha, beta):
    """A continuous estimate (Hyndman and Fan, Sample Quantiles in Statistical Packages, 1996)."""
    @register_jitable
    def between(row, part):
        if row.size == 0 or row[-1] != row[-1]:
            return numpy.nan
        index = row.size * part + (alpha + part * (1 - alpha - beta)) - 1
        at = int(numpy.floor(index))
        if index < 0 or index >= row.size - 1:
            return float(row[0 if index < 0 else row.size - 1])
        below, above = float(row[at]), float(row[at + 1])
        rest, step = index - at, above - below
        if rest >= 0.5:
            return above - step * (1 - rest)
        return below + step * rest
    return between


@register_jitable
def _by_counts(row, part):
    """The first item that so many are not above."""
    raise_if(row.size == 0, "IndexError", "index -1 is out of bounds for axis 0 with size 0")
    if row[-1] != row[-1]:
        return row[-1]
    index = row.size * part - 1
    return row[max(int(numpy.ceil(index)), 0)]


@register_jitable
def _by_mean_of_counts(row, part):
    """The same, half-way to the next one where the count is met exactly."""
    if row.size == 0 or row[-1] != row[-1]:
        return numpy.nan
    index = row.size * part - 1
    at = int(numpy.floor(index))
    if index < 0 or index >= row.size - 1:
        return float(row[0 if index < 0 else row.size - 1])
    below, above = float(row[at]), float(row[at + 1])
    return above - (above - below) * 0.5 if index == at else above


_METHODS = {"linear": _between, "midpoint": _midway, "lower": _neighbor(numpy.floor), "higher": _neighbor(numpy.ceil),
            "nearest": _neighbor(numpy.rint), "inverted_cdf": _by_counts, "averaged_inverted_cdf": _by_mean_of_counts,
            "interpolated_inverted_cdf": _by_plotting_position(0, 1), "weibull": _by_plotting_position(0, 0),
            "hazen": _by_plotting_position(0.5, 0.5), "median_unbiased": _by_plotting_position(1 / 3, 1 / 3),
            "normal_unbiased": _by_plotting_position(3 / 8, 3 / 8)}
# Those that give an item, not a number between two.
_OF_ITEMS = "lower", "higher", "nearest", "inverted_cdf"


# With more parts, rows are put in order as a whole.
_MANY = 6


def _around(ordered):
    """What puts a row in order where the items are that a method needs for a part of the way through it."""
    @register_jitable
    def around(row, part):
        # No method is further away from there.
        at = int(part * (row.size - 1))
        return ordered(row, max(at - 3, 0), min(at + 4, row.size - 1))
    return around


def _parts(most, text, skips):
    numbers, ordered = _orders(skips)
    around = _around(ordered)

    @register_jitable
    def part_of(value):
        part = value / most
        raise_if(not 0 <= part <= 1, "ValueError", text)
        return part

    def find(a, q, axis, out, overwrite_input, method, keepdims):
        if any(is_array(one) and isinstance(one.dtype, Complex) for one in (a, q)):
            raise TypingError("Not supported for complex dtype")
        if not _real_array(a) or not _is_real(q) or not axis_kind(a, axis) or not is_absent(out):
            return None
        if is_array(q) and not q.ndim:
            number = find(a, q.dtype, axis, out, overwrite_input, method, keepdims)
            return number and register_jitable(lambda a, axis, q: number(a, axis, q[()]))
        if is_array(q) and q.ndim > 1 and remaining_ndim(a, axis):
            raise TypingError("q has more than one dimension, which is not done along an axis: pass q.ravel()")
        at_part = _METHODS.get(literal(method))
        if at_part is None:
            raise TypingError(f"method {literal(method)!r} is not known here: there are {', '.join(_METHODS)}")
        made = numpy.float64 if literal(method) not in _OF_ITEMS else _kernels.class_of(a.dtype)
        if not is_array(q):
            return _one_part(a, axis, keepdims, made, numbers, around, at_part, part_of)
        return _many_parts(a, q, axis, keepdims, made, numbers, around, at_part, part_of)
    return find


def _one_part(a, axis, keepdims, made, numbers, around, at_part, part_of):
    lines_of, dtype = lines_along(a, axis, True), numpy.dtype(made)

    @register_jitable
    def only(a, axis, q):
        part = part_of(q)
        return at_part(around(numbers(lines_of(a, axis)), part), part)

    @register_jitable
    def each(a, axis, q):
        lines, part = lines_of(a, axis), part_of(q)
        result = numpy.empty(lines.shape[:-1], dtype)
        for index in numpy.ndindex(result.shape):
            result[index] = at_part(around(numbers(lines[index]), part), part)
        return result
    found = each if remaining_ndim(a, axis) else only
    if not isinstance(literal(keepdims), bool):
        return None
    if not literal(keepdims) or not a.ndim:
        return found
    keep = keepdims_of(a, axis, made)
    return register_jitable(lambda a, axis, q: keep(found(a, axis, q), a, axis))


def _many_parts(a, q, axis, keepdims, made, numbers, around, at_part, part_of):
    if literal(keepdims) is not False:
        raise TypingError("keepdims needs q to be a number")
    lines_of, dtype = lines_along(a, axis, True), numpy.dtype(made)

    @register_jitable
    def only(a, axis, q):
        line = numbers(lines_of(a, axis))
        row = numpy.sort(line) if q.size > _MANY else line
        result = numpy.empty(q.shape, dtype)
        flat = array_view(result, result.dtype, 0, (result.size,), (8,), "C")
        at = 0
        for value in q.flat:
            part = part_of(value)
            flat[at] = at_part(row if q.size > _MANY else around(line, part), part)
            at += 1
        return result

    @register_jitable
    def each(a, axis, q):
        lines = lines_of(a, axis)
        result = numpy.empty((q.size,) + lines.shape[:-1], dtype)
        for index in numpy.ndindex(lines.shape[:-1]):
            line = numbers(lines[index])
            row = numpy.sort(line) if q.size > _MANY else line
            for at in range(q.size):
                part = part_of(q[at])
                result[(at,) + index] = at_part(row if q.size > _MANY else around(line, part), part)
        return result
    return each if remaining_ndim(a, axis) else only


def _register_parts(function, most, text, skips):
    find = _parts(most, text, skips)
    register([function], "q, axis=None, out=None, overwrite_input=False, method='linear', keepdims=False", "a, axis, q", find,
             array_like="a q")


_PERCENTS, _SHARES = "Percentiles must be in the range [0, 100]", "Quantiles must be in the range [0, 1]"
_register_parts(numpy.percentile, 100.0, _PERCENTS, False)
_register_parts(numpy.nanpercentile, 100.0, _PERCENTS, True)
_register_parts(numpy.quantile, 1.0, _SHARES, False)
_register_parts(numpy.nanquantile, 1.0, _SHARES, True)


# Means with weights.

@library(numpy.average, array_like="a weights", scalars="a", strict=False)
def average(a, axis=None, weights=None, returned=False):
    """With the sum of the weights, where that is asked for."""
    found = _average(a, axis, weights)
    if found is None or not isinstance(literal(returned), bool):
        return None
    mean = register_jitable(found)
    if not literal(returned):
        return lambda a, axis=None, weights=None, returned=False: mean(a, axis, weights)
    made = numpy.result_type(as_dtype(a.dtype), numpy.float64 if isinstance(a.dtype, (Integer, Boolean)) else as_dtype(a.dtype))
    spread = _filled if not is_absent(axis) and a.ndim > 1 else _itself
    shaped = register_jitable(spread)
    if is_absent(weights):
        count = register_jitable((lambda a, axis: a.size) if is_absent(axis) else (lambda a, axis: a.shape[axis]))

        def with_count(a, axis=None, weights=None, returned=False):
            result = mean(a, axis, weights)
            return result, shaped(result, made.type(count(a, axis)))
        return with_count
    total = register_jitable(_sums_along if not is_absent(axis) and weights.ndim == a.ndim else _sum_of_all)
    made = numpy.result_type(made, as_dtype(weights.dtype))
    is_each = not is_absent(axis) and weights.ndim == a.ndim > 1
    shaped = register_jitable(_itself if is_each else spread)

    def with_weights(a, axis=None, weights=None, returned=False):
        result = mean(a, axis, weights)
        return result, shaped(result, total(weights, axis, made))
    return with_weights


def _itself(mean, value):
    return value


def _filled(mean, value):
    return numpy.full(mean.shape, value)


def _sum_of_all(weights, axis, made):
    return numpy.sum(weights, dtype=made)


def _sums_along(weights, axis, made):
    return numpy.sum(weights, axis, dtype=made)


def _average(a, axis, weights):
    if not is_array(a) or not isinstance(a.dtype, (Number, Boolean)) or axis_kind(a, axis) not in ("all", "one"):
        return None
    if is_absent(weights):
        return lambda a, axis=None, weights=None: numpy.mean(a, axis)
    if not is_array(weights) or not isinstance(weights.dtype, (Number, Boolean)):
        return None
    made = numpy.result_type(as_dtype(a.dtype), as_dtype(weights.dtype))
    if issubclass(as_dtype(a.dtype).type, (numpy.integer, numpy.bool_)):
        made = numpy.promote_types(made, numpy.float64)
    weighted = _weigher(a, weights, made)
    if is_absent(axis):
        return _average_all(a, weights, made, weighted)
    return _average_along(a, weights, made, weighted)


def _weigher(a, weights, made):
    """What multiplies items by weights in the type of the average, which has room for products of large integers."""
    if made in (as_dtype(a.dtype), as_dtype(weights.dtype)):
        return register_jitable(lambda a, weights: numpy.multiply(a, weights))
    return register_jitable(lambda a, weights: numpy.multiply(a.astype(made), weights))


_NO_WEIGHT = "Weights sum to zero, can't be normalized"


def _average_all(a, weights, made, weighted):
    if a.ndim != weights.ndim:
        raise TypingError("Axis must be specified when shapes of a and weights differ.")

    def whole(a, axis=None, weights=None):
        raise_if(a.shape != weights.shape, "TypeError", "Axis must be specified when shapes of a and weights differ.")
        total = numpy.sum(weights, dtype=made)
        raise_if(total == 0, "ZeroDivisionError", _NO_WEIGHT)
        return numpy.sum(weighted(a, weights), dtype=made) / total
    return whole


def _average_along(a, weights, made, weighted):
    def along(a, axis=None, weights=None):
        raise_if(a.shape != weights.shape, "ValueError", "Shape of weights must be consistent with shape of a along specified axis.")
        total = numpy.sum(weights, axis, dtype=made)
        raise_if(numpy.any(total == 0), "ZeroDivisionError", _NO_WEIGHT)
        return numpy.sum(weighted(a, weights), axis, dtype=made) / total

    def by_row(a, axis=None, weights=None):
        raise_if(a.shape[axis] != weights.size, "ValueError",
                 "Shape of weights must be consistent with shape of a along specified axis.")
        total = numpy.sum(weights, dtype=made)
        raise_if(total == 0, "ZeroDivisionError", _NO_WEIGHT)
        turned = weighted(numpy.moveaxis(a, axis, -1), weights)
        return numpy.sum(numpy.moveaxis(turned, -1, axis), axis, dtype=made) / total
    if a.ndim == weights.ndim:
        return along
    return by_row if weights.ndim == 1 else None


# Intervals.

@library(numpy.digitize, array_like="x bins")
def digitize(x, bins, right=False):
    if is_number(x) and _real_array(bins, 1):
        return lambda x, bins, right=False: numpy.digitize(numpy.array((x,)), bins, right)[0]
    if not _real_array(x) or not _real_array(bins, 1):
        return None

    def each(x, bins, right=False):
        made = numpy.empty(x.shape, numpy.int64)
        flat = array_view(made, made.dtype, 0, (made.size,), (8,), "C")
        falls = _falls(bins)
        at = 0
        for value in x.flat:
            if falls:
                down = bins[::-1]
                flat[at] = bins.size - (find_left(down, value) if right else find_right(down, value))
            else:
                flat[at] = find_left(bins, value) if right else find_right(bins, value)
            at += 1
        return made
    return each


@register_jitable
def _falls(bins):
    """Whether the bins fall, which the first two that differ tell: they rise only if one is less than the next, which no
    NaN is. From there on none may go the other way."""
    at = 1
    while at < bins.size and bins[at - 1] == bins[at]:
        at += 1
    if at >= bins.size:
        return False
    falls = not bins[at - 1] < bins[at]
    for index in range(at + 1, bins.size):
        wrong = bins[index - 1] < bins[index] if falls else bins[index - 1] > bins[index]
        raise_if(wrong, "ValueError", "bins must be monotonically increasing or decreasing")
    return falls
