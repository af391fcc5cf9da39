"""Methods of `numpy.random.Generator` objects: NumPy's own functions draw from the object's bit generator.

Not here: making Generators, which Python does.
"""
import math

import numpy

from ...extending import Effects, register_jitable
from ...intrinsics import array_address, raise_if, random_count, random_float, random_generator
from ...types import Boolean, Float, Integer, NumberClass, UnicodeType, uint64, unliteral
from ...types.typeof import as_dtype
from .. import library
from ..numpy._axis import check_axis
from ..numpy.copy_eye import item_of
from .._predicates import is_absent, is_array, is_integer_or_bool
from ._common import (
    above_1, check_corners, check_expected, count_or_nan, drawing, expect, expect_number, expect_size, in_a_row,
    not_negative, positive, probability, probability_above_0, probability_below_1)
from .shuffle_choice import permuter, shuffler

# The numbers of NumPy's functions in the runtime (`rt::random::KERNELS`).
_KERNELS = """
    standard_normal standard_exponential standard_normal_f standard_exponential_f standard_gamma standard_gamma_f beta
    chisquare f standard_cauchy pareto weibull power laplace gumbel logistic lognormal rayleigh standard_t
    noncentral_chisquare noncentral_f wald vonmises triangular poisson negative_binomial logseries geometric zipf
    binomial""".split()


@register_jitable
def _nothing():
    return 0


def _numbers(names, draw, parameters="", defaults=(), dtype=float, together=None, **checks):
    parameters = ["self"] + parameters.split()
    made = drawing(f"Generator.{names}", _nothing, parameters, defaults, checks, draw, dtype, together=together)
    made.__module__ = __name__
    library(f"numpy.random.Generator.{names}")(made)


def _kernel(name, parameters="", defaults=(), dtype=float, **checks):
    """A method that is one of NumPy's functions of floats."""
    number, count = _KERNELS.index(name), len(parameters.split())
    if dtype is float:
        draws = (
            lambda state, self: random_float("generator_float_0", random_generator(self), number),
            lambda state, self, a: random_float("generator_float_1", random_generator(self), number, float(a)),
            lambda state, self, a, b: random_float(
                "generator_float_2", random_generator(self), number, float(a), float(b)),
            lambda state, self, a, b, c: random_float(
                "generator_float_3", random_generator(self), number, float(a), float(b), float(c)))
    else:
        draws = (
            None,
            lambda state, self, a: random_count("generator_count_1", random_generator(self), number, float(a)),
            lambda state, self, a, b: random_count(
                "generator_count_2", random_generator(self), number, float(a), float(b)))
    _numbers(name, draws[count], parameters, defaults, dtype, **checks)


_kernel("standard_cauchy")
_kernel("beta", "a b", a=positive, b=positive)
_kernel("chisquare", "df", df=positive)
_kernel("f", "dfnum dfden", dfnum=positive, dfden=positive)
_kernel("pareto", "a", a=positive)
_kernel("weibull", "a", a=not_negative)
_kernel("power", "a", a=positive)
_kernel("laplace", "loc scale", (0.0, 1.0), scale=not_negative)
_kernel("gumbel", "loc scale", (0.0, 1.0), scale=not_negative)
_kernel("logistic", "loc scale", (0.0, 1.0), scale=not_negative)
_kernel("lognormal", "mean sigma", (0.0, 1.0), sigma=not_negative)
_kernel("rayleigh", "scale", (1.0,), scale=not_negative)
_kernel("standard_t", "df", df=positive)
_kernel("noncentral_chisquare", "df nonc", df=positive, nonc=not_negative)
_kernel("noncentral_f", "dfnum dfden nonc", dfnum=positive, dfden=positive, nonc=not_negative)
_kernel("wald", "mean scale", mean=positive, scale=positive)
_kernel("vonmises", "mu kappa", kappa=not_negative)
_kernel("logseries", "p", dtype=int, p=probability_below_1)
_kernel("geometric", "p", dtype=int, p=probability_above_0)
_kernel("zipf", "a", dtype=int, a=above_1)

_GAMMA, _TRIANGULAR, _POISSON, _NEGATIVE_BINOMIAL = map(_KERNELS.index, (
    "standard_gamma", "triangular", "poisson", "negative_binomial"))


def _check_width(self, low, high):
    width = float(high) - float(low)
    raise_if(not abs(width) <= 1.7976931348623157e308, "OverflowError", "high - low range exceeds valid bounds")
    raise_if(width < 0 or width == 0 and math.copysign(1.0, width) < 0, "ValueError", "high - low < 0")


_numbers("uniform", lambda state, self, low, high: float(low) + (float(high) - float(low)) * random_float(
    "generator_unit", random_generator(self)), "low high", (0.0, 1.0), together=_check_width)
_numbers("normal", lambda state, self, loc, scale: loc + scale * random_float(
    "generator_normal", random_generator(self)), "loc scale", (0.0, 1.0), scale=not_negative)
_numbers("exponential", lambda state, self, scale: scale * random_float(
    "generator_exponential", random_generator(self)), "scale", (1.0,), scale=not_negative)
_numbers("gamma", lambda state, self, shape, scale: scale * random_float(
    "generator_float_1", random_generator(self), _GAMMA, float(shape)), "shape scale", (1.0,), shape=not_negative,
    scale=not_negative)


_numbers("triangular", lambda state, self, left, mode, right: random_float(
    "generator_float_3", random_generator(self), _TRIANGULAR, float(left), float(mode), float(right)), "left mode right",
    together=register_jitable(lambda self, left, mode, right: check_corners(left, mode, right)))
_numbers("poisson", lambda state, self, lam: random_count(
    "generator_count_1", random_generator(self), _POISSON, float(lam)), "lam", (1.0,), dtype=int,
    together=register_jitable(lambda self, lam: check_expected(lam)))


def _check_trials(self, n, p):
    raise_if(float(n) != float(n), "ValueError", "n must not be NaN")
    raise_if(float(n) <= 0, "ValueError", "n <= 0")
    raise_if(not 0 < float(p) <= 1, "ValueError", "p <= 0, p > 1 or p contains NaNs")


_numbers("negative_binomial", lambda state, self, n, p: random_count(
    "generator_count_2", random_generator(self), _NEGATIVE_BINOMIAL, float(n), float(p)), "n p", dtype=int,
    together=_check_trials)
_numbers("binomial", lambda state, self, n, p: random_count(
    "generator_binomial", random_generator(self), int(n), float(p)), "n p", dtype=int, n=count_or_nan, p=probability)


def _check_sample(self, ngood, nbad, nsample):
    raise_if(int(ngood) < 0, "ValueError", "ngood < 0")
    raise_if(int(nbad) < 0, "ValueError", "nbad < 0")
    raise_if(int(nsample) < 0, "ValueError", "nsample < 0")
    raise_if(int(ngood) >= 10**9 or int(nbad) >= 10**9, "ValueError", "both ngood and nbad must be less than 1000000000")
    raise_if(int(ngood) + int(nbad) < int(nsample), "ValueError", "ngood + nbad < nsample")


_numbers("hypergeometric", lambda state, self, ngood, nbad, nsample: random_count(
    "generator_hypergeometric", random_generator(self), int(ngood), int(nbad), int(nsample)), "ngood nbad nsample",
    dtype=int, together=_check_sample)


# Floats in one of two precisions.

def _precision(dtype):
    """The number of bits of the floats that are asked for."""
    if dtype is numpy.float64 or is_absent(dtype):
        return 64
    item = item_of(dtype)
    expect(dtype, isinstance(item, Float) and item.bitwidth in (32, 64), "dtype", [numpy.float32, numpy.float64])
    return item.bitwidth


def _filling(draw):
    """What fills an array, number by number."""
    @register_jitable
    def fill(made, state):
        row = in_a_row(made)
        for at in range(made.size):
            row[at] = draw(state)
    return fill


def _in_both(name, double, single, fill_doubles=None):
    """Registers a method with `size` and `dtype`; both functions get a state. A third one fills an array of doubles."""
    draws = {64: register_jitable(double), 32: register_jitable(single)}
    items = {64: numpy.dtype(numpy.float64), 32: numpy.dtype(numpy.float32)}
    fills = {bits: _filling(draw) for bits, draw in draws.items()}
    if fill_doubles:
        fills[64] = register_jitable(fill_doubles)

    def overloaded(self, size=None, dtype=numpy.float64):
        expect_size(size)
        bits = _precision(dtype)
        draw, item, fill = draws[bits], items[bits], fills[bits]
        kind = item.type

        def one(self, size=None, dtype=numpy.float64):
            return kind(draw(random_generator(self)))

        def many(self, size=None, dtype=numpy.float64):
            made = numpy.empty(size, item)
            fill(made, random_generator(self))
            return made
        return one if is_absent(size) else many
    library(f"numpy.random.Generator.{name}")(overloaded)


_SINGLE_NORMAL, _SINGLE_EXPONENTIAL, _SINGLE_GAMMA = map(_KERNELS.index, (
    "standard_normal_f", "standard_exponential_f", "standard_gamma_f"))
_in_both("random", lambda state: random_float("generator_unit", state),
         lambda state: random_float("generator_single", state))
_in_both("standard_normal", lambda state: random_float("generator_normal", state),
         lambda state: random_float("generator_single_0", state, _SINGLE_NORMAL),
         lambda made, state: random_count("generator_fill_normal", state, made.size, array_address(made)))


@library("numpy.random.Generator.standard_exponential")
def standard_exponential(self, size=None, dtype=numpy.float64, method="zig"):
    expect(method, isinstance(method, (str, UnicodeType)) or hasattr(method, "literal_value")
           and isinstance(method.literal_value, str), "method", [UnicodeType, str])
    expect_size(size)
    chosen = getattr(method, "literal_value", method)
    bits = _precision(dtype)
    item = numpy.dtype(numpy.float64 if bits == 64 else numpy.float32)
    kind = item.type
    ziggurat = register_jitable({
        64: lambda state: random_float("generator_exponential", state),
        32: lambda state: random_float("generator_single_0", state, _SINGLE_EXPONENTIAL)}[bits])
    inverse = register_jitable({
        64: lambda state: random_float("generator_inverse", state),
        32: lambda state: random_float("generator_single_inverse", state)}[bits])
    if isinstance(chosen, str):
        draw = ziggurat if chosen == "zig" else inverse

        @register_jitable
        def drawn(state, method):
            return draw(state)
    else:
        @register_jitable
        def drawn(state, method):
            return ziggurat(state) if method == "zig" else inverse(state)

    def one(self, size=None, dtype=numpy.float64, method="zig"):
        return kind(drawn(random_generator(self), method))

    @register_jitable
    def fill_one_by_one(made, state, method):
        row = in_a_row(made)
        for at in range(made.size):
            row[at] = drawn(state, method)
    fill = _fill_exponential if bits == 64 and chosen == "zig" else fill_one_by_one

    def many(self, size=None, dtype=numpy.float64, method="zig"):
        made = numpy.empty(size, item)
        fill(made, random_generator(self), method)
        return made
    return one if is_absent(size) else many


@register_jitable
def _fill_exponential(made, state, method):
    random_count("generator_fill_exponential", state, made.size, array_address(made))


@library("numpy.random.Generator.standard_gamma")
def standard_gamma(self, shape, size=None, dtype=numpy.float64):
    expect_number(shape, "shape")
    expect_size(size)
    bits = _precision(dtype)
    item = numpy.dtype(numpy.float64 if bits == 64 else numpy.float32)
    kind, check = item.type, not_negative("shape")
    draw = register_jitable({
        64: lambda state, shape: random_float("generator_float_1", state, _GAMMA, shape),
        32: lambda state, shape: random_float("generator_single_1", state, _SINGLE_GAMMA, shape)}[bits])

    def one(self, shape, size=None, dtype=numpy.float64):
        check(shape)
        return kind(draw(random_generator(self), float(shape)))

    def many(self, shape, size=None, dtype=numpy.float64):
        check(shape)
        made, state, parameter = numpy.empty(size, item), random_generator(self), float(shape)
        row = in_a_row(made)
        for at in range(made.size):
            row[at] = draw(state, parameter)
        return made
    return one if is_absent(size) else many


# Integers and orders.

def _truth(ty):
    return isinstance(ty, bool) or isinstance(unliteral(ty), Boolean)


def _items_of(dtype):
    """The dtype of the integers that are asked for, and their width in bits."""
    if dtype is numpy.int64 or is_absent(dtype):
        return numpy.dtype(numpy.int64), 64
    item = item_of(dtype) if isinstance(dtype, NumberClass) or not isinstance(unliteral(dtype), Float) else None
    expect(dtype, isinstance(item, (Integer, Boolean)), "dtype", [Integer, Boolean])
    width = 1 if isinstance(item, Boolean) else item.bitwidth
    return as_dtype(item), width


@register_jitable
def _width(low, high, endpoint, least, greatest, before):
    """The largest of the numbers that are drawn before `low` is added."""
    raise_if(low < least, "ValueError", "low is out of bounds")
    last = high
    if not endpoint:
        raise_if(low >= high, "ValueError", "low is greater than or equal to high in given interval")
        last = before(high)
    raise_if(last > greatest, "ValueError", "high is out of bounds")
    raise_if(low > last, "ValueError", "low is greater than high in given interval")
    return numpy.int64(numpy.uint64(last) - numpy.uint64(low))


@library("numpy.random.Generator.integers")
def integers(self, low, high=None, size=None, dtype=numpy.int64, endpoint=False):
    expect(low, is_integer_or_bool(low), "low", [Integer, Boolean, int, bool])
    expect(high, is_absent(high) or is_integer_or_bool(high), "high", [Integer, Boolean, int, bool])
    expect_size(size)
    expect(endpoint, _truth(endpoint), "endpoint", [Boolean, bool])
    item, width = _items_of(dtype)
    limits = (0, 1) if width == 1 else (numpy.iinfo(item).min, numpy.iinfo(item).max)
    least, greatest = int(limits[0]), int(limits[1])
    is_below = is_absent(high)
    bounds = register_jitable((lambda low, high: (0, low)) if is_below else (lambda low, high: (low, high)))
    # An integer of 64 bits without a sign stays one.
    is_large = unliteral(low if is_below else high) == uint64
    before = register_jitable((lambda high: high - numpy.uint64(1)) if is_large else (lambda high: numpy.int64(high) - 1))

    def many(self, low, high=None, size=None, dtype=numpy.int64, endpoint=False):
        first, last = bounds(low, high)
        most = _width(first, last, endpoint, least, greatest, before)
        made = numpy.empty(size, item)
        random_count("generator_fill", random_generator(self), width, numpy.int64(first), most, made.size,
                     array_address(made))
        return made

    def one(self, low, high=None, size=None, dtype=numpy.int64, endpoint=False):
        first, last = bounds(low, high)
        most = _width(first, last, endpoint, least, greatest, before)
        made = numpy.empty(1, item)
        random_count("generator_fill", random_generator(self), width, numpy.int64(first), most, 1,
                     array_address(made))
        return made[0]

    def one_wide(self, low, high=None, size=None, dtype=numpy.int64, endpoint=False):
        first, last = bounds(low, high)
        most = _width(first, last, endpoint, least, greatest, before)
        return numpy.int64(first) + random_count("generator_below", random_generator(self), most)
    if not is_absent(size):
        return many
    return one_wide if item == numpy.int64 else one


@register_jitable
def _interval(state, most):
    return random_count("generator_interval", state, most)


def _is_first(axis):
    """Whether it is known that an axis is the first one."""
    expect(axis, is_integer_or_bool(axis), "axis", [int, Integer])
    return isinstance(axis, int) and axis == 0 or getattr(axis, "literal_value", None) == 0


@library("numpy.random.Generator.shuffle", effects=Effects(mutates="x"))
def shuffle(self, x, axis=0):
    arrange = shuffler(x, _interval)
    expect(x, arrange is not None, "x", "array, list")
    if _is_first(axis) or not is_array(x):
        return lambda self, x, axis=0: arrange(x, random_generator(self))
    if x.ndim == 1:
        return _of_one_axis(arrange)
    return lambda self, x, axis=0: arrange(numpy.swapaxes(x, 0, axis), random_generator(self))


def _of_one_axis(arrange):
    def call(self, x, axis=0):
        check_axis(x, axis)
        return arrange(x, random_generator(self))
    return call


@library("numpy.random.Generator.permutation")
def permutation(self, x, axis=0):
    arrange = permuter(x, _interval)
    expect(x, arrange is not None, "x", "array, integer")
    if _is_first(axis) or not is_array(x):
        return lambda self, x, axis=0: arrange(x, random_generator(self))
    if x.ndim == 1:
        return _of_one_axis(arrange)

    def along(self, x, axis=0):
        source, made = numpy.swapaxes(x, 0, axis), numpy.empty(x.shape, x.dtype)
        target = numpy.swapaxes(made, 0, axis)
        indices = arranged(len(source), random_generator(self))
        for at in range(len(source)):
            target[at] = source[indices[at]]
        return made
    return along


arranged = permuter(1, _interval)
