"""`pad`: an array with a margin on every side. The margins of an axis are filled after those of the previous axes,
over their whole length, so that corners follow from edges."""
import numpy

from ...errors import TypingError
from ...extending import register_jitable
from ...intrinsics import array_view, raise_if, scratch, scratch_items, scratch_like, scratch_set
from ...types import Boolean, Integer, Number, unliteral
from ...types.typeof import as_dtype
from .. import library
from .._predicates import each_of, is_absent, is_array, is_fixed_list, length
from ._axis import literal

_PLACES = ("edge", "reflect", "symmetric", "wrap")
_STATISTICS = {"maximum": numpy.max, "minimum": numpy.min, "mean": numpy.mean, "median": numpy.median}
_MODES = ("constant", "empty", "linear_ramp", *_PLACES, *_STATISTICS)


@library(numpy.pad, array_like="array", strict=False)
def pad(array, pad_width, mode="constant", *, constant_values=0, end_values=0, stat_length=None, reflect_type="even"):
    if not is_array(array) or not isinstance(array.dtype, (Number, Boolean)) or not array.ndim:
        return None
    name = literal(mode)
    if name not in _MODES:
        raise TypingError(f"mode {name!r} of pad is not supported: it is one of {', '.join(_MODES)}, known when the function compiles")
    if not is_absent(stat_length) or literal(reflect_type) != "even":
        return None
    widths = _pairs(pad_width, array.ndim, numpy.int64, Integer)
    given = _pairs(end_values if name == "linear_ramp" else constant_values, array.ndim, as_dtype(array.dtype).type, (Number, Boolean))
    if widths is None or given is None:
        return None
    begin, fill = _beginner(array.ndim, name in ("constant", "empty")), _filler(name, array)
    filled_so_far = _without_later_margins(array.ndim)

    def padded(array, pad_width, mode="constant", *, constant_values=0, end_values=0, stat_length=None, reflect_type="even"):
        margins = widths(pad_width)
        made = begin(array, margins)
        values = given(constant_values)
        for axis in range(array.ndim):
            before, after = margins[axis]
            if before or after:
                fill(filled_so_far(made, margins, array.shape, axis), axis, before, after, values[axis])
        return made

    def ramped(array, pad_width, mode="constant", *, constant_values=0, end_values=0, stat_length=None, reflect_type="even"):
        return padded(array, pad_width, mode, constant_values=end_values)
    if name != "linear_ramp":
        return padded
    padded = register_jitable(padded)
    return ramped


# What stands before and behind an axis: a number, two for all axes, or two for each.

def _pairs(ty, ndim, item, kinds):
    """What gives a pair of numbers for each axis; None for other types."""
    pair = _pair(ty, item, kinds)
    if pair:
        return _repeated(pair, ndim)
    count = length(ty)
    if count not in (1, ndim):
        return None
    each = [_pair(one, item, kinds) for one in (list(ty) if count == ndim else [ty[0]] if not is_fixed_list(ty) else list(ty))]
    if None in each:
        return None
    listed = register_jitable((lambda given: tuple(given)) if is_fixed_list(ty) else (lambda given: given))
    if count == ndim:
        of_each = each_of(each)
        return register_jitable(lambda given: of_each(listed(given)))
    first, again = register_jitable(each[0]), _repeated(lambda pair: pair, ndim)
    return register_jitable(lambda given: again(first(listed(given)[0])))


def _pair(ty, item, kinds):
    if isinstance(ty, (int, float)) or isinstance(unliteral(ty), kinds):
        return lambda given: (item(given), item(given))
    if length(ty) not in (1, 2) or not all(isinstance(unliteral(one), kinds) for one in ty):
        return None
    listed = register_jitable((lambda given: tuple(given)) if is_fixed_list(ty) else (lambda given: given))
    if length(ty) == 1:
        return lambda given: (item(listed(given)[0]), item(listed(given)[0]))
    return lambda given: (item(listed(given)[0]), item(listed(given)[1]))


def _repeated(pair, count):
    pair = register_jitable(pair)
    if count == 1:
        return register_jitable(lambda given: (pair(given),))
    before = _repeated(pair, count - 1)
    return register_jitable(lambda given: before(given) + (pair(given),))


# The middle.

def _beginner(ndim, takes_empty):
    indices = (0,) * ndim

    @register_jitable
    def begin(array, margins):
        lengths = scratch_like(indices, 0)
        for axis in range(ndim):
            before, after = margins[axis]
            raise_if(before < 0 or after < 0, "ValueError", "index can't contain negative values")
            scratch_set(lengths, axis, before + array.shape[axis] + after)
        for axis in range(ndim):
            raise_if(not takes_empty and array.shape[axis] == 0 and margins[axis] != (0, 0), "ValueError",
                     "can't extend empty axis {} using modes other than 'constant' or 'empty'", axis)
        made = numpy.empty(tuple(scratch_items(lengths)), array.dtype)
        middle(made, margins, array.shape)[...] = array
        return made
    middle = _middle(ndim, ndim)
    return begin


def _middle(ndim, count):
    """A view of what lies between the margins of the first axes."""
    if count == 0:
        return register_jitable(lambda made, margins, shape: made)
    before, axis = _middle(ndim, count - 1), count - 1
    front = (slice(None),) * axis

    @register_jitable
    def middle(made, margins, shape):
        start = margins[axis][0]
        return before(made, margins, shape)[front + (slice(start, start + shape[axis]),)]
    return middle


def _without_later_margins(ndim):
    """A view without the margins of the axes behind one."""
    @register_jitable
    def inner(made, margins, shape, axis):
        lengths, offset = scratch(made.shape), 0
        for later in range(axis + 1, ndim):
            offset += margins[later][0] * made.strides[later]
            scratch_set(lengths, later, shape[later])
        return array_view(made, made.dtype, offset, tuple(scratch_items(lengths)), made.strides, "A")
    return inner


# The margins of an axis.

def _filler(mode, array):
    if mode == "empty":
        return register_jitable(lambda made, axis, before, after, values: None)
    if mode == "constant":
        return _fill_constant
    if mode == "linear_ramp":
        return _ramp(isinstance(array.dtype, Integer))
    if mode in _STATISTICS:
        return _statistic(_STATISTICS[mode], mode in ("mean", "median") and isinstance(array.dtype, Integer))
    index = {"edge": _edge, "reflect": _reflected, "symmetric": _mirrored, "wrap": _wrapped}[mode]

    @register_jitable
    def fill(made, axis, before, after, values):
        lines = numpy.moveaxis(made, axis, 0)
        count = lines.shape[0] - before - after
        for at in range(before):
            lines[at] = lines[before + index(at - before, count)]
        for at in range(before + count, lines.shape[0]):
            lines[at] = lines[before + index(at - before, count)]
    return fill


@register_jitable
def _fill_constant(made, axis, before, after, values):
    lines = numpy.moveaxis(made, axis, 0)
    lines[:before] = values[0]
    lines[lines.shape[0] - after:] = values[1]


@register_jitable
def _edge(at, count):
    return 0 if at < 0 else count - 1


@register_jitable
def _wrapped(at, count):
    return at % count


@register_jitable
def _mirrored(at, count):
    index = at % (2 * count)
    return index if index < count else 2 * count - 1 - index


@register_jitable
def _reflected(at, count):
    if count == 1:
        return 0
    index = at % (2 * (count - 1))
    return index if index < count else 2 * (count - 1) - index


def _ramp(is_integer):
    down = register_jitable((lambda items: numpy.floor(items)) if is_integer else (lambda items: items))

    @register_jitable
    def line(at, count, start, delta, has_level):
        # The order in which `linspace` computes.
        return down(at / count * delta + start if has_level else at * (delta / count) + start)

    @register_jitable
    def fill(made, axis, before, after, values):
        lines = numpy.moveaxis(made, axis, 0)
        last = lines.shape[0] - 1
        first, end = lines[before] - values[0], lines[last - after] - values[1]
        has_level = before > 0 and numpy.any(first / before == 0)
        for at in range(before):
            lines[at] = line(at, before, values[0], first, has_level)
        has_level = after > 0 and numpy.any(end / after == 0)
        for at in range(after):
            lines[last - at] = line(at, after, values[1], end, has_level)
    return fill


def _statistic(of_lines, rounds):
    whole = register_jitable((lambda items: numpy.rint(items)) if rounds else (lambda items: items))

    @register_jitable
    def fill(made, axis, before, after, values):
        lines = numpy.moveaxis(made, axis, 0)
        count = lines.shape[0] - before - after
        found = whole(of_lines(numpy.moveaxis(lines[before:before + count], 0, axis), axis))
        lines[:before] = found
        lines[before + count:] = found
    return fill
