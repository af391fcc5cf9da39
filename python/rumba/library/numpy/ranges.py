"""Numerical ranges: `arange`, `linspace`, `logspace`, `geomspace`."""
import math

import numpy

from ...errors import TypingError
from ...extending import register_jitable
from ...intrinsics import prange, raise_if
from ...types import Boolean, Complex, Integer, Number, unliteral
from ...types.typeof import as_dtype
from .. import in_parallel, library
from ._axis import literal as _literal
from .copy_eye import item_of
from .datetime_units import times_between
from .._predicates import is_absent, is_dtype


@library(numpy.linspace)
def linspace(start, stop, num=50, endpoint=True, retstep=False, dtype=None):
    numbers = all(isinstance(unliteral(one), (Number, Boolean)) for one in (start, stop))
    if not numbers or not (isinstance(num, int) or isinstance(unliteral(num), Integer)):
        return None
    if not (is_absent(dtype) or is_dtype(dtype)) or not isinstance(_literal(retstep), bool):
        return None
    is_complex = any(isinstance(unliteral(one), Complex) for one in (start, stop))
    if endpoint is True and not _literal(retstep) and is_absent(dtype):
        in_parallel.note()
        return _spread_complex if is_complex else _spread
    spread = register_jitable(_spread_complex if is_complex else _spread)
    finish = _converter(dtype)
    number = complex if is_complex else float

    def open_ended(start, stop, num=50, endpoint=True, retstep=False, dtype=None):
        return finish(values(start, stop, num, endpoint))

    def with_step(start, stop, num=50, endpoint=True, retstep=False, dtype=None):
        parts = num - 1 if endpoint else num
        step = (number(stop) - number(start)) / parts if parts > 0 else number(numpy.nan)
        return finish(values(start, stop, num, endpoint)), step

    @register_jitable
    def values(start, stop, num, endpoint):
        if endpoint:
            return spread(start, stop, num)
        raise_if(num < 0, "ValueError", "Number of samples, {}, must be non-negative.", num)
        made = spread(start, stop, 0) if num < 1 else numpy.empty(num, spread(start, stop, 0).dtype)
        if num:
            step = (number(stop) - number(start)) / num
            for at in range(num):
                made[at] = at * step + number(start)
        return made
    return with_step if _literal(retstep) else open_ended


library(in_parallel.name_of(numpy.linspace), parallel=in_parallel.LOOPS)(in_parallel.asking(linspace))


def _converter(dtype):
    if is_absent(dtype):
        return register_jitable(lambda made: made)
    item = as_dtype(item_of(dtype))
    if item.kind in "iu":
        return register_jitable(lambda made: numpy.floor(made).astype(item))
    return register_jitable(lambda made: made.astype(item))


def _spread(start, stop, num=50, endpoint=True, retstep=False, dtype=None):
    raise_if(num < 0, "ValueError", "Number of samples, {}, must be non-negative.", num)
    made = numpy.empty(num, numpy.float64)
    low, high = float(start), float(stop)
    parts = num - 1
    step = (high - low) / parts if parts > 0 else numpy.nan
    # What does not change in a loop is asked before it, so that each runs on vectors.
    if parts <= 0:
        made[:] = low
    elif step == 0:
        for at in prange(num):
            made[at] = at / parts * (high - low) + low
    else:
        for at in prange(num):
            made[at] = at * step + low
    if num > 1:
        made[num - 1] = high
    return made


def _spread_complex(start, stop, num=50, endpoint=True, retstep=False, dtype=None):
    raise_if(num < 0, "ValueError", "Number of samples, {}, must be non-negative.", num)
    made = numpy.empty(num, numpy.complex128)
    low, high = complex(start), complex(stop)
    parts = num - 1
    for at in prange(num):
        made[at] = low if parts <= 0 else complex(
            at * ((high.real - low.real) / parts) + low.real, at * ((high.imag - low.imag) / parts) + low.imag)
    if num > 1:
        made[num - 1] = high
    return made


@library(numpy.logspace)
def logspace(start, stop, num=50, endpoint=True, base=10.0):
    for name, one in (("start", start), ("stop", stop)):
        if not isinstance(unliteral(one), (Number, Boolean)):
            raise TypingError(f'The {"first" if name == "start" else "second"} argument "{name}" must be a number')
    if not isinstance(unliteral(num), (int, Integer)):
        raise TypingError('The third argument "num" must be an integer')
    return lambda start, stop, num=50, endpoint=True, base=10.0: numpy.power(
        base, numpy.linspace(start, stop, num, endpoint))


@library(numpy.geomspace)
def geomspace(start, stop, num=50, endpoint=True):
    for name, one in (("start", start), ("stop", stop)):
        if not isinstance(unliteral(one), (Number, Boolean)):
            raise TypingError(f'The argument "{name}" must be a number')
    if not isinstance(unliteral(num), (int, Integer)):
        raise TypingError('The argument "num" must be an integer')
    is_complex = any(isinstance(unliteral(one), Complex) for one in (start, stop))
    made = numpy.complex128 if is_complex else numpy.float64
    logarithm, raised = (_log_complex, _tens_complex) if is_complex else (_log, _tens)

    def between(start, stop, num=50, endpoint=True):
        raise_if(start == 0 or stop == 0, "ValueError", "Geometric sequence cannot include zero")
        low, high = made(start), made(stop)
        sign = low / abs(low)
        result = raised(numpy.linspace(logarithm(low / sign), logarithm(high / sign), num, endpoint))
        if num > 0:
            result[0] = low / sign
            if num > 1 and endpoint:
                result[num - 1] = high / sign
        return result * sign
    return between


@register_jitable
def _log(number):
    return numpy.log10(number)


@register_jitable
def _log_complex(number):
    """The logarithm by length and angle: that of a real number is as near as there."""
    return complex(math.log10(abs(number)), math.atan2(number.imag, number.real) / _LOG_10)


@register_jitable
def _tens(exponents):
    return numpy.power(10.0, exponents)


@register_jitable
def _tens_complex(exponents):
    """Powers of ten by length and angle."""
    for at in range(exponents.size):
        length, angle = 10.0 ** exponents[at].real, exponents[at].imag * _LOG_10
        exponents[at] = complex(length * math.cos(angle), length * math.sin(angle))
    return exponents


_LOG_10 = math.log(10.0)


@library(numpy.arange)
def arange(start, stop=None, step=None, dtype=None):
    of_times = times_between(start, stop, step, dtype)
    if of_times is not None:
        return of_times
    given = [one for one in (start, stop, step) if not is_absent(one)]
    if not all(isinstance(unliteral(one), (Number, Boolean)) for one in given) or not (is_absent(dtype) or is_dtype(dtype)):
        return None
    if is_absent(dtype):
        # NumPy counts in the machine's integers at least, and finds a common dtype of all from there.
        item = numpy.result_type(numpy.int64, *(as_dtype(unliteral(one)) for one in given))
    else:
        item = as_dtype(item_of(dtype))
    first = register_jitable((lambda start, stop: 0) if is_absent(stop) else (lambda start, stop: start))
    last = register_jitable((lambda start, stop: start) if is_absent(stop) else (lambda start, stop: stop))
    by = register_jitable((lambda step: 1) if is_absent(step) else (lambda step: step))
    made, steps, of_truth = item.type, _steps_of(given), item == numpy.bool_

    def filled(start, stop=None, step=None, dtype=None):
        low, high, apart = first(start, stop), last(start, stop), by(step)
        raise_if(apart == 0, "ZeroDivisionError", "division by zero")
        count = max(steps((high - low) / apart), 0)
        raise_if(of_truth and count > 2, "TypeError",
                 "arange() is only supported for booleans when the result has at most length 2.")
        result = numpy.empty(count, item)
        begin = made(low)
        by_item = made(low + apart) - begin
        for at in range(count):
            result[at] = begin + at * by_item
        return result
    return filled


def _steps_of(given):
    """What counts the items from the quotient of span and step. Of complex numbers NumPy takes the part that ends first,
    of those of single precision the real one."""
    kinds = [unliteral(one) for one in given if isinstance(unliteral(one), Complex)]
    if any(kind.bitwidth == 128 for kind in kinds):
        return register_jitable(lambda span: min(int(numpy.ceil(span.real)), int(numpy.ceil(span.imag))))
    if kinds:
        return register_jitable(lambda span: int(numpy.ceil(span.real)))
    return register_jitable(lambda span: int(numpy.ceil(span)))
