"""The functions of Python's module `random`, with the stream of `random.Random`."""
import math
import sys

import numpy

from ...extending import Effects, register_jitable
from ...intrinsics import array_address, raise_if, random_count, random_float, random_python, random_unit, random_word
from ...types import BaseTuple, Float, UnicodeType, UniTuple, unliteral
from .. import library
from .._predicates import is_absent, is_array, is_integer_or_bool, is_list
from ._common import is_number, renamed
from .shuffle_choice import shuffler


def _of_numbers(name, function):
    """Registers an implementation for real numbers under its own parameters."""
    implementation = function
    count = function.__code__.co_argcount
    templates = {
        1: lambda a: implementation if is_number(a) else None,
        2: lambda a, b: implementation if is_number(a) and is_number(b) else None,
    }
    made = renamed(templates[count], function.__code__.co_varnames[:count], function.__defaults__)
    library(f"random.{name}")(made)


@library("random.seed", strict=False)
def seed(a=None):
    if is_absent(a):
        return _seed_by_chance
    if is_integer_or_bool(a):
        return _seed
    if isinstance(unliteral(a), Float):
        return _seed_by_float


def _seed_by_chance(a=None):
    random_count("seed_by_chance", random_python())


@register_jitable
def _seed_by_size(size):
    words = numpy.empty(2, numpy.uint32)
    words[0], words[1] = size & 0xFFFFFFFF, size >> 32
    random_count("seed_words", random_python(), array_address(words), 2 if words[1] else 1)


def _seed(a=None):
    _seed_by_size(numpy.uint64(-a if a < 0 else a))


def _seed_by_float(a=None):
    _seed_by_size(numpy.uint64(hash(a)))


@library("random.random")
def random():
    return lambda: random_unit(random_python())


def _uniform(a, b):
    return a + (b - a) * random_unit(random_python())


_of_numbers("uniform", _uniform)


@library("random.triangular")
def triangular(low=0.0, high=1.0, mode=None):
    if not is_number(low) or not is_number(high):
        return None
    if is_absent(mode):
        def in_the_middle(low=0.0, high=1.0, mode=None):
            return _triangular(low, high, 0.5)
        return in_the_middle
    if is_number(mode):
        def with_mode(low=0.0, high=1.0, mode=None):
            drawn = random_unit(random_python())
            if high == low:
                return float(low)
            return _bent(low, high, drawn, (mode - low) / (high - low))
        return with_mode


@register_jitable
def _triangular(low, high, middle):
    return _bent(low, high, random_unit(random_python()), middle)


@register_jitable
def _bent(low, high, drawn, middle):
    if drawn > middle:
        return high + (low - high) * numpy.sqrt((1.0 - drawn) * (1.0 - middle))
    return low + (high - low) * numpy.sqrt(drawn * middle)


def _gauss(mu=0.0, sigma=1.0):
    return mu + random_float("python_gauss", random_python()) * sigma


def _normalvariate(mu=0.0, sigma=1.0):
    return mu + random_float("python_normal", random_python()) * sigma


_of_numbers("gauss", _gauss)
_of_numbers("normalvariate", _normalvariate)


def _lognormvariate(mu=0.0, sigma=1.0):
    drawn = random_float("python_lognormal", random_python(), float(mu), float(sigma))
    # As `math.exp` of what is too large.
    raise_if(drawn == math.inf and math.isfinite(mu) and math.isfinite(sigma), "OverflowError", "math range error")
    return drawn


_of_numbers("lognormvariate", _lognormvariate)

if sys.version_info >= (3, 12):
    def _expovariate(lambd=1.0):
        return random_float("python_exponential", random_python()) / lambd
else:
    def _expovariate(lambd):
        return random_float("python_exponential", random_python()) / lambd

_of_numbers("expovariate", _expovariate)


def _gammavariate(alpha, beta):
    raise_if(alpha <= 0.0 or beta <= 0.0, "ValueError", "gammavariate: alpha and beta must be > 0.0")
    return random_float("python_gamma", random_python(), float(alpha), float(beta))


_of_numbers("gammavariate", _gammavariate)


def _betavariate(alpha, beta):
    raise_if(alpha <= 0.0 or beta <= 0.0, "ValueError", "gammavariate: alpha and beta must be > 0.0")
    return random_float("python_beta", random_python(), float(alpha), float(beta))


_of_numbers("betavariate", _betavariate)


def _vonmisesvariate(mu, kappa):
    return random_float("python_vonmises", random_python(), float(mu), float(kappa))


_of_numbers("vonmisesvariate", _vonmisesvariate)


def _paretovariate(alpha):
    raise_if(alpha == 0, "ZeroDivisionError", "float division by zero")
    return random_float("python_pareto", random_python(), float(alpha))


_of_numbers("paretovariate", _paretovariate)


def _weibullvariate(alpha, beta):
    raise_if(beta == 0, "ZeroDivisionError", "float division by zero")
    return random_float("python_weibull", random_python(), float(alpha), float(beta))


_of_numbers("weibullvariate", _weibullvariate)


# Integers.

@library("random.getrandbits")
def getrandbits(k):
    if is_integer_or_bool(k):
        def bits(k):
            raise_if(k < 0, "ValueError", "number of bits must be non-negative")
            raise_if(k > 64, "OverflowError", "getrandbits() of more than 64 bits fits no integer of compiled code")
            if 0 < k <= 32:
                return numpy.uint64(random_word(random_python()) >> (32 - k))
            return numpy.uint64(random_count("python_bits", random_python(), numpy.int64(k)))
        return bits


@register_jitable
def below(state, count):
    """An integer from 0 on and below `count`, which is positive."""
    return random_count("python_below", state, count)


@library("random.randint")
def randint(a, b):
    if is_integer_or_bool(a) and is_integer_or_bool(b):
        return _between


if sys.version_info >= (3, 12):
    def _between(a, b):
        low, high = numpy.int64(a), numpy.int64(b)
        raise_if(low > high, "ValueError", "empty range in randrange({}, {})", low, high + 1)
        return low + below(random_python(), high - low + 1)

    @register_jitable
    def _check_range(is_empty, start, stop):
        raise_if(is_empty, "ValueError", "empty range in randrange({}, {})", start, stop)

    @register_jitable
    def _check_steps(is_empty, start, stop, step):
        raise_if(is_empty, "ValueError", "empty range in randrange({}, {}, {})", start, stop, step)
else:
    def _between(a, b):
        low, high = numpy.int64(a), numpy.int64(b)
        raise_if(low > high, "ValueError", "empty range for randrange() ({}, {}, {})", low, high + 1, high + 1 - low)
        return low + below(random_python(), high - low + 1)

    @register_jitable
    def _check_range(is_empty, start, stop):
        raise_if(is_empty, "ValueError", "empty range for randrange() ({}, {}, {})", start, stop, stop - start)

    @register_jitable
    def _check_steps(is_empty, start, stop, step):
        raise_if(is_empty, "ValueError", "empty range for randrange()")


@library("random.randrange")
def randrange(start, stop=None, step=1):
    if not is_integer_or_bool(start) or not (is_absent(stop) or is_integer_or_bool(stop)) or not is_integer_or_bool(step):
        return None

    def to(start, stop=None, step=1):
        end = numpy.int64(start)
        raise_if(end <= 0, "ValueError", "empty range for randrange()")
        return numpy.int64(below(random_python(), end))

    def between(start, stop=None, step=1):
        low, high = numpy.int64(start), numpy.int64(stop)
        _check_range(low >= high, low, high)
        return low + below(random_python(), high - low)

    def in_steps(start, stop=None, step=1):
        low, high, by = numpy.int64(start), numpy.int64(stop), numpy.int64(step)
        raise_if(by == 0, "ValueError", "zero step for randrange()")
        if by == 1:
            _check_range(low >= high, low, high)
            return low + below(random_python(), high - low)
        _check_steps(low >= high if by > 0 else low <= high, low, high, by)
        width = numpy.uint64(high - low) if by > 0 else numpy.uint64(low - high)
        count = (width - numpy.uint64(1)) // numpy.uint64(abs(by)) + numpy.uint64(1)
        return low + by * below(random_python(), count)
    if is_absent(stop):
        return to if isinstance(step, int) and step == 1 else None
    return between if isinstance(step, int) and step == 1 else in_steps


# Sequences.

@library("random.shuffle", effects=Effects(mutates="x"))
def shuffle(x):
    arrange = shuffler(x, lambda state, most: below(state, most + 1))
    if arrange:
        return lambda x: arrange(x, random_python())


@library("random.choice", effects=Effects(returns="item of seq"))
def choice(seq):
    if is_list(seq) or is_array(seq) and seq.ndim >= 1 or isinstance(unliteral(seq), (BaseTuple, UnicodeType)):
        def chosen(seq):
            raise_if(len(seq) == 0, "IndexError", "Cannot choose from an empty sequence")
            return seq[below(random_python(), len(seq))]
        return chosen


def _is_population(ty):
    return is_list(ty) or isinstance(ty, UniTuple) and len(ty)


@library("random.choices", effects=Effects(returns="items of population"), strict=False)
def choices(population, weights=None, *, cum_weights=None, k=1):
    is_row = is_array(population) and population.ndim == 1
    if not (is_row or _is_population(population)) or not is_absent(weights) or not is_absent(cum_weights) or not is_integer_or_bool(k):
        return None

    def chosen(population, weights=None, *, cum_weights=None, k=1):
        raise_if(len(population) == 0 and k > 0, "IndexError", "list index out of range")
        state, count = random_python(), float(len(population))
        return [population[int(random_unit(state) * count)] for _ in range(k)]
    return chosen


@library("random.sample", effects=Effects(returns="items of population"), strict=False)
def sample(population, k, *, counts=None):
    if not _is_population(population) or not is_absent(counts) or not is_integer_or_bool(k):
        return None

    def drawn(population, k, *, counts=None):
        count = len(population)
        raise_if(k < 0 or k > count, "ValueError", "Sample larger than population or is negative")
        return [population[index] for index in _different_indices(random_python(), count, k)]
    return drawn


@register_jitable
def _different_indices(state, count, k):
    """So many different indices below a number, as CPython chooses them: out of a list of those that are left where that is small,
    else again where an index was chosen before."""
    made, room = numpy.empty(k, numpy.int64), 21
    if k > 5:
        room += 4 ** int(math.ceil(math.log(k * 3) / math.log(4)))
    if count <= room:
        left = numpy.arange(count)
        for at in range(k):
            index = below(state, count - at)
            made[at] = left[index]
            left[index] = left[count - at - 1]
        return made
    taken = {numpy.int64(-1)}
    for at in range(k):
        index = numpy.int64(below(state, count))
        while index in taken:
            index = numpy.int64(below(state, count))
        taken.add(index)
        made[at] = index
    return made
