"""What operators mean in compiled code, in plain Python: names that emulated programs may use.

CPython's own operators are used wherever compiled code promises the same. The differences are those
that compiled code documents: `int` has 64 bits and wraps; an integer to a negative power that is no
literal is an error; powers of floats and functions of `math` give NaN and infinity as C does, and
no ValueError or OverflowError; `~` of a truth value is a truth value.
"""
import ctypes
import math

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
    if base == 0.0 and exponent < 0.0:
        raise ZeroDivisionError("0.0 cannot be raised to a negative power")
    return C.pow(base, exponent)


def square(base):
    """`base ** 2` of a float and a literal."""
    return base * base


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


def cabs(value):
    """`abs` of a complex number."""
    return C.hypot(value.real, value.imag)


class _CLibrary:
    """The C library's mathematical functions, on floats."""

    UNARY = (
        "acos", "acosh", "asin", "asinh", "atan", "atanh", "cbrt", "cos", "cosh", "erf", "erfc", "exp", "exp2",
        "expm1", "fabs", "log", "log10", "log1p", "log2", "sin", "sinh", "sqrt", "tan", "tanh",
    )
    BINARY = ("atan2", "copysign", "fmod", "hypot", "pow")

    def __init__(self):
        library = ctypes.CDLL(None)
        for names, count in ((self.UNARY, 1), (self.BINARY, 2)):
            for name in names:
                function = getattr(library, name)
                function.restype = ctypes.c_double
                function.argtypes = [ctypes.c_double] * count
                setattr(self, name, function)


# Functions of `math` that are our own: within one unit in the last place, but not the C library's bits.
# Programs must give the bits that the function gives when it is called alone.
OWN = ("cbrt",)


class _Functions:
    """The mathematical functions as compiled code has them."""

    def __getattr__(self, name):
        if name in OWN:
            import rumba

            function = rumba.njit(_namespace_function(name))
        else:
            function = getattr(LIBRARY, name)
        setattr(self, name, function)
        return function


def _namespace_function(name):
    namespace = {"math": math}
    exec(f"def {name}(x): return math.{name}(x)", namespace)
    return namespace[name]


LIBRARY = _CLibrary()
C = _Functions()

NAMES = {
    name: globals()[name]
    for name in ("w", "ipow", "fpow", "square", "shl", "shr", "idivmod", "fint", "cabs", "C", "math")
}
