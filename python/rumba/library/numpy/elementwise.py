"""Elementwise functions composed of others: `clip`, `round`, `divmod`, `isclose`, `diff`.

What is one expression here is one loop in compiled code.
"""
import numpy

from ...errors import TypingError
from ...extending import Effects, register_jitable
from ...intrinsics import raise_if, scratch, scratch_items, scratch_set
from ...types import Boolean, Complex, Float, Integer, NPDatetime, Number, complex64, float32, unliteral
from ...types.typeof import as_dtype
from .. import library
from ._axis import check_axis, literal
from .._predicates import is_absent, is_array, is_movable
from .._array_like import is_sequence


def _is_numbers(ty, *kinds):
    """Whether an argument is an array of numbers, or a number, of one of these kinds if there are any."""
    item = ty.dtype if is_array(ty) else unliteral(ty)
    return isinstance(item, kinds or (Number, Boolean))


def _item(ty):
    return ty.dtype if is_array(ty) else unliteral(ty)


# Within bounds.

def _check_given(a, out):
    """Refuses what is no array nor number, and a result that is written to something else than an array."""
    if not (is_array(a) or _is_numbers(a)):
        raise TypingError(f'The argument "a" must be array-like, which {a} is not')
    if not (is_absent(out) or is_array(out)):
        raise TypingError(f'The argument "out" must be an array if it is provided, and it is {out}')


def _clipped(a, a_min, a_max, out):
    real = (Integer, Float)
    absent = is_absent(a_min), is_absent(a_max)
    _check_given(a, out)
    for name, missing, bound in zip(("a_min", "a_max"), absent, (a_min, a_max)):
        if not (missing or is_array(bound) or _is_numbers(bound)):
            raise TypingError(f'The argument "{name}" must be a number, an array or None, and it is {bound}')
    if all(absent):
        return _unclipped(a, out)
    if not all(_is_numbers(one, *real) for one in (a, a_min, a_max) if not is_absent(one)):
        return None
    if not is_absent(out):
        return {(False, False): lambda a, a_min, a_max, out: numpy.minimum(numpy.maximum(a, a_min), a_max, out),
                (True, False): lambda a, a_min, a_max, out: numpy.minimum(a, a_max, out),
                (False, True): lambda a, a_min, a_max, out: numpy.maximum(a, a_min, out)}[absent]
    return {(False, False): lambda a, a_min, a_max, out: numpy.minimum(numpy.maximum(a, a_min), a_max),
            (True, False): lambda a, a_min, a_max, out: numpy.minimum(a, a_max),
            (False, True): lambda a, a_min, a_max, out: numpy.maximum(a, a_min)}[absent]


def _unclipped(a, out):
    """Without bounds there is a copy."""
    if not _is_numbers(a, Integer, Float, Complex):
        return None
    if is_absent(out):
        return lambda a, a_min, a_max, out: numpy.positive(a)
    return lambda a, a_min, a_max, out: numpy.positive(a, out)


@library(numpy.clip, array_like="a a_min a_max")
def clip(a, a_min=None, a_max=None, out=None, *, min=None, max=None):
    if not (is_absent(min) and is_absent(max)):
        if not (is_absent(a_min) and is_absent(a_max)):
            raise TypingError("Passing `min` or `max` keyword argument when `a_min` and `a_max` are provided is forbidden.")
        return lambda a, a_min=None, a_max=None, out=None, *, min=None, max=None: numpy.clip(a, min, max, out)
    found = _clipped(a, a_min, a_max, out)
    if found:
        inner = register_jitable(found)
        return lambda a, a_min=None, a_max=None, out=None, *, min=None, max=None: inner(a, a_min, a_max, out)


@library("numpy.ndarray.clip")
def array_clip(self, min=None, max=None, out=None):
    found = _clipped(self, min, max, out)
    if found:
        inner = register_jitable(found)
        return lambda self, min=None, max=None, out=None: inner(self, min, max, out)


# Rounded, as NumPy does it: by way of a power of ten.

def _rounded(a, decimals, out):
    _check_given(a, out)
    if not _is_numbers(a) or isinstance(_item(a), Boolean) or not isinstance(unliteral(decimals), (int, Integer)):
        return None
    if not is_absent(out):
        if not is_array(a):
            return None
        if a.ndim != out.ndim:
            return _refuse_shape
    if is_array(a) and not a.ndim and is_absent(out):
        # As in NumPy that is a number.
        of_item = register_jitable(_rounded(a.dtype, decimals, out))
        return lambda a, decimals, out: of_item(a[()], decimals, out)
    if not isinstance(_item(a), Float):
        found = _rounded_integers(a) if isinstance(_item(a), Integer) else _rounded_complex(a)
        return found if is_absent(out) else _writing(found, a, out)
    item = numpy.float32 if _item(a).bitwidth == 32 else numpy.float64
    if is_absent(out):
        def digits(a, decimals, out):
            power = item(10.0 ** abs(decimals))
            if decimals > 0:
                return numpy.rint(a * power) / power
            if decimals < 0:
                return numpy.rint(a / power) * power
            return numpy.rint(a)
        return digits

    written = as_dtype(_item(out)).type

    def digits_into(a, decimals, out):
        raise_if(a.shape != out.shape, "ValueError", _OTHER_SHAPE)
        power = 10.0 ** abs(decimals)
        # Each step is written there, and goes on with the numbers that it holds.
        if decimals > 0:
            numpy.multiply(a, item(power), out)
            return numpy.divide(numpy.rint(out, out), written(power), out)
        if decimals < 0:
            numpy.divide(a, item(power), out)
            return numpy.multiply(numpy.rint(out, out), written(power), out)
        return numpy.rint(a, out)
    return digits_into


_OTHER_SHAPE = "invalid output shape"


def _refuse_shape(a, decimals, out):
    raise_if(True, "ValueError", _OTHER_SHAPE)
    return out


def _writing(find, a, out):
    """What writes the result to an array; None if its items cannot hold it."""
    if not out.mutable or not numpy.can_cast(as_dtype(a.dtype), as_dtype(out.dtype), "same_kind"):
        return None
    rounded = register_jitable(find)

    def write(a, decimals, out):
        raise_if(a.shape != out.shape, "ValueError", _OTHER_SHAPE)
        out[...] = rounded(a, decimals, None)
        return out
    return write


def _rounded_integers(a):
    """Integers change only where digits in front of the point go: by way of floats, as in NumPy."""
    item = as_dtype(_item(a))

    # Written to an array of integers, a float that none of them is becomes what NumPy's conversion gives.
    @register_jitable
    def write(row, decimals):
        if decimals < 0:
            power = 10.0 ** -decimals
            for at in range(row.size):
                row[at] = numpy.rint(row[at] / power) * power

    def each(a, decimals, out):
        made = a.copy()
        write(made.reshape(-1), decimals)
        return made

    def value(a, decimals, out):
        row = numpy.empty(1, item)
        row[0] = a
        write(row, decimals)
        return row[0]
    return each if is_array(a) else value


def _rounded_complex(a):
    made = as_dtype(_item(a)).type

    @register_jitable
    def value(number, decimals):
        return made(complex(numpy.round(number.real, decimals), numpy.round(number.imag, decimals)))

    def each(a, decimals, out):
        result = a.copy()
        row = result.reshape(-1)
        for at in range(row.size):
            row[at] = value(row[at], decimals)
        return result
    return each if is_array(a) else lambda a, decimals, out: value(a, decimals)


@library(numpy.around, array_like="a")
def around(a, decimals=0, out=None):
    found = _rounded(a, decimals, out)
    if found:
        inner = register_jitable(found)
        return lambda a, decimals=0, out=None: inner(a, decimals, out)


@library(numpy.round, array_like="a")
def round_(a, decimals=0, out=None):
    found = _rounded(a, decimals, out)
    if found:
        inner = register_jitable(found)
        return lambda a, decimals=0, out=None: inner(a, decimals, out)


@library("numpy.ndarray.round")
def array_round(self, decimals=0, out=None):
    found = _rounded(self, decimals, out)
    if found:
        inner = register_jitable(found)
        return lambda self, decimals=0, out=None: inner(self, decimals, out)


@library(numpy.fix, array_like="x")
def fix(x):
    if _is_numbers(x, Float, Integer):
        return lambda x: numpy.trunc(x)


# Quotients and remainders.

@library(numpy.divmod, effects=Effects(mutates="out1 out2"))
def divmod_(x1, x2, out1=None, out2=None):
    if not (is_array(x1) or is_array(x2)) or not (_is_numbers(x1) and _is_numbers(x2)):
        return None
    if is_array(out1) and is_array(out2):
        def into(x1, x2, out1=None, out2=None):
            quotients, rests = numpy.floor_divide(x1, x2), numpy.remainder(x1, x2)
            out1[...] = quotients
            out2[...] = rests
            return out1, out2
        return into
    if is_absent(out1) and is_absent(out2):
        return lambda x1, x2, out1=None, out2=None: (numpy.floor_divide(x1, x2), numpy.remainder(x1, x2))


@library(divmod, strict=False)
def builtin_divmod(x, y):
    if (is_array(x) or is_array(y)) and _is_numbers(x) and _is_numbers(y):
        return lambda x, y: (numpy.floor_divide(x, y), numpy.remainder(x, y))


# Equal, or nearly.

@library(numpy.isclose, array_like="a b")
def isclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    if not (_is_numbers(a) and _is_numbers(b)):
        return None

    # What the other differs from is a float, as in NumPy: differences of integers can overflow.
    real = _as_floats if is_array(b) else _as_float
    whole = isinstance(_item(b), (Integer, Boolean))
    other = real if whole else register_jitable(lambda b: b)

    def close(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
        b = other(b)
        near = (abs(a - b) <= atol + rtol * abs(b)) & numpy.isfinite(b) | (a == b)
        if equal_nan:
            return near | (numpy.isnan(a) & numpy.isnan(b))
        return near

    def close_integers(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
        b = real(b)
        return (abs(a - b) <= atol + rtol * abs(b)) | (a == b)

    def both_close(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
        b = other(b)
        near = abs(a - b) <= atol + rtol * abs(b) and numpy.isfinite(b) or a == b
        return bool(near or equal_nan and numpy.isnan(a) and numpy.isnan(b))

    if not (is_array(a) or is_array(b)):
        return both_close
    return close_integers if whole and isinstance(_item(a), (Integer, Boolean)) else close


@register_jitable
def _as_floats(a):
    return a.astype(numpy.float64)


@register_jitable
def _as_float(number):
    return float(number)


@library(numpy.allclose, array_like="a b")
def allclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    if not (_is_numbers(a) and _is_numbers(b)):
        return None
    return lambda a, b, rtol=1e-05, atol=1e-08, equal_nan=False: bool(
        numpy.all(numpy.isclose(a, b, rtol, atol, equal_nan)))


@library(numpy.array_equal, array_like="a1 a2", scalars="a1 a2")
def array_equal(a1, a2, equal_nan=False):
    if not (is_movable(a1) and is_movable(a2)):
        if _is_numbers(a1) or _is_numbers(a2):
            return lambda a1, a2, equal_nan=False: False
        return None
    if a1.ndim != a2.ndim:
        return lambda a1, a2, equal_nan=False: False

    def equal(a1, a2, equal_nan=False):
        return a1.shape == a2.shape and bool(numpy.all(a1 == a2))

    def equal_with_nan(a1, a2, equal_nan=False):
        if a1.shape != a2.shape:
            return False
        one, other = a1.ravel(), a2.ravel()
        for at in range(one.size):
            if one[at] != other[at] and not (equal_nan and one[at] != one[at] and other[at] != other[at]):
                return False
        return True
    return equal if equal_nan is False else equal_with_nan


@library(numpy.array_equiv, array_like="a1 a2", scalars="a1 a2")
def array_equiv(a1, a2):
    if is_array(a1) and is_array(a2) and _is_numbers(a1) and _is_numbers(a2):
        return lambda a1, a2: bool(numpy.all(a1 == a2))


# Differences of neighbors.

@library(numpy.diff, array_like="a prepend append", strict=False)
def diff(a, n=1, axis=-1, prepend=None, append=None):
    if not is_absent(prepend) or not is_absent(append):
        return _longer_diff(a, n, axis, prepend, append)
    found = _diff(a, n, axis)
    differences = found and register_jitable(found)
    return found and (lambda a, n=1, axis=-1, prepend=None, append=None: differences(a, n, axis))


def _longer_diff(a, n, axis, prepend, append):
    """Differences of an array that is made longer first."""
    given = [one for one in (a, prepend, append) if not is_absent(one)]
    fits = all(_is_numbers(one) and (not is_array(one) or one.ndim in (0, a.ndim)) for one in given)
    if not is_movable(a) or not a.ndim or not fits:
        return None
    before, after = _neighbor(a, prepend), _neighbor(a, append)

    def longer(a, n=1, axis=-1, prepend=None, append=None):
        if n == 0:
            return numpy.diff(a, n, axis)
        check_axis(a, axis)
        return numpy.diff(numpy.concatenate(before(a, axis, prepend) + (a,) + after(a, axis, append), axis), n, axis)

    def longer_by_one(a, n=1, axis=-1, prepend=None, append=None):
        check_axis(a, axis)
        return numpy.diff(numpy.concatenate(before(a, axis, prepend) + (a,) + after(a, axis, append), axis), 1, axis)
    return longer_by_one if n == 1 else longer


def _neighbor(a, given):
    """What gives a tuple of what stands in front of an array, or behind it."""
    if is_absent(given):
        return register_jitable(lambda a, axis, given: ())
    if is_array(given) and given.ndim:
        return register_jitable(lambda a, axis, given: (given,))
    item = as_dtype(given.dtype if is_array(given) else unliteral(given))
    number = register_jitable((lambda given: given[()]) if is_array(given) else (lambda given: given))
    ndim = a.ndim

    @register_jitable
    def one(a, axis, given):
        shape = scratch(a.shape)
        scratch_set(shape, axis % ndim, 1)
        return (numpy.full(tuple(scratch_items(shape)), number(given), item),)
    return one


def _diff(a, n, axis):
    if is_array(a) and not a.ndim or isinstance(unliteral(a), Number):
        raise TypingError("diff requires input that is at least one dimensional")
    if not is_movable(a) or isinstance(a.dtype, NPDatetime) and n != 1:
        # Of points in time, one step makes spans.
        return None
    if not isinstance(unliteral(n), (int, Integer)) or not isinstance(unliteral(axis), (int, Integer)):
        return None
    is_boolean = isinstance(a.dtype, Boolean)
    step, step_along = (_unequal, _unequal_along) if is_boolean else (_step, _step_along)
    if n == 1 and axis == -1:
        return lambda a, n=1, axis=-1: step(a)
    if isinstance(a.dtype, NPDatetime):
        def spans(a, n=1, axis=-1):
            check_axis(a, axis)
            return numpy.moveaxis(step(numpy.moveaxis(a, axis, -1)), -1, axis)
        return spans

    def several(a, n=1, axis=-1):
        if n < 0:
            raise ValueError("order must be non-negative but got " + repr(n))
        check_axis(a, axis)
        if n == 0:
            return a.copy()
        made = step_along(a, axis)
        for _ in range(n - 1):
            made = step_along(made, axis)
        return made

    def several_rows(a, n=1, axis=-1):
        if n < 0:
            raise ValueError("order must be non-negative but got " + repr(n))
        check_axis(a, axis)
        made = a.copy()
        for _ in range(n):
            made = step(made)
        return made
    return several_rows if a.ndim == 1 or axis == -1 else several


@register_jitable
def _step(a):
    return a[..., 1:] - a[..., :-1]


@register_jitable
def _unequal(a):
    return a[..., 1:] != a[..., :-1]


@register_jitable
def _neighbors_along(a, axis):
    """The items behind others along an axis, and those others, with the axes in their order."""
    moved = numpy.moveaxis(a, axis, 0)
    return numpy.moveaxis(moved[1:], 0, axis), numpy.moveaxis(moved[:-1], 0, axis)


@register_jitable
def _step_along(a, axis):
    behind, before = _neighbors_along(a, axis)
    return behind - before


@register_jitable
def _unequal_along(a, axis):
    behind, before = _neighbors_along(a, axis)
    return behind != before


@library(numpy.ediff1d, array_like="ary to_end to_begin", scalars="ary to_end to_begin")
def ediff1d(ary, to_end=None, to_begin=None):
    if not is_array(ary) or not isinstance(ary.dtype, (Integer, Float, Complex)):
        if is_array(ary) and isinstance(ary.dtype, Boolean):
            raise TypingError("Boolean dtype is unsupported (as per NumPy)")
        return None
    for name, one in (("to_end", to_end), ("to_begin", to_begin)):
        if not is_absent(one) and not (is_array(one) and isinstance(one.dtype, (Integer, Float, Complex, Boolean)) and
                                       numpy.can_cast(as_dtype(one.dtype), as_dtype(ary.dtype), "same_kind")):
            raise TypingError(f"dtype of {name} must be compatible with input ary under the `same_kind` rule")
    before = register_jitable((lambda given, row: row[:0]) if is_absent(to_begin) else (lambda given, row: given.ravel()))
    after = register_jitable((lambda given, row: row[:0]) if is_absent(to_end) else (lambda given, row: given.ravel()))

    def differences(ary, to_end=None, to_begin=None):
        row = ary.ravel()
        first, last, count = before(to_begin, row), after(to_end, row), max(row.size - 1, 0)
        made = numpy.empty(first.size + count + last.size, row.dtype)
        made[:first.size] = first
        for at in range(count):
            made[first.size + at] = row[at + 1] - row[at]
        made[first.size + count:] = last
        return made
    return differences


# Numbers instead of NaN and infinities.

@library(numpy.nan_to_num, array_like="x", effects=Effects(mutates="x"))
def nan_to_num(x, copy=True, nan=0.0, posinf=None, neginf=None):
    if not (is_array(x) or isinstance(unliteral(x), (Number, Boolean))):
        raise TypingError("The first argument must be a scalar or an array-like")
    if not _is_numbers(x) or not isinstance(unliteral(copy), (bool, Boolean)):
        return None
    if is_array(x) and not x.ndim and literal(copy) is True:
        return lambda x, copy=True, nan=0.0, posinf=None, neginf=None: numpy.nan_to_num(x[()], True, nan, posinf, neginf)
    keeps = _is_kept(x, copy)
    if isinstance(_item(x), (Integer, Boolean)):
        return keeps(register_jitable(lambda x, nan, posinf, neginf: x))
    replace = _replacer(_item(x), posinf, neginf)
    if not is_array(x):
        return keeps(replace)

    @register_jitable
    def each(x, nan, posinf, neginf):
        items = x.flat
        for at in range(x.size):
            items[at] = replace(items[at], nan, posinf, neginf)
        return x

    @register_jitable
    def each_in_row(x, nan, posinf, neginf):
        row = x.reshape(-1)
        for at in range(row.size):
            row[at] = replace(row[at], nan, posinf, neginf)
        return x
    return keeps(each_in_row if x.layout == "C" else each)


def _is_kept(x, copy):
    """What makes an implementation of one that changes an array: for a copy of it or for itself, as `copy` says."""
    def number(change):
        return lambda x, copy=True, nan=0.0, posinf=None, neginf=None: change(x, nan, posinf, neginf)

    def copied(change):
        return lambda x, copy=True, nan=0.0, posinf=None, neginf=None: change(x.copy(), nan, posinf, neginf)

    def either(change):
        def changed(x, copy=True, nan=0.0, posinf=None, neginf=None):
            if copy:
                return change(x.copy(), nan, posinf, neginf)
            return change(x, nan, posinf, neginf)
        return changed

    def refused(change):
        def changed(x, copy=True, nan=0.0, posinf=None, neginf=None):
            raise_if(not copy, "ValueError", "assignment destination is read-only")
            return change(x.copy(), nan, posinf, neginf)
        return changed
    known = literal(copy)
    if not is_array(x) or known is False and x.mutable:
        return number
    if known is True:
        return copied
    return either if x.mutable else refused


def _replacer(item, posinf, neginf):
    part = as_dtype(item).type(0).real.dtype.type
    most = part(numpy.finfo(part).max)
    above = register_jitable((lambda given: most) if is_absent(posinf) else (lambda given: part(given)))
    below = register_jitable((lambda given: -most) if is_absent(neginf) else (lambda given: part(given)))

    @register_jitable
    def replace(value, nan, posinf, neginf):
        value = part(nan) if value != value else value
        value = above(posinf) if value == numpy.inf else value
        return below(neginf) if value == -numpy.inf else value

    made = as_dtype(item).type

    @register_jitable
    def replace_both(value, nan, posinf, neginf):
        return made(complex(replace(value.real, nan, posinf, neginf), replace(value.imag, nan, posinf, neginf)))
    return replace_both if isinstance(item, Complex) else replace


# Parts of complex numbers, where the compiler does not know them.

def _of_items(function):
    def overload(val):
        if is_sequence(val):
            return lambda val: function(numpy.asarray(val))
    library(function)(overload)


_of_items(numpy.real)
_of_items(numpy.imag)


@library(numpy.angle, array_like="z")
def angle(z, deg=False):
    if not _is_numbers(z):
        raise TypingError('Argument "z" must be a complex or Array[complex], or real')
    item = numpy.float32 if _item(z) in (float32, complex64) else numpy.float64
    return lambda z, deg=False: numpy.arctan2(numpy.imag(z), numpy.real(z)) * item(180 / numpy.pi if deg else 1.0)
