"""Coefficients of the polynomials in crates/vmath: interpolation at Chebyshev's nodes, which is within a small
factor of the best approximation. `python tools/minimax.py [name]`; needs mpmath."""
import sys

from mpmath import asin, atan, atanh, cbrt, cos, erfc, exp, log, lu_solve, matrix, mp, mpf, pi, sin, sqrt

mp.prec = 240


def sqrt_of(function):
    return lambda z: function(sqrt(z))


# name: (function of the variable of the polynomial, its range, number of coefficients)
POLYNOMIALS = {
    "exp": (lambda r: (exp(r) - 1 - r) / r**2, (-0.3470, 0.3471), 11),
    "exp_single": (lambda r: (exp(r) - 1) / r, (-0.3470, 0.3470), 6),
    "exp2": (lambda r: (mpf(2) ** r - 1 - r * log(2)) / r**2, (-0.5005, 0.5006), 11),
    "log": (sqrt_of(lambda s: (2 * atanh(s) - 2 * s) / s**3), (0, 0.029438), 8),
    "log_single": (sqrt_of(lambda s: 2 * atanh(s) / s), (0, 0.029438), 4),
    "log_power": (sqrt_of(lambda s: (2 * atanh(s) - 2 * s - 2 * s**3 / 3) / s**5), (0, 0.029438), 8),
    "sin": (sqrt_of(lambda x: (sin(x) / x - 1) / x**2), (0, 0.6170), 7),
    "cos": (sqrt_of(lambda x: (cos(x) - 1 + x**2 / 2) / x**4), (0, 0.6170), 6),
    "sin_single": (sqrt_of(lambda x: (sin(x) / x - 1) / x**2), (0, 0.6170), 4),
    "cos_single": (sqrt_of(lambda x: (cos(x) - 1) / x**2), (0, 0.6170), 4),
    "atan": (sqrt_of(lambda x: (atan(x) / x - 1) / x**2), (0, 0.17158), 12),
    "cbrt": (cbrt, (0.7071, 1.4143), 6),
    "erf_near": (lambda x: -log(erfc(x)) / x, (0, 1.5), 22),
    "erf_far": (lambda t: -log(erfc(t + 3.5)) / (t + 3.5), (-2, 2.5), 22),
    "asin": (sqrt_of(lambda x: (asin(x) / x - 1) / x**2), (0, 0.25001), 14),
}


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
    for name in sys.argv[1:] or POLYNOMIALS:
        function, (low, high), count = POLYNOMIALS[name]
        coefficients = interpolate(function, low, high, count)
        print(f"// {name}: 2^{float(log(error(function, low, high, coefficients), 2)):.1f} on {low} .. {high}")
        print("[" + ", ".join(repr(float(c)) for c in coefficients) + "]")


if __name__ == "__main__":
    main()
