"""`math.prod` and `math.fsum` of iterables other than tuples."""
import math

from ...extending import register_jitable
from ...types import Boolean, Float, Integer, Number, unliteral
from .. import library
from .._predicates import is_array, is_list


def _item_of(ty):
    """The type of the items of an array of one dimension or a list of numbers; None for other types."""
    if not (is_array(ty) and ty.ndim == 1 or is_list(ty)):
        return None
    return ty.dtype if isinstance(ty.dtype, (Number, Boolean)) else None


@library(math.prod, strict=False)
def prod(iterable, /, *, start=1):
    item, first = _item_of(iterable), start if isinstance(start, int) else unliteral(start)
    if item is None or not isinstance(first, (int, Number)):
        return None
    is_whole = isinstance(item, (Integer, Boolean)) and isinstance(first, (int, Integer))
    begin = register_jitable((lambda start: start) if is_whole else (lambda start: start * 1.0))

    def product(iterable, /, *, start=1):
        total = begin(start)
        for one in iterable:
            total = total * one
        return total
    return product if isinstance(item, (Integer, Float, Boolean)) else None


@library(math.fsum, strict=False)
def fsum(seq, /):
    if isinstance(_item_of(seq), (Integer, Float, Boolean)):
        return _exact_sum


def _exact_sum(seq, /):
    """The sum in partials that do not overlap (Shewchuk, Adaptive Precision Floating-Point Arithmetic, 1997), rounded once."""
    partials, special, infinite = [0.0], 0.0, 0.0
    partials.pop()
    for one in seq:
        x = float(one)
        if math.isinf(x) or math.isnan(x):
            special += x
            infinite += x if math.isinf(x) else 0.0
            continue
        kept = 0
        for at in range(len(partials)):
            y = partials[at]
            if abs(x) < abs(y):
                x, y = y, x
            high = x + y
            low = y - (high - x)
            if low != 0.0:
                partials[kept] = low
                kept += 1
            x = high
        if math.isinf(x):
            raise OverflowError("intermediate overflow in fsum")
        while len(partials) > kept:
            partials.pop()
        if x != 0.0:
            partials.append(x)
    if special != 0.0:
        if math.isnan(infinite):
            raise ValueError("-inf + inf in fsum")
        return special
    return _rounded(partials)


@register_jitable
def _rounded(partials):
    """The sum of partials, half-way cases to the even side."""
    if not len(partials):
        return 0.0
    high, low = partials.pop(), 0.0
    while len(partials):
        x, y = high, partials.pop()
        high = x + y
        low = y - (high - x)
        if low != 0.0:
            break
    if len(partials) and (low < 0.0 and partials[-1] < 0.0 or low > 0.0 and partials[-1] > 0.0):
        y = low * 2.0
        x = high + y
        if y == x - high:
            high = x
    return high
