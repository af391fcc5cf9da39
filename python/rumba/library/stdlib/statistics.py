"""Functions of `statistics` of numbers in tuples, lists and one-dimensional arrays.

Where the mean, the median or the variance of integers is an integer or a float in Python, as the values are, it is a float. Sums and sums of squares are exact, and rounded once, as those of Python's fractions are.
"""
import math
import statistics
import sys

import numpy

from ...errors import TypingError
from ...extending import register_jitable
from ...extending.effects import Effects
from ...intrinsics import raise_if
from ...types import Boolean, Float, Integer, unliteral
from .. import library
from .._predicates import check_uniform, is_absent, is_array, is_list, length
from ..numpy._axis import literal

_ITEM = Effects(returns="item of data", exhausts=("data", "tuple"))


def _is_row(ty):
    """Whether a type is a list or an array of one dimension, whose length is known when the function runs."""
    return is_list(ty) or is_array(ty) and ty.ndim == 1


def _item(ty):
    """The type of the items of a tuple, a list or an array."""
    if not _is_row(ty):
        check_uniform(ty, "statistics")
    return unliteral(ty.dtype)


def _is_whole(ty):
    return isinstance(ty, (Integer, Boolean))


# Averages.

@library(statistics.fmean)
def fmean(data, weights=None):
    if not isinstance(_item(data), (Float, Integer, Boolean)):
        return None
    if is_absent(weights):
        return _fmean if _is_row(data) else _fmean_of_tuple
    if isinstance(_item(weights), (Float, Integer, Boolean)):
        return _fmean_of_weighted


def _fmean(data, weights=None):
    if len(data) == 0:
        raise statistics.StatisticsError("fmean requires at least one data point")
    return math.fsum(data) / len(data)


def _fmean_of_tuple(data, weights=None):
    return math.fsum(data) / len(data)


def _fmean_of_weighted(data, weights=None):
    if len(weights) != len(data):
        raise statistics.StatisticsError("data and weights must be the same length")
    total = math.fsum(weights)
    products = [float(one) * float(weight) for one, weight in zip(data, weights)]
    if total == 0.0:
        raise statistics.StatisticsError("sum of weights must be non-zero")
    return math.fsum(products) / total


def _are_doubles(data):
    item = _item(data)
    return isinstance(item, Float) and item.bitwidth == 64


@library(statistics.mean)
def mean(data):
    if _is_whole(_item(data)):
        return _mean_of_integers
    return _mean if _are_doubles(data) else None


def _mean_of_integers(data):
    if len(data) == 0:
        raise statistics.StatisticsError("mean requires at least one data point")
    terms = [0.0]
    for one in data:
        # Both halves of an integer are floats.
        terms.append(float(one >> 32) * 4294967296.0)
        terms.append(float(one & 4294967295))
    return _quotient(terms, len(data))


def _mean(data):
    if len(data) == 0:
        raise statistics.StatisticsError("mean requires at least one data point")
    if _is_special(data):
        return _special_sum(data) / len(data)
    scale = _scale(data)
    return math.ldexp(_quotient([math.ldexp(float(one), -scale) for one in data], len(data), _unit(scale)), scale)


@register_jitable
def _scale(data):
    """A power of 2 by which items are divided whose squares would not be numbers of full precision; 0 where they are."""
    largest = 0.0
    for one in data:
        largest = max(largest, abs(float(one)))
    exponent = math.frexp(largest)[1]
    return exponent if abs(exponent) > 200 else 0


@register_jitable
def _unit(scale):
    """The least number, where numbers are divided by such a power of 2; 0 where it does not count."""
    return math.ldexp(1.0, min(-1074 - scale, 1000)) if scale < 0 else 0.0


@register_jitable
def _is_special(data):
    """Whether an item is infinite or NaN."""
    for one in data:
        if not math.isfinite(one):
            return True
    return False


@register_jitable
def _special_sum(data):
    """The sum of the items that are infinite or NaN."""
    total = 0.0
    for one in data:
        if not math.isfinite(one):
            total += one
    return total


@register_jitable
def _product(a, b):
    """A product as two numbers whose sum is exact (Dekker, A Floating-Point Technique for Extending the Available Precision, 1971)."""
    high = a * b
    a_top = a * 134217729.0
    a_high = a_top - (a_top - a)
    b_top = b * 134217729.0
    b_high = b_top - (b_top - b)
    a_low, b_low = a - a_high, b - b_high
    return high, ((a_high * b_high - high) + a_high * b_low + a_low * b_high) + a_low * b_low


@register_jitable
def _is_above(terms, middle_low, middle_high, count):
    """The sign of the sum of terms minus `count` times the number half-way between two neighbors."""
    all_terms = [2.0 * one for one in terms]
    for number in (middle_low, middle_high):
        high, low = _product(-number, count)
        all_terms.append(high)
        all_terms.append(low)
    return math.fsum(all_terms)


@register_jitable
def _quotient(terms, divisor, unit=0.0):
    """The sum of terms divided by an integer, rounded once: to a multiple of `unit` where numbers are closer to each other."""
    count = float(divisor)
    found = _multiple(math.fsum(terms) / count, unit)
    for _ in range(2):
        below, above, is_odd = _neighbors(found, unit)
        sign = _is_above(terms, found, above, count)
        if sign > 0.0 or sign == 0.0 and is_odd:
            found = above
            continue
        sign = _is_above(terms, found, below, count)
        if sign < 0.0 or sign == 0.0 and is_odd:
            found = below
            continue
        break
    return found


@register_jitable
def _multiple(number, unit):
    return round(number / unit) * unit if unit > math.ulp(number) else number


@register_jitable
def _neighbors(number, unit):
    """What stands before and behind a number, and whether its last digit is odd."""
    if unit > math.ulp(number):
        return number - unit, number + unit, number / unit % 2.0 == 1.0
    return math.nextafter(number, -math.inf), math.nextafter(number, math.inf), numpy.float64(number).view(numpy.int64) & 1 == 1


# Items in order.

def _checked_sorted(name):
    @register_jitable
    def in_order(data):
        items = sorted(data)
        if len(items) == 0:
            raise statistics.StatisticsError("no median for empty data")
        return items
    return in_order


_in_order = _checked_sorted("median")


@library(statistics.median, effects=_ITEM)
def median(data):
    if _is_row(data):
        return _median if isinstance(_item(data), Float) else _median_of_integers if _is_whole(_item(data)) else None
    check_uniform(data, "median")
    return _middle if length(data) % 2 else _between


def _median_of_integers(data):
    items = _in_order(data)
    half = len(items) // 2
    if len(items) % 2:
        return float(items[half])
    return (items[half - 1] + items[half]) / 2


def _median(data):
    items = _in_order(data)
    half = len(items) // 2
    if len(items) % 2:
        return items[half]
    return (items[half - 1] + items[half]) / 2


@library(statistics.median_low, effects=_ITEM)
def median_low(data):
    if _is_row(data):
        return _low_of_row
    check_uniform(data, "median_low")
    return _middle


@library(statistics.median_high, effects=_ITEM)
def median_high(data):
    if _is_row(data):
        return _high_of_row
    check_uniform(data, "median_high")
    return _high


def _low_of_row(data):
    items = _in_order(data)
    return items[(len(items) - 1) // 2]


def _high_of_row(data):
    items = _in_order(data)
    return items[len(items) // 2]


def _middle(data):
    return sorted(data)[(len(data) - 1) // 2]


def _high(data):
    return sorted(data)[len(data) // 2]


def _between(data):
    items = sorted(data)
    half = len(data) // 2
    return (items[half - 1] + items[half]) / 2


@library(statistics.mode, effects=_ITEM)
def mode(data):
    if _is_row(data):
        return _mode_of_row
    check_uniform(data, "mode")
    return _mode


def _mode(data):
    most, best = 0, 0
    for at in range(len(data)):
        count = data.count(data[at])
        if count > most:
            most, best = count, at
    return data[best]


def _mode_of_row(data):
    if len(data) == 0:
        raise statistics.StatisticsError("no mode for empty data")
    counts = {data[0]: 0}
    for one in data:
        counts[one] = counts.get(one, 0) + 1
    most, best = 0, data[0]
    for one, count in counts.items():
        if count > most:
            most, best = count, one
    return best


@library(statistics.multimode)
def multimode(data):
    if _is_row(data):
        return _modes


def _modes(data):
    counts, most = {one: 0 for one in data}, 0
    for one in data:
        counts[one] = counts.get(one, 0) + 1
        most = max(most, counts.get(one, 0))
    return [one for one, count in counts.items() if count == most]


# Spread.

@register_jitable
def _squares(data):
    """`n * sum(x * x) - sum(x) ** 2` as numbers whose sum is exact."""
    count = float(len(data))
    squares = [0.0]
    for one in data:
        high, low = _product(one, one)
        squares.append(high)
        squares.append(low)
    parts, terms = _apart([float(one) for one in data]), [0.0]
    for one in _apart(squares):
        high, low = _product(one, count)
        terms.append(high)
        terms.append(low)
    for one in parts:
        for other in parts:
            high, low = _product(one, -other)
            terms.append(high)
            terms.append(low)
    return terms


@register_jitable
def _apart(terms):
    """The sum of terms as numbers that do not overlap (Shewchuk, Adaptive Precision Floating-Point Arithmetic, 1997)."""
    parts = [0.0]
    for one in terms:
        x, kept = one, 0
        for at in range(len(parts)):
            y = parts[at]
            if abs(x) < abs(y):
                x, y = y, x
            high = x + y
            low = y - (high - x)
            if low != 0.0:
                parts[kept] = low
                kept += 1
            x = high
        while len(parts) > kept:
            parts.pop()
        parts.append(x)
    return parts


def _spread(name, parameter, least, message, is_root):
    function = getattr(statistics, name)
    less = least - 1

    def find(data, mean=None):
        if not is_absent(mean):
            return None
        return spread_of_integers if _is_whole(_item(data)) else spread if _are_doubles(data) else None

    def spread_of_integers(data, mean=None):
        count = len(data)
        if count < least:
            raise statistics.StatisticsError(message)
        terms, divisor = _squares([float(one) for one in data]), count * (count - less)
        return _root(terms, divisor, 0.0) if is_root else _quotient(terms, divisor)

    def spread(data, mean=None):
        count = len(data)
        if count < least:
            raise statistics.StatisticsError(message)
        if _is_special(data):
            raise_if(is_root, "AttributeError", "'float' object has no attribute 'numerator'")
            return _special_sum(data)
        scale = _scale(data)
        terms = _squares([math.ldexp(float(one), -scale) for one in data])
        divisor = count * (count - less)
        if is_root:
            return math.ldexp(_root(terms, divisor, _unit(scale)), scale)
        found = _quotient(terms, divisor, _unit(2 * scale))
        raise_if(math.frexp(found)[1] + 2 * scale > 1024, "OverflowError", "integer division result too large for a float")
        return math.ldexp(found, 2 * scale)
    for one in (find, spread, spread_of_integers):
        one.__code__ = one.__code__.replace(co_varnames=tuple(
            parameter if known == "mean" else known for known in one.__code__.co_varnames))
    find.__name__ = name
    library(function)(find)


_spread("variance", "xbar", 2, "variance requires at least two data points", False)
_spread("pvariance", "mu", 1, "pvariance requires at least one data point", False)
_spread("stdev", "xbar", 2, "stdev requires at least two data points", True)
_spread("pstdev", "mu", 1, "pstdev requires at least one data point", True)


@register_jitable
def _root(terms, divisor, unit):
    """The root of the sum of terms divided by an integer, rounded once, as a quotient is."""
    found = _multiple(math.sqrt(max(_quotient(terms, divisor), 0.0)), unit)
    for _ in range(2):
        below, above, is_odd = _neighbors(found, unit)
        below = max(below, 0.0)
        sign = _square_sign(terms, found, above, divisor)
        if sign > 0.0 or sign == 0.0 and is_odd:
            found = above
            continue
        sign = _square_sign(terms, found, below, divisor)
        if sign < 0.0 or sign == 0.0 and is_odd:
            found = below
            continue
        break
    return found


@register_jitable
def _square_sign(terms, one, other, divisor):
    """The sign of four times the sum of terms minus `divisor` times the square of `one + other`."""
    count = float(divisor)
    all_terms = [4.0 * term for term in terms]
    for a, b, times in ((one, one, 1.0), (one, other, 2.0), (other, other, 1.0)):
        for part in _product(a, b):
            high, low = _product(-part * times, count)
            all_terms.append(high)
            all_terms.append(low)
    return math.fsum(all_terms)


# Two rows of data, and the mean of logarithms.

def _are_rows_of_numbers(*rows):
    return all(_is_row(row) and isinstance(_item(row), (Float, Integer, Boolean)) for row in rows)


@library(statistics.covariance)
def covariance(x, y, /):
    if not _are_rows_of_numbers(x, y):
        return None
    if sys.version_info < (3, 12):
        total = _sum_of_products
    else:
        # It is `math.sumprod`, which does not round products of floats of Python's own class.
        total = _exact_sum_of_products if is_list(x) and is_list(y) else _plain_sum_of_products

    def covariance(x, y, /):
        count = len(x)
        if len(y) != count:
            raise statistics.StatisticsError("covariance requires that both inputs have same number of data points")
        if count < 2:
            raise statistics.StatisticsError("covariance requires at least two data points")
        mean_x, mean_y = math.fsum(x) / count, math.fsum(y) / count
        return total([one - mean_x for one in x], [other - mean_y for other in y]) / (count - 1)
    return covariance


@register_jitable
def _sum_of_products(x, y):
    return math.fsum([one * other for one, other in zip(x, y)])


@register_jitable
def _exact_sum_of_products(x, y):
    terms = [0.0]
    for one, other in zip(x, y):
        high, low = _product(one, other)
        if not math.isfinite(high - low):
            return _sum_of_products(x, y)
        terms.append(high)
        terms.append(low)
    return math.fsum(terms)


@register_jitable
def _plain_sum_of_products(x, y):
    total = 0.0
    for one, other in zip(x, y):
        total += one * other
    return total


@library(statistics.geometric_mean)
def geometric_mean(data):
    if _are_rows_of_numbers(data):
        return _geometric_mean


def _geometric_mean(data):
    if len(data) == 0:
        raise statistics.StatisticsError(_NO_GEOMETRIC_MEAN)
    logarithms = [0.0] * len(data)
    for at in range(len(data)):
        if data[at] <= 0:
            raise statistics.StatisticsError(_NO_GEOMETRIC_MEAN)
        logarithms[at] = math.log(data[at])
    return math.exp(math.fsum(logarithms) / len(logarithms))


_NO_GEOMETRIC_MEAN = "geometric mean requires a non-empty dataset containing positive numbers"


# Cut points.

@library(statistics.quantiles, strict=False)
def quantiles(data, *, n=4, method="exclusive"):
    mode = method if isinstance(method, str) else literal(method)
    if not _are_rows_of_numbers(data) or not isinstance(mode, str):
        return None
    if mode not in ("inclusive", "exclusive"):
        raise TypingError(f"Unknown method: {mode!r}")
    cut = _inclusive if mode == "inclusive" else _exclusive

    def find(data, *, n=4, method="exclusive"):
        if n < 1:
            raise statistics.StatisticsError("n must be at least 1")
        ordered = sorted(data)
        if _ONE_IS_ENOUGH and len(ordered) == 1:
            return [ordered[0] * 1.0] * (n - 1)
        if len(ordered) < 2:
            raise statistics.StatisticsError(_TOO_FEW)
        return [cut(ordered, i, n) for i in range(1, n)]
    return find


@register_jitable
def _inclusive(ordered, i, n):
    j, delta = divmod(i * (len(ordered) - 1), n)
    return (ordered[j] * (n - delta) + ordered[j + 1] * delta) / n


@register_jitable
def _exclusive(ordered, i, n):
    wide = i * (len(ordered) + 1)
    j = min(max(wide // n, 1), len(ordered) - 1)
    delta = wide - j * n
    return (ordered[j - 1] * (n - delta) + ordered[j] * delta) / n


_ONE_IS_ENOUGH = sys.version_info >= (3, 13)
_TOO_FEW = "must have at least one data point" if _ONE_IS_ENOUGH else "must have at least two data points"
