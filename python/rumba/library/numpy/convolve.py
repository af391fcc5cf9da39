"""Signals: `convolve`, `correlate`, `trapezoid`, `unwrap`; `sinc`."""
import numpy

from ...errors import TypingError
from ...extending import register_jitable
from ...intrinsics import raise_if
from ...types import Boolean, Complex, Float, Integer, Number, UnicodeType, float32, unliteral
from ...types.typeof import as_dtype
from .. import library
from . import _kernels
from ._axis import check_axis, literal
from .._predicates import is_absent, is_array, is_integer, is_numeric_array
from .._array_like import is_number

# So many results are worked on together, so that they stay near.
_BLOCK = 2048


def _is_numbers(ty, ndim=None):
    return is_numeric_array(ty) and (ndim is None or ty.ndim == ndim)


# Sums of products of two rows, shifted against each other.

def _slider(item):
    """What adds up the products of a row and a shorter one from `first` shifts on; what stands outside of the row is nothing."""
    zero = item(0)

    @register_jitable
    def slide(row, short, first, count):
        made = numpy.zeros(count, item)
        # From `inner` on to `outer` the short row lies within the other.
        inner, outer = min(max(-first, 0), count), max(min(row.size - short.size - first + 1, count), 0)
        outer = max(outer, inner)
        for at in range(inner):
            made[at] = edge(row, short, first + at)
        for at in range(outer, count):
            made[at] = edge(row, short, first + at)
        for start in range(inner, outer, _BLOCK):
            end = min(start + _BLOCK, outer)
            part = made[start:end]
            for number in range(short.size):
                factor, source = short[number], row[first + start + number:first + end + number]
                for at in range(part.size):
                    part[at] += source[at] * factor
        return made

    @register_jitable
    def edge(row, short, shift):
        total = zero
        for at in range(max(-shift, 0), min(short.size, row.size - shift)):
            total += row[shift + at] * short[at]
        return total
    return slide


def _correlator(a, v):
    """What correlates two rows, the second one as it is."""
    item = numpy.promote_types(as_dtype(a.dtype), as_dtype(v.dtype)).type
    made = item
    # Halves are added up in single precision.
    item = numpy.float32 if item is numpy.float16 else item
    slide = _slider(item)

    @register_jitable
    def in_order(long, short, how):
        size = short.size
        first = 0 if how == _VALID else -(size // 2) if how == _SAME else 1 - size
        count = long.size - size + 1 if how == _VALID else long.size if how == _SAME else long.size + size - 1
        return slide(long, short, first, count)

    @register_jitable
    def correlate(a, v, how):
        first, second = a.astype(item), v.astype(item)
        if a.size < v.size:
            return in_order(second, first, how)[::-1].copy()
        return in_order(first, second, how)
    return correlate if item is made else register_jitable(lambda a, v, how: correlate(a, v, how).astype(made))


_MODES = ("valid", "same", "full")
_VALID, _SAME, _FULL = range(3)
# NumPy knows a mode by its first letter, and then asks for the rest.
_LETTERS = "vsfVSF"
_NEARLY = "Use one of 'valid', 'same', or 'full' for convolve/correlate mode"
_UNKNOWN = "mode must be one of 'valid', 'same', or 'full' (got '"


def _check_rows(a, v, mode):
    if not (_is_numbers(a) and _is_numbers(v)):
        return False
    if a.ndim != 1 or v.ndim != 1:
        raise TypingError("object too deep for desired array: only supported on 1D arrays")
    if not isinstance(literal(mode), (str, UnicodeType)):
        raise TypingError("mode must be a string")
    return not isinstance(a.dtype, Boolean) or not isinstance(v.dtype, Boolean)


def _mode_of(mode):
    """What gives the number of a mode."""
    known = literal(mode)
    if isinstance(known, str):
        number = _MODES.index(known) if known in _MODES else -1
        refusal = _NEARLY if known[:1] in _LETTERS else f"{_UNKNOWN}{known}')"

        @register_jitable
        def given(mode):
            raise_if(number < 0, "ValueError", refusal)
            return number
        return given

    @register_jitable
    def look(mode):
        if mode == "valid":
            return _VALID
        if mode == "same":
            return _SAME
        if mode != "full":
            raise ValueError(_NEARLY if mode[:1] in _LETTERS else _UNKNOWN + mode + "')")
        return _FULL
    return look


@library(numpy.correlate, array_like="a v", scalars="")
def correlate(a, v, mode="valid"):
    if not _check_rows(a, v, mode):
        return None
    product, mode_of = _correlator(a, v), _mode_of(mode)
    other = register_jitable((lambda v: numpy.conjugate(v)) if isinstance(v.dtype, Complex) else lambda v: v)

    def correlated(a, v, mode="valid"):
        how = mode_of(mode)
        raise_if(a.size == 0, "ValueError", "first array argument cannot be empty")
        raise_if(v.size == 0, "ValueError", "second array argument cannot be empty")
        return product(a, other(v), how)
    return correlated


@library(numpy.convolve, array_like="a v", scalars="")
def convolve(a, v, mode="full"):
    if not _check_rows(a, v, mode):
        return None
    forward, backward, mode_of = _correlator(a, v), _correlator(v, a), _mode_of(mode)

    def convolved(a, v, mode="full"):
        raise_if(a.size == 0, "ValueError", "a cannot be empty")
        raise_if(v.size == 0, "ValueError", "v cannot be empty")
        how = mode_of(mode)
        if v.size > a.size:
            return backward(v, a[::-1], how)
        return forward(a, v[::-1], how)
    return convolved


# Areas.

@library(getattr(numpy, "trapezoid", None) or numpy.trapz, array_like="y x")
def trapezoid(y, x=None, dx=1.0, axis=-1):
    if is_number(y) or is_array(y) and y.ndim == 0:
        raise TypingError("y cannot be 0D")
    if not _is_numbers(y) or isinstance(y.dtype, Boolean):
        return None
    if not (is_absent(x) or _is_numbers(x)) or not (isinstance(dx, float) or is_number(dx)) or not is_integer(axis):
        return None
    if is_array(x) and x.ndim not in (1, y.ndim) or is_number(x):
        raise TypingError("x cannot be 0D" if is_number(x) or not x.ndim else "x must be 1-D or like y")

    item = numpy.float32 if y.dtype == float32 and isinstance(dx, float) else numpy.float64
    two = item(2)

    def evenly(y, x=None, dx=1.0, axis=-1):
        check_axis(y, axis)
        lines = numpy.moveaxis(y, axis, -1)
        return numpy.sum(item(dx) * (lines[..., 1:] + lines[..., :-1]) / two, -1)

    def evenly_row(y, x=None, dx=1.0, axis=-1):
        return numpy.sum(item(dx) * (y[1:] + y[:-1]) / two)

    def at_indices(y, x=None, dx=1.0, axis=-1):
        check_axis(y, axis)
        lines = numpy.moveaxis(y, axis, -1)
        return numpy.sum(numpy.diff(x) * (lines[..., 1:] + lines[..., :-1]) / 2.0, -1)

    def at_each(y, x=None, dx=1.0, axis=-1):
        check_axis(y, axis)
        lines, indices = numpy.moveaxis(y, axis, -1), numpy.moveaxis(x, axis, -1)
        return numpy.sum(numpy.diff(indices) * (lines[..., 1:] + lines[..., :-1]) / 2.0, -1)

    def row_at_indices(y, x=None, dx=1.0, axis=-1):
        return numpy.sum(numpy.diff(x) * (y[1:] + y[:-1]) / 2.0)
    if is_absent(x):
        return evenly_row if y.ndim == 1 else evenly
    if y.ndim == 1:
        return row_at_indices
    return at_indices if x.ndim == 1 else at_each


# Angles without jumps.

@library(numpy.unwrap, array_like="p")
def unwrap(p, discont=None, axis=-1, *, period=6.283185307179586):
    if is_number(p) or is_array(p) and not p.ndim:
        raise TypingError("unwrap needs at least one dimension: diff requires input that is at least one dimensional")
    if not is_array(p) or not isinstance(p.dtype, (Integer, Float)):
        raise TypingError('The argument "p" must be array-like')
    if not (is_absent(discont) or is_number(discont)):
        raise TypingError('The argument "discont" must be a scalar')
    if not isinstance(literal(axis), int) and not (p.ndim == 1 and isinstance(unliteral(axis), Integer)):
        raise TypingError("The argument \"axis\" must be an integer")
    if not (isinstance(period, float) or is_number(period)):
        raise TypingError('The argument "period" must be a scalar')
    whole = isinstance(p.dtype, Integer) and isinstance(unliteral(period), Integer)
    item = numpy.int64 if whole else _kernels.inexact_class(p.dtype) if isinstance(period, float) else numpy.float64
    follow = _unwrapper(item, whole)
    limit = register_jitable((lambda discont, period: period / 2) if is_absent(discont) else
                             (lambda discont, period: discont))

    def along(p, discont=None, axis=-1, *, period=6.283185307179586):
        check_axis(p, axis)
        made, steps = p.astype(item), numpy.diff(numpy.moveaxis(p, axis, -1)).astype(item)
        lines = numpy.moveaxis(made, axis, -1)
        for position in numpy.ndindex(lines.shape[:-1]):
            follow(lines[position], steps[position], limit(discont, period), period)
        return made

    def row(p, discont=None, axis=-1, *, period=6.283185307179586):
        check_axis(p, axis)
        # The steps are differences in the type of the items, which may wrap.
        made = p.astype(item)
        follow(made, numpy.diff(p).astype(item), limit(discont, period), period)
        return made
    return row if p.ndim == 1 else along


def _unwrapper(item, whole):
    @register_jitable
    def follow(row, steps, discont, period):
        total = item(0)
        high = item(period // 2) if whole else item(period / 2)
        ambiguous = period % 2 == 0 if whole else True
        for at in range(1, row.size):
            step = steps[at - 1]
            turned = (step + high) % item(period) - high
            if ambiguous and turned == -high and step > 0:
                turned = high
            # What is no number is no small step.
            if not abs(step) < discont:
                total += turned - step
            row[at] += total
    return follow


@library(numpy.sinc, array_like="x")
def sinc(x):
    item = x.dtype if is_array(x) else unliteral(x)
    if not isinstance(item, (Number, Boolean)):
        raise TypingError('Argument "x" must be a Number or array-like')
    part = as_dtype(item)
    eps = float(numpy.finfo(part).eps) if part.kind == "f" else float(numpy.finfo("f8").eps) if part.kind in "iub" else 1e-20
    made = part.type if part.kind in "fc" else numpy.float64

    @register_jitable
    def value(x):
        y = made(numpy.pi) * x
        y = made(eps) if y == 0 else y
        return numpy.sin(y) / y
    if not is_array(x):
        return lambda x: value(made(x))
    if not x.ndim:
        return lambda x: value(made(x[()]))

    def each(x):
        result = numpy.empty(x.shape, made)
        row, out = x.ravel(), result.reshape(-1)
        for at in range(row.size):
            out[at] = value(made(row[at]))
        return result
    return each
