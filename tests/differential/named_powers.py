"""`x ** c` of floats where the program names `c`: the steps of `builtins::constant_power`, one by one with exact rounding."""
import math
from fractions import Fraction


def rounded(number):
    """The nearest double of an exact number, or infinity."""
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def fma(a, b, c):
    """`a * b + c`, rounded once."""
    if all(map(math.isfinite, (a, b, c))):
        return rounded(Fraction(a) * Fraction(b) + Fraction(c))
    return a * b + c


def quotient(a, b):
    """`a / b`, also by 0."""
    if b == 0.0:
        return math.nan if a == 0.0 or a != a else math.copysign(math.inf, a) * math.copysign(1.0, b)
    return a / b


def product(a, b):
    """Of two pairs of a double and what is missing."""
    high = a[0] * b[0]
    low = fma(a[0], b[0], -high)
    for factor, part in ((a[0], b[1]), (b[0], a[1])):
        if part is not None:
            low = fma(factor, part, low)
    return high, low


def root(base, exponent):
    """The root of a pair, or its reciprocal."""
    found = math.sqrt(base[0]) if base[0] >= 0.0 else math.nan
    if exponent == 0.5:
        return found, None
    inverse = quotient(1.0, found)
    rest = fma(-found, found, base[0]) + (0.0 if base[1] is None else base[1])
    low = rest * 0.5 * inverse
    if exponent != -0.5:
        return found, low
    return inverse, inverse * fma(-inverse, low, fma(-inverse, found, 1.0))


def constant_power(base, exponent):
    """The power, or the error that it is."""
    base, exponent = float(base), float(exponent)
    whole = exponent == math.floor(exponent)
    if base == 0.0 and exponent < 0.0:
        raise ZeroDivisionError("0.0 cannot be raised to a negative power")
    if -math.inf < base < 0.0 and not whole:
        raise ValueError("negative number cannot be raised to a fractional power")
    if exponent in (0.0, 1.0, 2.0, -1.0):
        return {0.0: lambda: 1.0, 1.0: lambda: base, 2.0: lambda: base * base, -1.0: lambda: quotient(1.0, base)}[exponent]()
    if not whole:
        base = math.inf if base == -math.inf else base + 0.0
    count, one = int(abs(exponent)), (base, None)
    if exponent < 0.0 and count:
        inverse = quotient(1.0, base)
        one = inverse, inverse * fma(-inverse, base, 1.0)
    parts = []
    if count:
        power = one
        for bit in range(count.bit_length() - 2, -1, -1):
            power = product(power, power)
            if count >> bit & 1:
                power = product(power, one)
        parts.append(power)
    if not whole:
        parts.append(root(one, exponent))
    high, low = product(*parts) if len(parts) == 2 else parts[0]
    return high if low is None or not abs(low) < abs(high) else high + low
