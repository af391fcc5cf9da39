"""What operators mean in compiled code, in plain Python: names that emulated programs may use.

CPython's own operators are used wherever compiled code promises the same. The differences are those
that compiled code documents: `int` has 64 bits and wraps; an integer to a negative power that is no
literal is an error; a power that would be complex is an error; a float to a whole power that is a literal is a product, never
an OverflowError; `~` of a truth value is a truth value.
"""
import cmath
import ctypes
import functools
import math
import operator
import struct

from . import mathematics, named_powers, widths

_SPAN = 1 << 64
_HALF = 1 << 63
_MASK = _SPAN - 1

# What a program may do before its input is given up as too long.
STEPS = 20_000


class TooLong(BaseException):
    """The program runs longer than the other tiers should be kept busy."""


class Clock:
    """Counts steps of an emulated program."""

    def __init__(self):
        self.left = STEPS

    def tick(self):
        """Called in every loop body and function."""
        self.left -= 1
        if self.left < 0:
            raise TooLong

    def reset(self):
        """Before each run."""
        self.left = STEPS


def w(value):
    """The integer wrapped to int64."""
    return value if -_HALF <= value < _HALF else ((value + _HALF) & _MASK) - _HALF


def ipow(base, exponent):
    """`**` of integers whose exponent is no negative literal."""
    if exponent < 0:
        raise ValueError("Integers to negative integer powers are not allowed.")
    return w(pow(int(base), int(exponent), _SPAN))


def fpow(base, exponent):
    """`**` of floats."""
    base, exponent = float(base), float(exponent)
    if base < 0.0 and math.isfinite(base) and math.isfinite(exponent) and exponent != math.floor(exponent):
        raise ValueError("negative number cannot be raised to a fractional power")
    return mathematics.power(base, exponent)


def named_power(base, exponent):
    """`base ** exponent` of a float and a literal: whole numbers and halves up to 64 have a way of their own."""
    if abs(exponent) > 64 or not float(2 * exponent).is_integer():
        return fpow(base, exponent)
    return named_powers.constant_power(base, exponent)


def shl(value, count):
    """`<<` of integers."""
    if count < 0:
        raise ValueError("negative shift count")
    return 0 if count >= 64 else w(int(value) << count)


def shr(value, count):
    """`>>` of integers."""
    if count < 0:
        raise ValueError("negative shift count")
    return int(value) >> min(int(count), 63)


def idivmod(a, b):
    """`divmod` of integers."""
    quotient, remainder = divmod(int(a), int(b))
    return w(quotient), remainder


def fint(value):
    """`int` of a float."""
    if math.isfinite(value) and not -float(_HALF) <= value < float(_HALF):
        raise OverflowError("float too large to convert to a 64-bit integer")
    return int(value)


def floor_float(value):
    """The largest whole float that is not above; what has no integer stays."""
    return float(math.floor(value)) if math.isfinite(value) else value


def ceil_float(value):
    """The smallest whole float that is not below; what has no integer stays."""
    return float(math.ceil(value)) if math.isfinite(value) else value


def int_round(value, digits):
    """`round` of an integer: what has no 64 bits is an error."""
    rounded = round(value, digits)
    if rounded != w(rounded):
        raise OverflowError("the result does not fit a 64-bit integer")
    return rounded


def round_float(value):
    """The nearest whole float, the even one of two; what has no integer stays."""
    return float(round(value)) if math.isfinite(value) else value


def fresh(value):
    """The float as another object."""
    return struct.unpack("<d", struct.pack("<d", value))[0]


def cabs(value):
    """`abs` of a complex number. CPython's looks at an error that an earlier function left where a part is NaN, and
    the C library's `hypot` is not always the nearest double."""
    if cmath.isfinite(value):
        abs(value)
        return mathematics.own("hypot")(value.real, value.imag)
    return math.inf if cmath.isinf(value) else math.nan


def modular(base, exponent, modulus):
    """`pow` of three."""
    if modulus == 0:
        raise ValueError("pow() 3rd argument cannot be 0")
    return pow(base, exponent, modulus)


def plus(optional, value, name):
    """The sum with what may be None; `name`: the type of its content."""
    if optional is None:
        raise TypeError(f"expected {name}, got None")
    return optional + value


@functools.cache
def libm(name, kind, count=1):
    """A function of the C library on floats of a kind, or the own one of that name."""
    if mathematics.has(name):
        return mathematics.own(name) if kind == "float" else mathematics.on_singles(name)
    number = {"float": ctypes.c_double, "float32": ctypes.c_float}[kind]
    function = getattr(ctypes.CDLL(None, use_errno=True), name if kind == "float" else name + "f")
    function.restype, function.argtypes = number, [number] * count
    return function


@functools.cache
def single_math(name, count=1):
    """`math`'s function on singles: CPython's errors, the C library's value for singles."""
    compute, check = libm(name, "float32", count), getattr(math, name)

    def call(*args):
        try:
            check(*args)
        except OverflowError:
            pass
        value = compute(*args)
        if math.isinf(value) and all(math.isfinite(arg) for arg in args):
            raise OverflowError("math range error")
        return value

    return call


def as_double(value):
    """The double with the bits of an integer."""
    return struct.unpack("d", struct.pack("q", value))[0]


@functools.cache
def numpy_scalar(name, *kinds):
    """NumPy's function on scalars of these kinds (the last one for all others), with Python's numbers outside."""
    import numpy

    function = getattr(numpy, name)
    types = [numpy.dtype({"int": "int64", "float": "float64", "complex": "complex128"}.get(kind, kind)).type for kind in kinds]

    def call(*args):
        with numpy.errstate(all="ignore"):
            given = [types[min(index, len(types) - 1)](arg) for index, arg in enumerate(args)]
            found = function(*given)
        return tuple(part.item() for part in found) if isinstance(found, tuple) else found.item()

    return call


@functools.cache
def wide(table, *key):
    """The operator of `widths` for kinds of numbers."""
    return getattr(widths, table)(*key)[0]


GLOBALS = {"G_INT": 9007199254740993, "G_FLOAT": -2.5, "G_BOOL": True, "G_PAIR": (3, 0.75)}

NAMES = {
    function.__name__: function
    for function in (w, ipow, fpow, named_power, shl, shr, idivmod, fint, floor_float, ceil_float, round_float, int_round, fresh, plus, modular, cabs,
                     as_double)
} | {"math": mathematics.MATH, "wide": wide, "libm": libm, "single_math": single_math, "numpy_scalar": numpy_scalar, "operator": operator,
       "cmath": cmath, **GLOBALS, "convert": widths.convert}
