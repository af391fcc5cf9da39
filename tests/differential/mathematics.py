"""The mathematical functions that Rumba has of its own (docs/mathematics.md), as a reference for tests.

Their last bit may differ from that of CPython, NumPy and the C library, so a test that compares bits takes their values
from here: this is the one list of such functions. tests/python/test_mathematics.py measures them against a higher
precision, and that one number and many at once, all levels of optimisation and the interpreter have the same bits.
"""
import functools
import math

OF_ONE = ("acos", "acosh", "asin", "asinh", "atan", "atanh", "cbrt", "cos", "cosh", "erf", "exp", "exp2", "expm1", "log", "log10",
          "log1p", "log2", "sin", "sinh", "tan", "tanh")
OF_TWO = ("atan2", "pow")
# What `math` computes in another way: exact to half a unit.
ONLY_OF_NUMPY = ("hypot",)


@functools.cache
def own(name):
    """The function on floats of one kind, double or single, without Python's errors."""
    import rumba

    arguments = "x" if name in OF_ONE else "x, y"
    space = {"math": math}
    if name in ONLY_OF_NUMPY:
        import numpy

        space["math"] = numpy
    exec(f"def {name}({arguments}): return math.{name}({arguments})", space)
    return rumba.njit(error_model="numpy")(space[name])


def on_singles(name):
    """The function of singles, on Python's floats."""
    import numpy

    return lambda *args: float(own(name)(*(numpy.float32(arg) for arg in args)))


def has(name):
    """Whether there is a function of that name."""
    return name in OF_ONE or name in OF_TWO or name in ONLY_OF_NUMPY


def power(base, exponent):
    """`**` of floats: CPython's errors, the own value."""
    result = base**exponent
    return own("pow")(base, exponent) if isinstance(result, float) else result


def _log(x, *base):
    values = [_checked("log")(one) for one in (x, *base)]
    return values[0] / values[1] if base else values[0]


def _checked(name):
    def call(*args):
        getattr(math, name)(*args)
        return own(name)(*(float(arg) for arg in args))

    return call


class Module:
    """`math` with the own values and CPython's errors."""

    def __getattr__(self, name):
        return getattr(math, name)


MATH = Module()
for _name in OF_ONE + OF_TWO:
    if hasattr(math, _name):
        setattr(MATH, _name, _checked(_name))
MATH.log = _log
