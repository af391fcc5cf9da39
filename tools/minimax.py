"""Coefficients of the polynomials in crates/vmath: interpolation at Chebyshev's nodes, which is within a small
factor of the best approximation, and the tables beside them. `python tools/minimax.py [name]`; needs mpmath."""
import struct
import sys

from mpmath import asin, atan, atanh, cbrt, cos, erf, erfc, exp, log, lu_solve, matrix, mp, mpf, nint, pi, qr_solve, sin, sqrt

mp.prec = 240


def sqrt_of(function):
    return lambda z: function(sqrt(z))


# name: (function of the variable of the polynomial, its range, number of coefficients)
POLYNOMIALS = {
    "exp": (lambda r: (exp(r) - 1 - r) / r**2, (-0.3470, 0.3471), 11),
    "exp_step": (lambda r: (exp(r) - 1 - r) / r**2, (-0.0190, 0.0191), 6),
    "exp_single": (lambda r: (exp(r) - 1) / r, (-0.3470, 0.3470), 6),
    "exp2": (lambda r: (mpf(2) ** r - 1 - r * log(2)) / r**2, (-0.5005, 0.5006), 11),
    "log": (sqrt_of(lambda s: (2 * atanh(s) - 2 * s) / s**3), (0, 0.029438), 8),
    "log_step": (lambda r: (log(1 + r) - r) / r**2, (-0.01661, 0.01662), 7),
    "log_step_power": (lambda r: (log(1 + r) - r + r**2 / 2) / r**3, (-0.01661, 0.01662), 8),
    "log_single": (sqrt_of(lambda s: 2 * atanh(s) / s), (0, 0.029438), 4),
    "sin": (sqrt_of(lambda x: (sin(x) / x - 1) / x**2), (0, 0.6170), 7),
    "cos": (sqrt_of(lambda x: (cos(x) - 1 + x**2 / 2) / x**4), (0, 0.6170), 6),
    "sin_single": (sqrt_of(lambda x: (sin(x) / x - 1) / x**2), (0, 0.6170), 4),
    "cos_single": (sqrt_of(lambda x: (cos(x) - 1) / x**2), (0, 0.6170), 4),
    "atan": (sqrt_of(lambda x: (atan(x) / x - 1) / x**2), (0, 0.17158), 12),
    "cbrt": (cbrt, (0.7071, 1.4143), 6),
    "erf_near": (sqrt_of(lambda x: erf(x) / x - 1), (mpf(10) ** -30, 1.0001), 15),
    "asin": (sqrt_of(lambda x: (asin(x) / x - 1) / x**2), (0, 0.25001), 14),
}


# Tables of 32 steps. The logarithm's are from 0.7109 to 1.4219 in the order of the bits of numbers, so that the one
# around 1 has the inverse 1.
STEPS = 32
ONE, FIRST = 1023 << 52, 0x3FE6C000 << 32


def to_bits(x):
    return struct.unpack("<Q", struct.pack("<d", x))[0]


def of_bits(bits):
    return struct.unpack("<d", struct.pack("<Q", bits))[0]


def exp_scale():
    """2^(i/32), with i/32 taken off the exponent's bits."""
    return [of_bits(to_bits(float(mpf(2) ** (mpf(i) / STEPS))) - (i << 47)) for i in range(STEPS)]


def exp_tail():
    """What these powers lack, beside them."""
    powers = [mpf(2) ** (mpf(i) / STEPS) for i in range(STEPS)]
    return [float((power - mpf(float(power))) / mpf(float(power))) for power in powers]


def inverses():
    """An inverse of few bits for each step, at the places of the bits behind it."""
    found = [mpf(0)] * STEPS
    for step in range(STEPS):
        low, high = of_bits(FIRST + (step << 47)), of_bits(FIRST + (step + 1 << 47))
        place = (FIRST + (step << 47) + (ONE - FIRST) >> 47) & STEPS - 1
        found[place] = mpf(1) if low < 1 < high else nint(2 / (mpf(low) + mpf(high)) * 512) / 512
        worst = max(abs(mpf(edge) * found[place] - 1) for edge in (low, high))
        assert worst < 0.0166, worst
    return found


def log_head():
    """Logarithms of the steps, to 43 bits behind the point: sums with exponents are exact."""
    return [float(nint(-log(inverse) * 2**43) / 2**43) for inverse in inverses()]


def log_tail():
    return [float(-log(inverse) - mpf(head)) for inverse, head in zip(inverses(), log_head())]


def erf_far(count=19):
    """-log(1 - erf(1 + t)) without its value at 1, over t, to 6: least squares, weighted by what errors do to erf."""
    points = [mpf(5) / 2 + mpf(5) / 2 * cos(pi * (2 * i + 1) / 400) for i in range(200)]
    weights = [erfc(1 + t) + mpf(2) ** -53 for t in points]
    start = -log(erfc(1))
    rows = matrix([[weight * t**(power + 1) for power in range(count)] for t, weight in zip(points, weights)])
    found = qr_solve(rows, matrix([(-log(erfc(1 + t)) - start) * weight for t, weight in zip(points, weights)]))[0]
    worst = mpf(0)
    for i in range(2000):
        t = mpf(5) * i / 1999
        value = start + sum(mpf(float(c)) * t**(power + 1) for power, c in enumerate(found))
        worst = max(worst, abs(exp(-value) - erfc(1 + t)))
    print(f"// off by 2^{float(log(worst, 2)):.1f} in erf")
    return [float(c) for c in found]


TABLES = {"exp_scale": exp_scale, "exp_tail": exp_tail, "log_inverse": lambda: [float(i) for i in inverses()],
          "log_head": log_head, "log_tail": log_tail, "erf_far": erf_far}


def interpolate(function, low, high, count):
    low, high = mpf(low), mpf(high)
    nodes = [(low + high) / 2 + (high - low) / 2 * cos(pi * (2 * i + 1) / (2 * count)) for i in range(count)]
    values = matrix([function(node) for node in nodes])
    return lu_solve(matrix([[node**power for power in range(count)] for node in nodes]), values)


def error(function, low, high, coefficients):
    rounded = [mpf(float(c)) for c in coefficients]
    worst = mpf(0)
    for i in range(2001):
        x = mpf(low) + (mpf(high) - mpf(low)) * (i + mpf(1) / 3) / 2001
        value = mpf(0)
        for c in reversed(rounded):
            value = value * x + c
        worst = max(worst, abs(value - function(x)))
    return worst


def main():
    for name in sys.argv[1:] or [*POLYNOMIALS, *TABLES]:
        if name in TABLES:
            print(f"// {name}")
            print("[" + ", ".join(repr(value) for value in TABLES[name]()) + "]")
            continue
        function, (low, high), count = POLYNOMIALS[name]
        coefficients = interpolate(function, low, high, count)
        print(f"// {name}: 2^{float(log(error(function, low, high, coefficients), 2)):.1f} on {low} .. {high}")
        print("[" + ", ".join(repr(float(c)) for c in coefficients) + "]")


if __name__ == "__main__":
    main()
