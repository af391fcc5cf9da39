"""Shared by random functions: parameter checks, sizes, scalars and arrays."""
import math
import types

import numpy

from ...errors import TypingError
from ...extending import register_jitable
from ...intrinsics import array_view, raise_if
from ...types import BaseTuple, Boolean, Float, Integer, unliteral
from .._predicates import is_absent

# What NumPy asks of parameters.

def _rule(text, is_wrong):
    """What makes checks: of a name the function that raises ValueError where a value of it is wrong."""
    def named(name):
        message = text.replace("name", name)

        @register_jitable
        def check(value):
            raise_if(is_wrong(value), "ValueError", message)
        return check
    return named


not_negative = _rule("name < 0", register_jitable(
    lambda value: math.copysign(1.0, value) < 0 and value == value))
positive = _rule("name <= 0", register_jitable(lambda value: value <= 0))
probability = _rule("name < 0, name > 1 or name is NaN", register_jitable(lambda value: not 0 <= value <= 1))
probability_above_0 = _rule("name <= 0, name > 1 or name contains NaNs", register_jitable(
    lambda value: not 0 < value <= 1))
probability_below_1 = _rule("name < 0, name >= 1 or name is NaN", register_jitable(lambda value: not 0 <= value < 1))
above_1 = _rule("name <= 1 or name is NaN", register_jitable(lambda value: not value > 1))
count_or_nan = _rule("name < 0", register_jitable(lambda value: not value >= 0))


@register_jitable
def anything(value):
    """No check."""


@register_jitable
def check_corners(left, mode, right):
    """Refuses what is no triangle."""
    raise_if(float(left) > float(mode), "ValueError", "left > mode")
    raise_if(float(mode) > float(right), "ValueError", "mode > right")
    raise_if(float(left) == float(right), "ValueError", "left == right")


@register_jitable
def check_expected(lam):
    """Refuses what is no number of events that are expected."""
    raise_if(not float(lam) >= 0, "ValueError", "lam < 0 or lam is NaN")
    raise_if(not float(lam) <= 9.223372006484771e18, "ValueError", "lam value too large")


# Sizes.

def is_number(ty):
    """Whether an argument, or a default, is a real number."""
    return isinstance(ty, (int, float)) or isinstance(unliteral(ty), (Integer, Float, Boolean))


def _is_size(size):
    plain = unliteral(size)
    if isinstance(plain, Integer):
        return True
    return isinstance(plain, BaseTuple) and len({unliteral(item) for item in plain}) <= 1 and (
        all(isinstance(unliteral(item), Integer) for item in plain))


def check_size(size, function):
    """Refuses what is no size of an array of random numbers."""
    if not _is_size(size):
        raise TypingError(f"{function}(): size should be int or tuple of ints or None, got {size}")


def expect(argument, is_expected, name, expected):
    """Refuses an argument of a Generator's method."""
    if not is_expected:
        raise TypingError(f"Argument {name} is not one of the expected type(s): {expected}, got {argument}")


def expect_size(size):
    """Refuses what is no size for a method of a Generator."""
    expect(size, is_absent(size) or _is_size(size), "size", "an integer, a tuple of integers, None")


def expect_number(argument, name):
    """Refuses what is no number for a method of a Generator."""
    expect(argument, is_number(argument), name, [Float, Integer, int, float])


@register_jitable
def in_a_row(array):
    """All items of an array that lies in rows."""
    return array_view(array, array.dtype, 0, (array.size,), (array.itemsize,), "C")


# Functions of some parameters and a size.

def renamed(function, names, defaults):
    """The same function with other names of its first parameters."""
    code = function.__code__
    names = tuple(names) + code.co_varnames[len(names):]
    made = types.FunctionType(code.replace(co_varnames=names), function.__globals__, function.__name__, defaults,
                              function.__closure__)
    made.__kwdefaults__ = function.__kwdefaults__
    return made


def _drawn_0(state, checks, together, draw):
    return lambda size=None: draw(state())


def _drawn_1(state, checks, together, draw):
    check, = checks

    def drawn(a, size=None):
        check(a)
        together(a)
        return draw(state(), a)
    return drawn


def _drawn_2(state, checks, together, draw):
    first, second = checks

    def drawn(a, b, size=None):
        first(a)
        second(b)
        together(a, b)
        return draw(state(), a, b)
    return drawn


def _drawn_3(state, checks, together, draw):
    first, second, third = checks

    def drawn(a, b, c, size=None):
        first(a)
        second(b)
        third(c)
        together(a, b, c)
        return draw(state(), a, b, c)
    return drawn


def _filled_0(state, checks, together, draw, dtype):
    def filled(size=None):
        made, source = numpy.empty(size, dtype), state()
        items = in_a_row(made)
        for at in range(made.size):
            items[at] = draw(source)
        return made
    return filled


def _filled_1(state, checks, together, draw, dtype):
    check, = checks

    def filled(a, size=None):
        check(a)
        together(a)
        made, source = numpy.empty(size, dtype), state()
        items = in_a_row(made)
        for at in range(made.size):
            items[at] = draw(source, a)
        return made
    return filled


def _filled_2(state, checks, together, draw, dtype):
    first, second = checks

    def filled(a, b, size=None):
        first(a)
        second(b)
        together(a, b)
        made, source = numpy.empty(size, dtype), state()
        items = in_a_row(made)
        for at in range(made.size):
            items[at] = draw(source, a, b)
        return made
    return filled


def _filled_3(state, checks, together, draw, dtype):
    first, second, third = checks

    def filled(a, b, c, size=None):
        first(a)
        second(b)
        third(c)
        together(a, b, c)
        made, source = numpy.empty(size, dtype), state()
        items = in_a_row(made)
        for at in range(made.size):
            items[at] = draw(source, a, b, c)
        return made
    return filled


def _drawn_4(state, checks, together, draw):
    first, second, third, fourth = checks

    def drawn(a, b, c, d, size=None):
        first(a)
        second(b)
        third(c)
        fourth(d)
        together(a, b, c, d)
        return draw(state(), a, b, c, d)
    return drawn


def _filled_4(state, checks, together, draw, dtype):
    first, second, third, fourth = checks

    def filled(a, b, c, d, size=None):
        first(a)
        second(b)
        third(c)
        fourth(d)
        together(a, b, c, d)
        made, source = numpy.empty(size, dtype), state()
        items = in_a_row(made)
        for at in range(made.size):
            items[at] = draw(source, a, b, c, d)
        return made
    return filled


_DRAWN = (_drawn_0, _drawn_1, _drawn_2, _drawn_3, _drawn_4)
_FILLED = (_filled_0, _filled_1, _filled_2, _filled_3, _filled_4)
_NO_CHECKS = (lambda: None, lambda a: None, lambda a, b: None, lambda a, b, c: None, lambda a, b, c, d: None)


def drawing(function, state, names, defaults, checks, draw, dtype, one=None, together=None):
    """The overload function of `function(*names, size=None)`: one number that `draw(state, *names)` gives, or an
    array of them. `defaults` are those of the last names. Of a method, the first one is `self`. `one` is what draws
    one number, if that is to take fewer instructions. `together` is a check of all parameters beside each other,
    which are looked at also where no number is drawn."""
    state, draw, together = map(register_jitable, (state, draw, together or _NO_CHECKS[len(names)]))
    checks = [checks.get(name, lambda name: anything)(name) for name in names]
    defaults = tuple(defaults) + (None,)
    one = one or renamed(_DRAWN[len(names)](state, checks, together, draw), names, defaults)
    many = renamed(_FILLED[len(names)](state, checks, together, draw, numpy.dtype(dtype)), names, defaults)
    is_method = names[:1] == ["self"]

    def overloaded(arguments, size):
        if is_method:
            for argument, name in zip(arguments[1:], names[1:]):
                expect_number(argument, name)
            expect_size(size)
        elif not all(is_number(argument) for argument in arguments):
            return None
        elif not is_absent(size):
            check_size(size, function)
        return one if is_absent(size) else many
    templates = (
        lambda size=None: overloaded((), size), lambda a, size=None: overloaded((a,), size),
        lambda a, b, size=None: overloaded((a, b), size), lambda a, b, c, size=None: overloaded((a, b, c), size),
        lambda a, b, c, d, size=None: overloaded((a, b, c, d), size))
    return renamed(templates[len(names)], names, defaults)
