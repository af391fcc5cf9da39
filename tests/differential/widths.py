"""Operators on numbers of every width, in plain Python: what compiled code promises for each pair of types.

Integers are Python's, wrapped to the width of the result; singles are doubles that were rounded. The rules
of result types are those of tests/inference/arithmetic.md and joins.md. Absent: how programs get at them
(`grammar_widths`).
"""
import ctypes
import functools
import math
import operator

from . import mathematics

INTEGERS = {"int8": (8, True), "int16": (16, True), "int32": (32, True), "int": (64, True),
            "uint8": (8, False), "uint16": (16, False), "uint32": (32, False), "uint64": (64, False)}
KINDS = ("bool", *INTEGERS, "float32", "float", "complex64", "complex")
# Kinds that Python has no literal for, and NumPy's name of each.
NARROW = tuple(kind for kind in KINDS if kind not in ("bool", "int", "float", "complex"))
# Integers that a single holds exactly.
SMALL = ("bool", "int8", "int16", "uint8", "uint16")


def wrap(value, kind):
    """The integer in the width of a kind."""
    width, signed = INTEGERS[kind]
    value &= (1 << width) - 1
    return value - (1 << width) if signed and value >> (width - 1) else value


def single(value):
    """The nearest single of a double."""
    return ctypes.c_float(value).value


def integer_to_single(value):
    """The nearest single of an integer, rounded once: to 54 bits first, with what is lost in the last of them."""
    size = abs(value)
    extra = max(size.bit_length() - 54, 0)
    kept = size >> extra << extra
    kept |= (size != kept) << extra
    return single(math.copysign(float(kept), value)) if extra == 0 else single(float(-kept if value < 0 else kept))


def is_integer(kind):
    """Whether values of the kind are integers; truth values are."""
    return kind in INTEGERS or kind == "bool"


def is_complex(kind):
    """Whether values of the kind are complex."""
    return kind.startswith("complex")


def signed(kind):
    """Whether an integer kind has negative values."""
    return INTEGERS[kind][1]


def float_kind(a, b):
    """The float that takes both kinds: a single if there is one and nothing asks for more."""
    parts = [{"complex64": "float32", "complex": "float"}.get(kind, kind) for kind in (a, b)]
    small = all(kind in SMALL or kind == "float32" for kind in parts)
    return "float32" if small and "float32" in parts else "float"


def arithmetic_kind(a, b):
    """The result's kind of + - * // % and, but for integers, of / and **."""
    if is_complex(a) or is_complex(b):
        return {"float32": "complex64", "float": "complex"}[float_kind(a, b)]
    if "float" in (a, b) or "float32" in (a, b):
        return float_kind(a, b)
    signs = [signed(kind) for kind in (a, b) if kind != "bool"]
    return "int" if any(signs) or not signs else "uint64"


def joined_kind(a, b):
    """The kind of a value that comes from either."""
    if a == b or b == "bool":
        return a
    if a == "bool":
        return b
    if not (is_integer(a) and is_integer(b)):
        return arithmetic_kind(a, b)
    if signed(a) == signed(b):
        return max(a, b, key=lambda kind: INTEGERS[kind][0])
    minus, plus = (a, b) if signed(a) else (b, a)
    width = max(INTEGERS[minus][0], 2 * INTEGERS[plus][0])
    return {8: "int8", 16: "int16", 32: "int32", 64: "int", 128: "float"}[width]


def convert(value, kind):
    """The value as one of another kind."""
    if kind == "bool":
        return bool(value)
    if kind in INTEGERS:
        return wrap(int(value), kind)
    if kind == "float":
        return float(value)
    if kind == "float32":
        return single(value) if isinstance(value, float) else integer_to_single(int(value))
    value = complex(value) if isinstance(value, (complex, float)) else complex(convert(value, "float"))
    return complex(single(value.real), single(value.imag)) if kind == "complex64" else value


OPERATORS = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "//": operator.floordiv,
             "%": operator.mod, "&": operator.and_, "|": operator.or_, "^": operator.xor}


@functools.cache
def binary(op, a, b):
    """The function of two values of these kinds that an operator is, and the kind of its result.

    None where the operator does not take them.
    """
    if op in ("&", "|", "^", "<<", ">>"):
        if not (is_integer(a) and is_integer(b)):
            return None
        if op in ("<<", ">>"):
            return _shift(op, a, b)
        if a == b == "bool":
            return OPERATORS[op], "bool"
    kind = arithmetic_kind(a, b)
    if is_complex(kind):
        return _complex(op, kind) if op in "+-*/" else None
    if op == "/" and is_integer(a) and is_integer(b):
        return (lambda x, y: int(x) / int(y)), "float"
    if op == "**":
        return _power(a, b, kind)
    if kind in INTEGERS:
        return (lambda x, y: wrap(OPERATORS[op](wrap(int(x), kind), wrap(int(y), kind)), kind)), kind
    if kind == "float32":
        return _single(op), kind
    return (lambda x, y: OPERATORS[op](float(x), float(y))), kind


def _shift(op, a, b):
    kind = "int" if a == "bool" and (b == "bool" or signed(b)) or a != "bool" and signed(a) else "uint64"

    def shift(value, count):
        if count < 0:
            raise ValueError("negative shift count")
        if op == ">>":
            return wrap(int(value) >> min(int(count), 64), kind)
        return wrap(int(value) << int(count), kind) if count < 64 else 0

    return shift, kind


def _power(a, b, kind):
    if kind in INTEGERS:
        def power(base, exponent):
            if exponent < 0:
                raise ValueError("Integers to negative integer powers are not allowed.")
            return wrap(pow(int(base), int(exponent), 1 << 64), kind)

        return power, kind
    if a == "float32" and is_integer(b):
        kind = "float32"
    return (lambda x, y: _float_power(x, y, kind)), kind


def _float_power(base, exponent, kind):
    base, exponent = convert(base, kind), convert(exponent, kind)
    finite = math.isfinite(base) and math.isfinite(exponent)
    if base < 0.0 and finite and exponent != math.floor(exponent):
        raise ValueError("negative number cannot be raised to a fractional power")
    if kind == "float":
        return mathematics.power(base, exponent)
    if base == 0.0 and exponent < 0.0 and finite:
        return base**exponent
    power = mathematics.on_singles("pow")(base, exponent)
    if math.isinf(power) and finite:
        raise OverflowError(34, "Numerical result out of range")
    return power


def _single(op):
    """Sums, products and quotients of singles are those of doubles, rounded; the rest rounds in each step."""
    def compute(x, y):
        x, y = convert(x, "float32"), convert(y, "float32")
        if op in "+-*" or op == "/":
            return single(OPERATORS[op](x, y))
        OPERATORS[op](x, y)
        return single_divmod(x, y)[op == "%"]

    return compute


def single_divmod(x, y):
    """Floor quotient and remainder of singles, step by step as CPython has it for doubles."""
    if y == 0.0:
        divmod(x, y)
    remainder = math.fmod(x, y) if math.isfinite(x) and y == y else math.nan
    exact = single(single(x - remainder) / y)
    if remainder:
        if (y < 0.0) != (remainder < 0.0):
            remainder, exact = single(remainder + y), single(exact - 1.0)
    else:
        remainder = math.copysign(0.0, y)
    if not exact:
        return math.copysign(0.0, x / y), remainder
    floored = float(math.floor(exact)) if math.isfinite(exact) else exact
    return (single(floored + 1.0) if exact - floored > 0.5 else floored), remainder


def _complex(op, kind):
    if kind == "complex":
        return (lambda x, y: OPERATORS[op](convert(x, kind), convert(y, kind))), kind
    function = {"+": _sum, "-": _difference, "*": _product, "/": _ratio}[op]
    return (lambda x, y: function(convert(x, kind), convert(y, kind))), kind


def _sum(x, y):
    return complex(single(x.real + y.real), single(x.imag + y.imag))


def _difference(x, y):
    return complex(single(x.real - y.real), single(x.imag - y.imag))


def _product(x, y):
    s = single
    return complex(s(s(x.real * y.real) - s(x.imag * y.imag)), s(s(x.real * y.imag) + s(x.imag * y.real)))


def _ratio(x, y):
    """CPython's quotient, each step rounded to single."""
    if y == 0:
        return x / y
    s = single
    if abs(y.real) >= abs(y.imag):
        ratio = s(y.imag / y.real)
        whole = s(y.real + s(y.imag * ratio))
        return complex(_over(s(x.real + s(x.imag * ratio)), whole), _over(s(x.imag - s(x.real * ratio)), whole))
    if abs(y.imag) >= abs(y.real):
        ratio = s(y.real / y.imag)
        whole = s(s(y.real * ratio) + y.imag)
        return complex(_over(s(s(x.real * ratio) + x.imag), whole), _over(s(s(x.imag * ratio) - x.real), whole))
    return complex(math.nan, math.nan)


def _over(x, y):
    """The quotient of singles, by zero too."""
    if y == 0.0:
        return math.nan if x == 0.0 or x != x else math.copysign(math.inf, x) * math.copysign(1.0, y)
    return single(x / y)


@functools.cache
def unary(op, kind):
    """As `binary`, for an operator or `abs` of one value."""
    if op == "~":
        if kind == "bool":
            return operator.not_, "bool"
        return ((lambda x: wrap(~x, kind)), _word(kind)) if kind in INTEGERS else None
    function = {"-": operator.neg, "+": operator.pos, "abs": abs}[op]
    if not is_integer(kind):
        if op == "abs" and is_complex(kind):
            return None
        return function, kind
    if op == "-" and kind in INTEGERS and not signed(kind):
        return (lambda x: wrap(-x, kind)), "uint64"
    return (lambda x: wrap(function(int(x)), _word(kind))), _word(kind)


def _word(kind):
    return "int" if kind == "bool" or signed(kind) else "uint64"


COMPARISONS = {"<": operator.lt, "<=": operator.le, "==": operator.eq, "!=": operator.ne, ">": operator.gt,
               ">=": operator.ge}


@functools.cache
def comparison(op, a, b):
    """As `binary`: comparisons are exact, between all numbers that have an order."""
    if op not in ("==", "!=") and (is_complex(a) or is_complex(b)):
        return None
    return COMPARISONS[op], "bool"


@functools.cache
def choice(name, a, b):
    """As `binary`, for what gives one of two values: `min`, `max`, `and`, `or`."""
    kind = joined_kind(a, b)
    if name in ("min", "max"):
        if is_complex(kind):
            return None
        function = {"min": min, "max": max}[name]
        return (lambda x, y: function(convert(x, kind), convert(y, kind))), kind
    return (lambda x: convert(x, kind)), kind


@functools.cache
def divided(a, b):
    """As `binary`, for `divmod`; the result's kind is that of both parts."""
    kind = arithmetic_kind(a, b)
    if is_complex(kind):
        return None
    if kind in INTEGERS:
        def both(x, y):
            return tuple(wrap(part, kind) for part in divmod(wrap(int(x), kind), wrap(int(y), kind)))

        return both, kind
    function = divmod if kind == "float" else single_divmod
    return (lambda x, y: function(convert(x, kind), convert(y, kind))), kind
