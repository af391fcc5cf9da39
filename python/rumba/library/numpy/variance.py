"""`var`, `std`, `ptp`, cumulative sums and products, and the NaN-ignoring reductions."""
import numpy

from ...errors import TypingError
from ...extending import register_jitable
from ...intrinsics import raise_if
from ...types import Boolean, Complex, Float, Integer, from_dtype, unliteral
from ...types.typeof import as_dtype
from . import _axis, _kernels, datetime_reductions
from ._axis import axis_kind, lines_along, map_lines, with_keepdims, with_out
from .._predicates import is_absent, is_array, is_numeric_array
from .._array_like import register
from ..in_parallel import is_asked
from .reduction_where import variance_partly
from .reductions import make_axis_sum, made_of, mean_of, reducer, total_class


@register_jitable
def _is_number(item):
    return item == item


@register_jitable
def _is_kept(item):
    return True


def _kept(item):
    return _is_number if isinstance(item, (Float, Complex)) else _is_kept


def _without(item, value):
    """What copies an array to a row with a value in the place of NaN; what counts the other items."""
    kept = _kept(item)

    @register_jitable
    def clean(a):
        row = a.flatten()
        for at in range(row.size):
            if not kept(row[at]):
                row[at] = value
        return row

    @register_jitable
    def count(a):
        total = 0
        for item in a.flat:
            total += kept(item)
        return total
    return clean, count


def _filled(item, value):
    """What copies an array with a value in the place of NaN."""
    kept = _kept(item)

    @register_jitable
    def fill(a):
        made = a.copy()
        row = made.ravel()
        for at in range(row.size):
            if not kept(row[at]):
                row[at] = value
        return made
    return fill


# Variances.

def _variance(array, skips):
    """The mean of the squared distances from the mean; with `skips`, of those that are not NaN."""
    item, made = array.dtype, _kernels.inexact_class(array.dtype)
    part = _part_of(made)
    add, divide = _kernels.make_sum(item, made), _kernels.make_divide(made)
    divide_squares = _kernels.make_divide(part)
    square = _square_complex if isinstance(item, Complex) else _square
    clean, count = _without(item, 0)
    kept = _is_number if skips and isinstance(item, (Float, Complex)) else _is_kept

    @register_jitable
    def square_at(items, at, mean):
        return square(made(items[at]) - mean) if kept(items[at]) else part(0)
    add_squares = _kernels.pairwise_adder(part, False, square_at)

    @register_jitable
    def variance(a, ddof):
        items = a.ravel()
        number = count(items) if skips else items.size
        mean = divide(add(clean(items) if skips else items), number)
        freedom = max(number - ddof, 0)
        if skips and freedom == 0:
            return part(numpy.nan)
        return divide_squares(add_squares(items, mean), freedom)
    return variance


def _part_of(made):
    return {numpy.complex64: numpy.float32, numpy.complex128: numpy.float64}.get(made, made)


def _variance_along(array, axis, skips):
    """The same for the lines along axes, in the order of NumPy's sums."""
    item, made = array.dtype, _kernels.inexact_class(array.dtype)
    part = _part_of(made)
    mean = mean_of(array, axis, True, made) if not skips else None
    add = make_axis_sum(array, axis, False, part)
    add_means, count_left = make_axis_sum(array, axis, True, made), _counter_along(array, axis)
    number, divide = _axis.counter(array, axis), _kernels.make_divide(part)
    square, fill, kept = _square_complex if isinstance(item, Complex) else _square, _filled(item, 0), _kept(item)

    @register_jitable(parallel=is_asked())
    def parts(squares, a, axis, ddof):
        result = add(squares, axis)
        freedom = max(number(a, axis) - ddof, 0)
        items = result.reshape(-1)
        for at in range(items.size):
            items[at] = divide(items[at], freedom)
        return result

    @register_jitable(parallel=is_asked())
    def variance(a, axis, ddof):
        distances = a - mean(a, axis)
        return parts(square(distances), a, axis, ddof)

    @register_jitable
    def skipping(a, axis, ddof):
        counts = count_left(a, axis)
        distances = a - add_means(fill(a), axis) / counts
        squares = square(distances)
        row = squares.reshape(-1)
        at = 0
        for item in a.flat:
            if not kept(item):
                row[at] = 0
            at += 1
        result = add(squares, axis)
        items, number_of = result.reshape(-1), counts.reshape(-1)
        for at in range(items.size):
            freedom = number_of[at] - ddof
            items[at] = divide(items[at], freedom) if freedom > 0 else part(numpy.nan)
        return result
    return skipping if skips else variance


def _counter_along(array, axis):
    """What counts the items along axes that are not NaN, and keeps the dimensions."""
    kept = _kept(array.dtype)

    @register_jitable
    def count(line):
        total = 0
        for at in range(line.size):
            total += kept(line[at])
        return total
    return with_keepdims(array, axis, True, map_lines(array, axis, count, numpy.int64), numpy.int64)


@register_jitable
def _square(item):
    return item * item


@register_jitable
def _square_complex(item):
    return item.real * item.real + item.imag * item.imag


def _spread(names, root, skips):
    def find(array, axis, dtype, out, ddof, keepdims):
        if not is_numeric_array(array) or not (isinstance(ddof, (int, float)) or isinstance(unliteral(ddof), (Integer, Float))):
            return None
        if not axis_kind(array, axis) or not isinstance(_axis.literal(keepdims), bool):
            return None
        if not is_absent(dtype):
            return widened(array, axis, dtype, out, ddof, keepdims)
        part = _part_of(_kernels.inexact_class(array.dtype))
        if not is_absent(out) and not (is_array(out) and _kernels.class_of(out.dtype) is part):
            return None
        if _axis.remaining_ndim(array, axis):
            found = _variance_along(array, axis, skips)
        else:
            whole, lines = _variance(array, skips), lines_along(array, axis)
            found = register_jitable(lambda a, axis, ddof: whole(lines(a, axis), ddof))
        keeps, keep = _axis.literal(keepdims) and array.ndim > 0, _axis.keepdims_of(array, axis, part)

        @register_jitable
        def deviation(a, axis, ddof):
            made = found(a, axis, ddof)
            return keep(numpy.sqrt(made), a, axis) if keeps else numpy.sqrt(made)

        @register_jitable
        def variance(a, axis, ddof):
            made = found(a, axis, ddof)
            return keep(made, a, axis) if keeps else made

        @register_jitable
        def deviation_into(a, axis, ddof, out):
            out[...] = deviation(a, axis, ddof) if root else variance(a, axis, ddof)
            return out
        plain = deviation if root else variance
        return register_jitable(lambda a, axis, ddof, out: plain(a, axis, ddof)) if is_absent(out) else deviation_into

    def widened(array, axis, dtype, out, ddof, keepdims):
        """The same of the items in a type that holds them all; in a narrower one NumPy computes in both."""
        made, own = made_of(array, dtype), _kernels.inexact_class(array.dtype)
        if not made or not issubclass(made, numpy.floating) or numpy.promote_types(own, made) != made:
            return None
        layout = array.layout if array.layout in ("C", "F") else "C"
        inner = find(array.copy(dtype=from_dtype(numpy.dtype(made)), layout=layout), axis, None, out, ddof, keepdims)
        return inner and register_jitable(lambda a, axis, ddof, out: inner(a.astype(made), axis, ddof, out))
    register(names, "axis=None, dtype=None, out=None, ddof=0, keepdims=False, where=True", "a, axis, ddof, out, where",
             variance_partly(find, root), parallel=True)


_spread([numpy.var, "numpy.ndarray.var"], False, False)
_spread([numpy.std, "numpy.ndarray.std"], True, False)
_spread([numpy.nanvar], False, True)
_spread([numpy.nanstd], True, True)


def _ptp(array, axis, out, keepdims):
    if datetime_reductions.is_times(array):
        return _ptp_of_times(array, axis, out, keepdims)
    if not is_numeric_array(array):
        return None
    if isinstance(array.dtype, Boolean):
        raise TypingError("Boolean dtype is unsupported (as per NumPy)")
    made = _kernels.class_of(array.dtype)
    if not axis_kind(array, axis):
        return None
    of_row = register_jitable(lambda row: made(numpy.max(row) - numpy.min(row)))
    return with_out(reducer(array, axis, keepdims, of_row, made, needs_items=True), out, made)


def _ptp_of_times(array, axis, out, keepdims):
    made = numpy.dtype(f"m8[{array.dtype.unit}]" if array.dtype.unit else "m8")
    if not is_absent(out) or not axis_kind(array, axis):
        return None
    of_row = register_jitable(lambda row: numpy.max(row) - numpy.min(row))
    return with_out(reducer(array, axis, keepdims, of_row, made, needs_items=True), out, made)


register([numpy.ptp], "axis=None, out=None, keepdims=False", "a, axis, out", _ptp)


# Running sums and products.

def _running(names, start, skips):
    def find(array, axis, dtype, out):
        of_times = datetime_reductions.is_spans(array) and is_absent(dtype) and not skips and start == 0
        if not of_times and not is_numeric_array(array):
            return None
        made, kind = as_dtype(array.dtype) if of_times else total_class(array, dtype, out), axis_kind(array, axis)
        if not made or kind not in ("all", "one"):
            return None
        clean = _filled(array.dtype, start) if skips else register_jitable(lambda a: a)
        run = datetime_reductions.make_cumulative(array.dtype) if of_times else _make_cumulative(made, start)

        @register_jitable
        def whole(a, axis):
            items = clean(a).ravel()
            result = numpy.empty(items.size, numpy.dtype(made))
            run(items, result)
            return result

        @register_jitable
        def along(a, axis):
            _axis.check_axis(a, axis)
            result = numpy.empty(a.shape, numpy.dtype(made))
            lines, put = numpy.moveaxis(clean(a), axis, -1), numpy.moveaxis(result, axis, -1)
            for index in numpy.ndindex(put.shape[:-1]):
                run(lines[index], put[index])
            return result
        return with_out(along if kind == "one" and array.ndim > 1 else _checked(whole, kind), out, made)
    register(names, "axis=None, dtype=None, out=None", "a, axis, out", find)


def _checked(whole, kind):
    if kind == "all":
        return whole

    @register_jitable
    def checked(a, axis):
        _axis.check_axis(a, axis)
        return whole(a, axis)
    return checked


def _make_cumulative(made, start):
    if made is numpy.bool_:
        return _run_truth_until(not start)
    # The one zero that leaves every number as it is, a negative zero, too.
    nothing = made(complex(-0.0, -0.0)) if issubclass(made, numpy.complexfloating) else made(-0.0)

    @register_jitable
    def sums(items, result):
        total = nothing
        for at in range(items.size):
            total += made(items[at])
            result[at] = total

    @register_jitable
    def complex_products(items, result):
        # The first number is what it is: a product of 1+0j and a number that is not finite may be another one.
        total = made(1)
        for at in range(items.size):
            total = total * made(items[at]) if at else made(items[at])
            result[at] = total

    @register_jitable
    def products(items, result):
        total = made(1)
        for at in range(items.size):
            total *= made(items[at])
            result[at] = total
    if start:
        return complex_products if issubclass(made, numpy.complexfloating) else products
    return sums


def _run_truth_until(end):
    """What gives `end` from the first item with this truth on, and the other truth value before it."""
    @register_jitable
    def run(items, result):
        found = False
        for at in range(items.size):
            found = found or bool(items[at]) == end
            result[at] = found == end
    return run


_running([numpy.cumsum, "numpy.ndarray.cumsum"], 0, False)
_running([numpy.cumprod, "numpy.ndarray.cumprod"], 1, False)
_running([numpy.nancumsum], 0, True)
_running([numpy.nancumprod], 1, True)


# What passes over NaN.

def _nan_total(function, value):
    def find(array, axis, dtype, out, keepdims):
        if not is_numeric_array(array) or not made_of(array, dtype) or not axis_kind(array, axis):
            return None
        keeps, fill = _axis.literal(keepdims), _filled(array.dtype, value)
        if not is_absent(out) or not isinstance(keeps, bool):
            return None
        made = None if is_absent(dtype) else numpy.dtype(made_of(array, dtype))
        if keeps:
            return register_jitable(lambda a, axis: function(fill(a), axis, dtype=made, keepdims=True))
        return register_jitable(lambda a, axis: function(fill(a), axis, dtype=made))
    return find


_TYPED = "axis=None, dtype=None, out=None, keepdims=False"
register([numpy.nansum], _TYPED, "a, axis", _nan_total(numpy.sum, 0))
register([numpy.nanprod], _TYPED, "a, axis", _nan_total(numpy.prod, 1))


def _nan_mean(array, axis, dtype, out, keepdims):
    if not is_numeric_array(array) or not is_absent(dtype) or not is_absent(out) or not axis_kind(array, axis):
        return None
    made = _kernels.inexact_class(array.dtype)
    add_up, divide = make_axis_sum(array, axis, keepdims, made), _kernels.make_divide(made)
    fill, (_, count) = _filled(array.dtype, 0), _without(array.dtype, 0)
    if add_up is None:
        return None
    if not array.ndim or not _axis.remaining_ndim(array, axis) and not _axis.literal(keepdims):
        return register_jitable(lambda a, axis: divide(add_up(fill(a), axis), count(a)))
    count_left = _counter_along(array, axis)

    @register_jitable
    def means(a, axis):
        result = add_up(fill(a), axis)
        items, counts = result.reshape(-1), count_left(a, axis).reshape(-1)
        for at in range(items.size):
            items[at] = divide(items[at], counts[at])
        return result
    return means


register([numpy.nanmean], _TYPED, "a, axis", _nan_mean)


def _nan_extreme(function, plain, greatest):
    refusal = f"zero-size array to reduction operation {'fmax' if greatest else 'fmin'} which has no identity"

    @register_jitable
    def least(row):
        raise_if(row.size == 0, "ValueError", refusal)
        best = row[0]
        for at in range(row.size):
            item = row[at]
            best = item if (item > best if greatest else item < best) or best != best else best
        return best

    @register_jitable
    def least_complex(row):
        raise_if(row.size == 0, "ValueError", refusal)
        best = row[0]
        for at in range(row.size):
            item = row[at]
            one, other = (best, item) if greatest else (item, best)
            before = one.real < other.real or one.real == other.real and one.imag < other.imag
            if item == item and (before or best != best):
                best = item
        return best

    def find(array, axis, out, keepdims):
        if not is_numeric_array(array) or not axis_kind(array, axis):
            return None
        made, inexact = _kernels.class_of(array.dtype), isinstance(array.dtype, Float)
        of_row = least_complex if isinstance(array.dtype, Complex) else least if inexact else register_jitable(
            lambda row: plain(row))
        return with_out(with_keepdims(array, axis, keepdims, map_lines(array, axis, of_row, made), made), out, made)
    register([function], "axis=None, out=None, keepdims=False", "a, axis, out", find)


_nan_extreme(numpy.nanmin, numpy.min, False)
_nan_extreme(numpy.nanmax, numpy.max, True)


def _nan_index(function, plain, greatest):
    refusal, worst = f"attempt to get {plain.__name__} of an empty sequence", -numpy.inf if greatest else numpy.inf

    @register_jitable
    def index(row):
        raise_if(row.size == 0, "ValueError", refusal)
        # NaN counts as an infinity, as in NumPy: so it may be what is found if there are infinities alone.
        found, best, numbers = 0, worst, 0
        for at in range(row.size):
            item = row[at]
            number = item == item
            item = item if number else worst
            numbers += number
            if item > best if greatest else item < best:
                found, best = at, item
        raise_if(numbers == 0, "ValueError", "All-NaN slice encountered")
        return found

    @register_jitable
    def plain_index(row):
        return plain(row)

    def find(array, axis, out, keepdims):
        if not is_numeric_array(array) or isinstance(array.dtype, Complex) or axis_kind(array, axis) not in ("all", "one"):
            return None
        made, of_row = numpy.int64, index if isinstance(array.dtype, Float) else plain_index
        return with_out(with_keepdims(array, axis, keepdims, map_lines(array, axis, of_row, made), made), out, made)
    register([function], "axis=None, out=None, keepdims=False", "a, axis, out", find)


_nan_index(numpy.nanargmin, numpy.argmin, False)
_nan_index(numpy.nanargmax, numpy.argmax, True)
