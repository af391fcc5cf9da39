"""`numpy.fft`: NumPy's own inner loops of its transforms, called for each line of an array.

The loops are those of NumPy 2 (`numpy.fft._pocketfft_umath`), so results are NumPy's to the bit. One call transforms all lines that lie at
one distance from each other; it pads, cuts and scales.
"""
import numpy

from ...errors import TypingError
from ...extending import register_jitable
from ...intrinsics import array_address, raise_if, scratch, scratch_items, scratch_set, ufunc_loop
from ...types import Boolean, Complex, Float, Integer, complex64, float16, float32, unliteral
from ...types.typeof import as_dtype
from .. import library
from .._predicates import is_absent, is_array, is_shape
from ._axis import OUTSIDE, literal

_MODULE = "numpy.fft._pocketfft_umath"
_NO_POINTS = "Invalid number of FFT data points ({}) specified."
_NORMS = (None, "backward", "ortho", "forward")
# What a norm is for the transform in the other direction.
_SWAPPED = {None: "forward", "backward": "forward", "ortho": "ortho", "forward": "backward"}


def _is_transformed(a):
    if not hasattr(numpy.fft, "_pocketfft_umath"):
        raise TypingError(f"compiled code calls the loops that numpy.fft has since NumPy 2, and this is NumPy {numpy.__version__}: "
                          "call it outside of compiled code")
    return is_array(a) and a.ndim > 0 and isinstance(a.dtype, (Boolean, Integer, Float, Complex))


def _classes(a, kind, is_scaled):
    """The classes of real and of complex numbers of the result, and the characters of those that are computed with.

    As with NumPy's own call of them, the loops of single precision are taken only where both arguments are theirs: a factor of 1 counts as
    a double, and so does a real number where a loop takes complex ones.
    """
    real, whole = (numpy.float32, numpy.complex64) if a.dtype in (float16, float32, complex64) else (numpy.float64, numpy.complex128)
    is_single = is_scaled and a.dtype == (float32 if kind == "rfft" else complex64)
    return real, whole, *("fF" if is_single else "dD")


def _norm(norm):
    known = None if is_absent(norm) else literal(norm)
    if known not in _NORMS:
        raise TypingError("'norm' must be None, 'backward', 'ortho' or 'forward', known when the function compiles")
    return known


def _factor(norm, real):
    """What scales the result of so many points."""
    if norm == "ortho":
        return register_jitable(lambda n: real(1) / numpy.sqrt(real(n)))
    if norm == "forward":
        return register_jitable(lambda n: real(1) / real(n))
    return register_jitable(lambda n: real(1))


def _lines(loop, ndim, real):
    """What calls a loop for all lines along an axis."""
    @register_jitable(boundscheck=False)
    def transform(a, out, factor, axis):
        addresses, lengths, steps = numpy.empty(3, numpy.int64), numpy.empty(3, numpy.int64), numpy.zeros(5, numpy.int64)
        scale = numpy.empty(1, real)
        scale[0] = factor
        # One call goes along the longest of the other axes.
        inner = -1
        for at in range(ndim):
            if at != axis and (inner < 0 or a.shape[at] > a.shape[inner]):
                inner = at
        lengths[0], lengths[1], lengths[2] = 1, a.shape[axis], out.shape[axis]
        steps[3], steps[4] = a.strides[axis], out.strides[axis]
        if inner >= 0:
            lengths[0], steps[0], steps[2] = a.shape[inner], a.strides[inner], out.strides[inner]
        calls = 1
        for at in range(ndim):
            if at != axis and at != inner:
                calls *= a.shape[at]
        addresses[1] = array_address(scale)
        for number in range(calls):
            rest, source, result = number, numpy.int64(array_address(a)), numpy.int64(array_address(out))
            for at in range(ndim):
                if at != axis and at != inner:
                    index, rest = rest % a.shape[at], rest // a.shape[at]
                    source += index * a.strides[at]
                    result += index * out.strides[at]
            addresses[0], addresses[2] = source, result
            ufunc_loop(loop, addresses, lengths, steps, a, out, scale)
    return transform


def _result(a, item):
    """What makes the array of the result: in the order of the array, with another length along one axis."""
    if a.layout == "F" and a.ndim > 1:
        @register_jitable
        def columns(a, axis, length):
            turned = a.T
            return numpy.empty(_with_length(turned.shape, a.ndim - 1 - axis, length), item).T
        return columns

    @register_jitable
    def rows(a, axis, length):
        return numpy.empty(_with_length(a.shape, axis, length), item)
    return rows


@register_jitable
def _with_length(shape, axis, length):
    lengths = scratch(shape)
    scratch_set(lengths, axis, length)
    return tuple(scratch_items(lengths))


@register_jitable
def _front(axis, ndim):
    """The number of an axis, counted from the front."""
    raise_if(axis < -ndim or axis >= ndim, "AxisError", OUTSIDE, axis, ndim)
    return axis + ndim if axis < 0 else axis


@register_jitable
def _points_along(a, n, axis):
    raise_if(axis < -a.ndim or axis >= a.ndim, "IndexError", "tuple index out of range")
    return a.shape[axis]


@register_jitable
def _points_given(a, n, axis):
    return n


@register_jitable
def _points_of_half(a, n, axis):
    raise_if(axis < -a.ndim or axis >= a.ndim, "IndexError", "tuple index out of range")
    return (a.shape[axis] - 1) * 2


def _along_one_axis(a, n, norm, kind):
    """What transforms the lines of an array: `kind` is the name of NumPy's function."""
    if not _is_transformed(a) or not (is_absent(n) or isinstance(unliteral(n), Integer) or isinstance(n, int)):
        return None
    if kind == "rfft" and isinstance(a.dtype, Complex):
        raise TypingError("rfft takes real numbers")
    direction = _norm(norm) if kind in ("fft", "rfft") else _SWAPPED[_norm(norm)]
    real, whole, r, c = _classes(a, kind, direction in ("ortho", "forward"))
    factor, computed = _factor(direction, real), numpy.dtype(real if kind == "irfft" else whole)
    given, made = (numpy.dtype(letter) for letter in {"rfft": r + c, "irfft": c + r}.get(kind, c + c))
    out_of = _result(a, made)
    absent = _points_of_half if kind == "irfft" else _points_along
    points, ndim = absent if is_absent(n) else _points_given, a.ndim
    converted, finished = _conversion(as_dtype(a.dtype), given), _conversion(made, computed)
    types = {"rfft": f"{r}{r}->{c}", "irfft": f"{c}{r}->{r}"}.get(kind, f"{c}{r}->{c}")

    def loop(name):
        return _lines(f"{_MODULE}:{name}:{types}", ndim, numpy.dtype(r).type)
    if kind == "rfft":
        even, odd = loop("rfft_n_even"), loop("rfft_n_odd")

        @register_jitable
        def transform(a, out, n, scale, axis):
            if n % 2 == 0:
                even(a, out, scale, axis)
            else:
                odd(a, out, scale, axis)
        length = register_jitable(lambda n: n // 2 + 1)
    else:
        lines = loop(kind)
        transform = register_jitable(lambda a, out, n, scale, axis: lines(a, out, scale, axis))
        length = register_jitable(lambda n: n)

    @register_jitable
    def along(a, n, axis):
        count = points(a, n, axis)
        raise_if(count < 1, "ValueError", _NO_POINTS, count)
        axis = _front(axis, ndim)
        items = converted(a)
        out = out_of(a, axis, length(count))
        transform(items, out, count, factor(count), axis)
        return finished(out)
    return along


def _conversion(dtype, to):
    """What converts an array."""
    return register_jitable((lambda a: a) if dtype == to else (lambda a: a.astype(to)))


def _register_one(function, kind):
    @library(function, array_like="a")
    def transform(a, n=None, axis=-1, norm=None, out=None):
        along = _along_one_axis(a, n, norm, kind) if is_absent(out) else None
        if along is not None:
            return lambda a, n=None, axis=-1, norm=None, out=None: along(a, n, axis)


_register_one(numpy.fft.fft, "fft")
_register_one(numpy.fft.ifft, "ifft")
_register_one(numpy.fft.rfft, "rfft")
_register_one(numpy.fft.irfft, "irfft")


@library(numpy.fft.hfft, array_like="a")
def hfft(a, n=None, axis=-1, norm=None, out=None):
    if not _is_transformed(a) or not is_absent(out):
        return None
    swapped = _SWAPPED[_norm(norm)]
    return lambda a, n=None, axis=-1, norm=None, out=None: numpy.fft.irfft(numpy.conjugate(a), n, axis, swapped)


@library(numpy.fft.ihfft, array_like="a")
def ihfft(a, n=None, axis=-1, norm=None, out=None):
    if not _is_transformed(a) or not is_absent(out):
        return None
    swapped = _SWAPPED[_norm(norm)]
    return lambda a, n=None, axis=-1, norm=None, out=None: numpy.conjugate(numpy.fft.rfft(a, n, axis, swapped))


# Several axes: one after the other.

def _chain(function, norm, indices):
    """What transforms along the axes at these indices, in this order."""
    if not indices:
        return register_jitable(lambda a, s, axes: a)
    index, rest = indices[0], _chain(function, norm, indices[1:])
    return register_jitable(lambda a, s, axes: rest(function(a, s[index], axes[index], norm), s, axes))


def _lengths(ndim, count, has_lengths, kind):
    """What says how many points there are along each axis; of those that are given, -1 stands for what the array has."""
    indices, last, is_half = (0,) * count, count - 1, kind == "irfft" and not has_lengths

    @register_jitable
    def lengths(a, s, axes):
        found = scratch(indices)
        for at in range(count):
            axis = numpy.int64(axes[at])
            if not has_lengths:
                raise_if(axis < -ndim or axis >= ndim, "IndexError", _OUTSIDE, axis, ndim)
            points = numpy.int64(s[at]) if has_lengths else a.shape[axis]
            if has_lengths and points == -1:
                raise_if(axis < -ndim or axis >= ndim, "IndexError", "tuple index out of range")
                points = a.shape[axis]
            scratch_set(found, at, (points - 1) * 2 if is_half and at == last else points)
        return tuple(scratch_items(found))
    return lengths


_OUTSIDE = "index {} is out of bounds for axis 0 with size {}"


def _several(a, s, axes, norm, kind):
    """What transforms along several axes; None where types do not tell how many."""
    if not _is_transformed(a) or not (is_absent(s) or is_shape(s)):
        return None
    norm, has_lengths = _norm(norm), not is_absent(s)
    if is_absent(axes):
        count = len(s) if has_lengths else a.ndim
        axes_of = register_jitable(lambda axes, known=tuple(range(-count, 0)): known)
    elif isinstance(axes, tuple) or is_shape(axes):
        count, axes_of = len(axes), register_jitable(lambda axes: axes)
    else:
        return None
    if has_lengths and len(s) != count:
        raise TypingError("Shape and axes have different lengths.")
    if not count or count > a.ndim:
        return None
    lengths, steps = _lengths(a.ndim, count, has_lengths, kind), _steps(norm, kind, count - 1)

    @register_jitable
    def over(a, s, axes):
        axes = axes_of(axes)
        return steps(a, lengths(a, s, axes), axes)
    return over


def _steps(norm, kind, last):
    """What transforms along the axes, one after the other, as NumPy does it: real numbers along the last one."""
    if kind in ("fft", "ifft"):
        return _chain(getattr(numpy.fft, kind), norm, list(range(last, -1, -1)))
    if kind == "rfft":
        first, others = _chain(numpy.fft.rfft, norm, [last]), _chain(numpy.fft.fft, norm, list(range(last - 1, -1, -1)))
    else:
        first, others = _chain(numpy.fft.ifft, norm, list(range(last))), _chain(numpy.fft.irfft, norm, [last])
    return register_jitable(lambda a, s, axes: others(first(a, s, axes), s, axes))


def _register_several(kind):
    @library(getattr(numpy.fft, kind + "n"), array_like="a")
    def over_all(a, s=None, axes=None, norm=None, out=None):
        steps = _several(a, s, axes, norm, kind) if is_absent(out) else None
        if steps is not None:
            return lambda a, s=None, axes=None, norm=None, out=None: steps(a, s, axes)

    @library(getattr(numpy.fft, kind + "2"), array_like="a")
    def over_two(a, s=None, axes=(-2, -1), norm=None, out=None):
        steps = _several(a, s, axes, norm, kind) if is_absent(out) else None
        if steps is not None:
            return lambda a, s=None, axes=(-2, -1), norm=None, out=None: steps(a, s, axes)


for _kind in ("fft", "ifft", "rfft", "irfft"):
    _register_several(_kind)


# Frequencies, and the middle to the front.

@library(numpy.fft.fftfreq)
def fftfreq(n, d=1.0, device=None):
    if not isinstance(unliteral(n), Integer) and not isinstance(n, int) or not is_absent(device):
        return None

    def frequencies(n, d=1.0, device=None):
        step = 1.0 / (n * d)
        result = numpy.empty(n, numpy.float64)
        positive = (n - 1) // 2 + 1
        for at in range(positive):
            result[at] = at * step
        for at in range(positive, n):
            result[at] = (at - n) * step
        return result
    return frequencies


@library(numpy.fft.rfftfreq)
def rfftfreq(n, d=1.0, device=None):
    if not isinstance(unliteral(n), Integer) and not isinstance(n, int) or not is_absent(device):
        return None

    def frequencies(n, d=1.0, device=None):
        step = 1.0 / (n * d)
        result = numpy.empty(n // 2 + 1, numpy.float64)
        for at in range(result.size):
            result[at] = at * step
        return result
    return frequencies


def _shifted(x, axes, distance):
    if not is_array(x):
        return None
    if is_absent(axes):
        axes = tuple(range(x.ndim))
        turn = _rolls(len(axes), distance)
        return register_jitable(lambda x, _: turn(x, axes))
    if is_shape(axes) or isinstance(axes, tuple):
        return _rolls(len(axes), distance)
    if isinstance(unliteral(axes), Integer) or isinstance(axes, int):
        return register_jitable(lambda x, axis: numpy.roll(x, distance(x.shape[axis]), axis))
    return None


def _rolls(count, distance):
    if not count:
        return register_jitable(lambda x, axes: x)
    rest, index = _rolls(count - 1, distance), count - 1
    return register_jitable(lambda x, axes: rest(numpy.roll(x, distance(x.shape[axes[index]]), axes[index]), axes))


_half = register_jitable(lambda n: n // 2)
_half_back = register_jitable(lambda n: -(n // 2))


@library(numpy.fft.fftshift, array_like="x")
def fftshift(x, axes=None):
    turn = _shifted(x, axes, _half)
    if turn is not None:
        return lambda x, axes=None: turn(x, axes)


@library(numpy.fft.ifftshift, array_like="x")
def ifftshift(x, axes=None):
    turn = _shifted(x, axes, _half_back)
    if turn is not None:
        return lambda x, axes=None: turn(x, axes)
