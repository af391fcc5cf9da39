"""`math` against CPython: values to the bit (of own functions: against `differential.mathematics`), exceptions and their messages."""
import cmath
import math
import random
import sys
from pathlib import Path

import pytest
from rumba import njit
from support import check, check_all, define

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.differential.mathematics import MATH  # noqa: E402

INF, NAN = math.inf, math.nan
EDGES = [
    0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, -1.5, 2.0, -2.0, 3.0, 10.0, -3.0, 100.0, 1e-300, -1e-300, 5e-324, -5e-324,
    1e300, -1e300, 1.7976931348623157e308, 2.2250738585072014e-308, 709.78, 709.79, -745.2, 1023.9, 1024.0, 0.1,
    1e16, 2.0**52 + 0.5, 2.0**53, 2.0**63, -(2.0**63), INF, -INF, NAN, math.pi, math.pi / 2, 170.6, 171.7, 23.0, 24.0,
    -0.9999999, 1e-21, -1e-21, 200.5, -200.5, 305.0, 1e306,
]
RANDOM = random.Random(7)
EDGES += [RANDOM.uniform(-5, 5) for _ in range(60)] + [RANDOM.uniform(-200, 200) for _ in range(40)]

UNARY = (
    "acos acosh asin asinh atan atanh cbrt ceil cos cosh degrees erf erfc exp exp2 expm1 fabs floor frexp gamma "
    "isfinite isinf isnan lgamma log log10 log1p log2 modf radians sin sinh sqrt tan tanh trunc ulp"
).split()


def fits(name, x):
    """Integers of more than 64 bits are an error of their own."""
    return name not in ("ceil", "floor", "trunc") or not math.isfinite(x) or -(2.0**63) <= x < 2.0**63


@pytest.mark.parametrize("name", UNARY)
def test_function_of_a_float(name):
    function = define(f"math.{name}(a)", math=math)
    expected = define(f"math.{name}(a)", math=MATH)
    check_all(function, [(x,) for x in EDGES if fits(name, x)], expected=expected)
    check_all(function, [(n,) for n in (0, 1, -1, 2, 7, -9, 2**53 + 1, 2**63 - 1, -(2**63), 2**63, 2**64 - 1, True, False)
                         if fits(name, n) or isinstance(n, int)], expected=expected)


PAIRS = [0.0, -0.0, 1.0, -1.0, 0.5, 2.0, -2.5, 3.0, 1e300, -1e300, 5e-324, INF, -INF, NAN, 400.0, -400.0, 10.0, 0.1]


@pytest.mark.parametrize("name", "atan2 copysign fmod hypot log nextafter pow remainder".split())
def test_function_of_two_floats(name):
    function = define(f"math.{name}(a, b)", math=math)
    expected = define(f"math.{name}(a, b)", math=MATH)
    check_all(function, [(x, y) for x in PAIRS for y in PAIRS], expected=expected)
    random_pairs = [(RANDOM.uniform(-9, 9), RANDOM.uniform(-9, 9)) for _ in range(100)]
    check_all(function, random_pairs, expected=expected)
    check_all(function, [(3, 2), (True, 2.5), (-7, 3), (0, 0)], expected=expected)


def test_hypot_and_dist_of_many():
    check(define("math.hypot()", math=math))
    check_all(define("math.hypot(a)", math=math), [(x,) for x in EDGES])
    triple = define("math.hypot(a, b, c)", math=math)
    check_all(triple, [(x, y, 1.5) for x in PAIRS for y in PAIRS])
    many = [tuple(RANDOM.uniform(-1, 1) * 10.0 ** RANDOM.randint(-12, 12) for _ in range(3)) for _ in range(300)]
    check_all(triple, many)
    pair = define("math.hypot(a, b)", math=math)
    check_all(pair, [case[:2] for case in many])
    # Of subnormal numbers CPython's result may be the neighbor of the correctly rounded one.
    tiny = [(3e-320, 4e-320), (5e-324, 0.0), (1e-310, 1e-310)]
    check_all(pair, tiny)
    check_all(define("math.dist((a, b), (c, 2))", math=math), [(x, y, 0.25) for x in PAIRS for y in PAIRS])
    check(define("math.dist((a,), (b, 2))", math=math), 1.0, 2.0)
    check(define("math.dist((), ())", math=math))


def test_fsum():
    check(define("math.fsum(())", math=math))
    three = define("math.fsum((a, b, c))", math=math)
    values = [0.0, -0.0, 1e16, 1.0, -1e16, 1e-16, INF, -INF, NAN, 1.7976931348623157e308, 5e-324, 2.0**-60]
    check_all(three, [(a, b, c) for a in values for b in values for c in values])
    check_all(three, [(1, 2.5, True), (1e100, 1.0, -1e100)])


def test_ldexp():
    function = define("math.ldexp(a, b)", math=math)
    exponents = [0, 1, -1, 1023, 1024, -1074, -1080, 5000, -5000, 2**31, -(2**31) - 1, 2**62]
    check_all(function, [(x, e) for x in (0.0, -0.0, 1.0, -1.5, 5e-324, INF, -INF, NAN) for e in exponents])


def test_isclose():
    check_all(define("math.isclose(a, b)", math=math), [(x, y) for x in PAIRS for y in PAIRS])
    check_all(define("math.isclose(a, b, rel_tol=c)", math=math), [(1.0, 1.1, c) for c in (0.2, 0.01, -1.0)])
    check_all(define("math.isclose(a, b, rel_tol=c, abs_tol=1e-3)", math=math), [(1.0, 1.0005, 0.0), (1.0, 1.01, 0.0)])
    check_all(define("math.isclose(a, b)", math=math), [(1.0, 1.0 + 1e-9), (1.0, 1.0 + 2e-9), (1, 1.0)])


SMALL = [0, 1, 2, 3, 7, 20, 21, 60, -1, -5, 2**40, 2**62, 2**63 - 1, -(2**63)]


def test_integers():
    check_all(define("math.gcd(a, b)", math=math), [(a, b) for a in SMALL[:-1] for b in SMALL[:-1]])
    check_all(define("math.isqrt(a)", math=math), [(n,) for n in SMALL] + [(n * n - 1,) for n in (3, 10**9, 2**31)])
    check_all(define("math.factorial(a)", math=math), [(n,) for n in (*range(21), -1, -(2**63))])
    small = [(n, k) for n in (0, 1, 5, 20, 40, -1) for k in (0, 1, 3, 5, 20, 41, -1, -2) if k < 10 or n <= 20]
    check_all(define("math.comb(a, b)", math=math), small)
    check_all(define("math.perm(a, b)", math=math), small)
    check_all(define("math.perm(a)", math=math), [(5,), (0,), (-1,)])
    check_all(define("math.perm(a, None)", math=math), [(5,)])
    check_all(define("math.lcm(a, b)", math=math), [(a, b) for a in SMALL[:8] for b in SMALL[:8]])
    check(define("(math.gcd(), math.gcd(a), math.gcd(a, 6, 9), math.lcm(), math.lcm(a), math.lcm(a, 4, 6))", math=math), -12)
    check(define("math.prod((a, 2, 1.5)), math.prod(()), math.prod((a, a), )", math=math), 3)


def test_results_beyond_64_bits_are_errors():
    import rumba

    for source, args in (("math.factorial(a)", (21,)), ("math.comb(a, b)", (70, 35)), ("math.perm(a, b)", (30, 29)),
                         ("math.lcm(a, b)", (2**62, 3)), ("math.lcm(a, b)", (-2**63, 1)), ("math.gcd(a, b)", (-2**63, 0)), ("math.floor(a)", (1e19,))):
        function = rumba.njit(define(source, math=math))
        with pytest.raises(OverflowError, match="64-bit"):
            function(*args)


def test_constants():
    check(define("(math.pi, math.e, math.tau, math.inf, math.nan, -math.inf)", math=math))


def test_numpy_error_model_never_raises():
    import rumba

    for source, args, expected in (
        ("math.sqrt(a)", (-1.0,), NAN), ("math.log(a)", (0.0,), -INF), ("math.exp(a)", (1000.0,), INF),
        ("math.sin(a)", (INF,), NAN), ("math.log(a, b)", (2.0, 1.0), INF), ("math.gamma(a)", (-1.0,), NAN),
        ("a ** b", (-8.0, 0.5), NAN), ("a ** b", (10.0, 400.0), INF), ("math.atanh(a)", (1.0,), INF),
    ):
        found = rumba.njit(error_model="numpy")(define(source, math=math))(*args)
        assert found == expected or found != found and expected != expected, source


def test_functions_from_the_module():
    from math import floor, sqrt

    check(define("sqrt(a) + floor(a)", sqrt=sqrt, floor=floor), 2.5)


def test_isclose_with_an_absolute_tolerance_alone():
    cases = [(1.0, 1.05, 0.1), (1.0, 1.2, 0.1), (0.0, 1e-12, 0.0), (0.0, 1e-12, 1e-11), (1.0, 1.0 + 1e-10, 0.0)]
    check_all(define("math.isclose(a, b, abs_tol=c)", math=math), cases)
    check_all(define("math.isclose(a, b=b, abs_tol=c, rel_tol=0.01)", math=math), cases)
    check_all(define("cmath.isclose(a + 1j, b + 1j, abs_tol=c)", cmath=cmath), cases)
    with pytest.raises(ValueError, match="tolerances must be non-negative"):
        njit(define("math.isclose(a, b, abs_tol=c)", math=math))(1.0, 2.0, -1.0)
