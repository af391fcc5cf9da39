"""`cmath` and complex arithmetic against CPython: values to the bit, exceptions and their messages."""
import cmath
import math
import random

import numpy as np
import pytest
from support import check, check_all, define

INF, NAN = math.inf, math.nan
PARTS = [0.0, -0.0, 0.5, -0.5, 1.0, -1.0, 2.5, -2.5, 1e-160, -1e-310, 5e-324, 1e160, 1e308, -1.7e308, 710.0, -710.0, 800.0,
         INF, -INF, NAN]
RANDOM = random.Random(3)
NUMBERS = [complex(re, im) for re in PARTS for im in PARTS]
NUMBERS += [complex(RANDOM.gauss(0, 2), RANDOM.gauss(0, 2)) for _ in range(200)]
NUMBERS += [cmath.rect(RANDOM.uniform(0.6, 1.9), RANDOM.uniform(-4, 4)) for _ in range(100)]

UNARY = "acos acosh asin asinh atan atanh cos cosh exp isfinite isinf isnan log log10 polar sin sinh sqrt tan tanh".split()


@pytest.mark.parametrize("name", UNARY)
def test_function(name):
    function = define(f"cmath.{name}(a)", cmath=cmath)
    check_all(function, [(z,) for z in NUMBERS])
    check_all(function, [(z,) for z in NUMBERS[:400:7]])
    check_all(function, [(2.0,), (-3,), (True,), (0,)])


def test_phase():
    # CPython reports a range error where the angle is too small for a double; compiled code gives the angle.
    check_all(define("cmath.phase(a)", cmath=cmath), [(z,) for z in NUMBERS],
              expected=lambda z: math.atan2(z.imag, z.real))


def test_rect():
    check_all(define("cmath.rect(a, b)", cmath=cmath), [(re, im) for re in PARTS for im in PARTS])


def test_log_to_a_base():
    some = [0j, 1 + 0j, 2 + 0j, -1j, 0.5 - 2j, complex(INF, 0), complex(0, NAN), -3 + 0j]
    check_all(define("cmath.log(a, b)", cmath=cmath), [(z, base) for z in some for base in some])
    check_all(define("cmath.log(a, b)", cmath=cmath), [(2.0, 10), (0, 2.0)])


def test_isclose():
    some = [0j, 1 + 1j, 1 + 1.0000000001j, complex(INF, 0), complex(NAN, 0), 1e300 + 1e300j]
    check_all(define("cmath.isclose(a, b)", cmath=cmath), [(x, y) for x in some for y in some])


def test_constants():
    check(define("(cmath.pi, cmath.e, cmath.tau, cmath.inf, cmath.nan, cmath.infj, cmath.nanj)", cmath=cmath))


SOME = [complex(re, im) for re in PARTS[:8] + PARTS[-3:] for im in PARTS[:8] + PARTS[-3:]]


@pytest.mark.parametrize("op", ["+", "-", "*", "/"])
def test_arithmetic(op):
    pairs = [(RANDOM.choice(NUMBERS), RANDOM.choice(NUMBERS)) for _ in range(500)]
    check_all(define(f"a {op} b"), pairs)
    check_all(define(f"a {op} b"), pairs[:60])
    check_all(define(f"a {op} b"), [(1.5, 2j), (2j, 3), (3, 0j), (True, 1 - 1j), (2j, 0)])


def test_power():
    pairs = [(x, y) for x in SOME[::4] for y in SOME[::5]]
    pairs += [(RANDOM.choice(NUMBERS), complex(RANDOM.randint(-120, 120), 0)) for _ in range(200)]
    pairs += [(complex(RANDOM.gauss(0, 2), RANDOM.gauss(0, 2)), complex(RANDOM.gauss(0, 2), RANDOM.gauss(0, 2)))
              for _ in range(200)]
    check_all(define("a ** b"), pairs)
    check_all(define("pow(a, b)"), pairs[::9])
    check_all(define("a ** b"), [(2j, 3), (2, 1j), (0j, -1), (0j, 0), (0j, 1j), (1.5, 2 + 1j), (1e200 + 0j, 2)])


def test_abs_and_parts():
    check_all(define("abs(a)"), [(z,) for z in NUMBERS])
    check_all(define("(-a, +a, a.real, a.imag, a.conjugate(), not a, bool(a), complex(a))"), [(z,) for z in SOME])
    check_all(define("(a.real, a.imag, a.conjugate())"), [(3,), (2.5,), (True,)])


def test_construction():
    check(define("(complex(), complex(a), complex(a, b), complex(1j, a), complex(a, 2j), complex(1j, 2 - 3j))"), 1.5, -0.0)
    check_all(define("complex(a, b)"), [(1, 2), (True, 2.5), (1j, 2j), (-0.0, -0.0)])


@pytest.mark.parametrize("op", ["==", "!="])
def test_equality_is_exact(op):
    reals = [0, 1, 2**53 + 1, -(2**53) - 1, 2**63 - 1, True, 1.0, NAN, 2.5, -0.0]
    numbers = [0j, 1 + 0j, 1 + 1j, complex(2**53), complex(2.0**63), complex(NAN, 0), 2.5 + 0j, complex(-0.0, -0.0)]
    check_all(define(f"a {op} b"), [(x, z) for x in reals for z in numbers] + [(z, x) for x in reals for z in numbers])
    check_all(define(f"a {op} b"), [(x, z) for x in numbers for z in numbers])


@pytest.mark.parametrize("source", ["a < b", "a // b", "a % b", "divmod(a, b)", "int(a)", "float(a)", "round(a)", "max(a, b)"])
def test_what_complex_numbers_lack_does_not_compile(source):
    import rumba

    with pytest.raises(rumba.errors.TypingError):
        rumba.njit(define(source))(*([1j, 2j] if "b" in source else [1j]))


def test_numpy_error_model_never_raises():
    import rumba

    for source, args in (("a / b", (1j, 0j)), ("cmath.log(a)", (0j,)), ("a ** b", (0j, -1)), ("abs(a)", (1.7e308 + 1.7e308j,)),
                         ("cmath.exp(a)", (1000 + 1j,)), ("cmath.cosh(a)", (complex(INF, INF),))):
        found = rumba.njit(error_model="numpy")(define(source, cmath=cmath))(*args)
        assert not cmath.isfinite(found) or source.startswith("a **"), source


def test_single_precision_stays_single():
    import rumba

    z = np.complex64(1.5 - 0.25j)
    for source in ("a + a", "a * a", "a / a", "cmath.exp(a)", "a ** a"):
        function = rumba.njit(define(source, cmath=cmath))
        function(z)
        assert "complex64" in str(function.nopython_signatures[0].return_type), source
    assert rumba.njit(define("abs(a)"))(z) == abs(z)
