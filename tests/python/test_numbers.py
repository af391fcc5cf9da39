"""Arithmetic, comparison, conversion and members of numbers against CPython."""
import itertools
import math
import operator
import random
import sys
from pathlib import Path

import numpy as np
import pytest
from support import check, check_all, define

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.differential.mathematics import power  # noqa: E402

INF, NAN = math.inf, math.nan
RANDOM = random.Random(11)
INTS = [0, 1, -1, 2, -2, 3, 7, -7, 10, 63, 64, 65, -64, 255, 2**31, 2**53 + 1, -(2**53) - 1, 2**62, 2**63 - 1, -(2**63)]
FLOATS = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 3.0, 0.1, 1e300, -1e300, 5e-324, 2.0**53, 2.0**63, -(2.0**63),
          2.0**64, INF, -INF, NAN, 1e16, 123456.789]


def fits(value):
    """Whether an integer has 64 bits, or the value is none."""
    return type(value) is not int or -(2**63) <= value < 2**63


def agrees(source, cases):
    """The cases whose result CPython has in 64 bits."""
    function = define(source)
    kept = []
    for case in cases:
        try:
            value = function(*case)
        except Exception:
            value = None
        if all(fits(item) for item in (value if isinstance(value, tuple) else (value,))):
            kept.append(case)
    return kept


@pytest.mark.parametrize("op", ["+", "-", "*", "/", "//", "%", "&", "|", "^", "<", "<=", "==", "!=", ">", ">="])
def test_binary_operators_of_integers(op):
    cases = agrees(f"a {op} b", itertools.product(INTS + [True, False], repeat=2))
    check_all(define(f"a {op} b"), cases)


@pytest.mark.parametrize("op", ["+", "-", "*", "/", "//", "%", "<", "<=", "==", "!=", ">", ">="])
def test_binary_operators_of_floats(op):
    cases = list(itertools.product(FLOATS, repeat=2))
    cases += itertools.product(FLOATS, INTS + [True])
    cases += itertools.product(INTS + [True], FLOATS)
    cases += [(RANDOM.gauss(0, 1e3), RANDOM.gauss(0, 10)) for _ in range(100)]
    check_all(define(f"a {op} b"), cases)


def test_shifts():
    counts = [0, 1, 5, 62, 63, 64, 100, 2**62, -1, -(2**63), True]
    check_all(define("a >> b"), [(a, n) for a in INTS for n in counts])
    check_all(define("a << b"), [(a, n) for a in (0, 1, -1, 5, -7) for n in (0, 1, 5, 60, -1, True)])


def test_unary_operators():
    check_all(define("(-a, +a, ~a, not a, abs(a))"), [(n,) for n in INTS if n != -(2**63)])
    check_all(define("(-a, +a, not a, abs(a))"), [(x,) for x in FLOATS] + [(True,), (False,)])


def test_divmod():
    check_all(define("divmod(a, b)"), agrees("divmod(a, b)", itertools.product(INTS, repeat=2)))
    check_all(define("divmod(a, b)"), itertools.product(FLOATS, repeat=2))
    check_all(define("divmod(a, b)"), [(7, 2.5), (2.5, 7), (True, 2), (7.5, True)])


def test_power():
    check_all(define("a ** b"), agrees("a ** b", itertools.product(INTS, (0, 1, 2, 3, 5, 30, 62, 63))))
    reals = [x for x in itertools.product(FLOATS, repeat=2) if not (x[0] < 0 and math.isfinite(x[0]) and x[1] != int(
        x[1] if math.isfinite(x[1]) else 0) and math.isfinite(x[1]))]
    # Against the own power: its last bit may differ from CPython's.
    check_all(define("a ** b"), reals, expected=power)
    check_all(define("pow(a, b)"), [(2.5, 3), (3, 2.5), (True, 2), (0.0, -1), (0, -1.5), (10.0, 400.0), (-10.0, 401)])
    check_all(define("(a ** -1, a ** -2)"), [(n,) for n in (1, 2, -3, 0, 10)])
    check_all(define("a ** 2"), [(x,) for x in FLOATS if abs(x) < 1e100])
    check_all(define("a ** 0.5"), [(x,) for x in FLOATS if not x < 0 or x == -INF])


def test_powers_that_differ_on_purpose():
    import rumba

    power = rumba.njit(define("a ** b"))
    with pytest.raises(ValueError, match="Integers to negative integer powers"):
        power(2, -1)
    with pytest.raises(ValueError, match="negative number cannot be raised to a fractional power"):
        power(-8.0, 0.5)
    assert rumba.njit(define("a ** 2"))(1e200) == INF
    assert power(3, 41) == 3**41 - 2**65


def test_modular_power():
    values = [0, 1, 2, 3, 7, -3, 10**9, 2**62, -(2**63), 2**63 - 1]
    check_all(define("pow(a, b, c)"), itertools.product(values, values, (1, 2, 7, -7, 10, 0, 2**61, -(2**63), 2**63 - 1)))


def test_rounding():
    check_all(define("round(a)"), [(x,) for x in FLOATS if not abs(x) >= 2.0**63 or math.isinf(x)] + [(n,) for n in INTS])
    check_all(define("round(a)"), [(True,), (0.49999999999999994,), (4503599627370497.5,)])
    check_all(define("round(a, None)"), [(2.5,), (3,)])
    digits = [0, 1, 2, 3, 5, 15, 16, 17, 22, 100, 308, 323, 324, 400, -1, -2, -5, -15, -300, -308, -309, -400]
    floats = FLOATS + [2.675, 0.125, 1.005, 55.5, 0.5, 1.45, 2.5, 25.0, 15.0, 1.7e308, 12345.678, 9.5, 99.5, 999999.5]
    floats += [RANDOM.uniform(-1000, 1000) for _ in range(50)]
    check_all(define("round(a, b)"), itertools.product(floats, digits))
    check_all(define("round(a, b)"), itertools.product((0, 5, 15, 25, -15, -25, 26, 149, 150, 10**18), (0, 1, 5, -1, -2, -18, -30)))
    check_all(define("round(a, ndigits=b)"), [(2.675, 2)])


def test_conversions():
    ints = [(n,) for n in INTS + [True, False]]
    check_all(define("(int(a), float(a), bool(a), complex(a))"), ints)
    check_all(define("(float(a), bool(a), complex(a))"), [(x,) for x in FLOATS] + [(True,)])
    check_all(define("int(a)"), [(x,) for x in FLOATS if not abs(x) >= 2.0**63 or math.isinf(x)])
    check(define("(int(), float(), bool(), complex())"))


def test_integers_beyond_64_bits_are_errors():
    import rumba

    for source in ("int(a)", "round(a)"):
        with pytest.raises(OverflowError, match="64-bit"):
            rumba.njit(define(source))(1e19)


def test_members():
    check_all(define("(a.bit_length(), a.bit_count(), a.real, a.imag, a.conjugate(), a.numerator, a.denominator)"),
              [(n,) for n in INTS + [True]])
    check_all(define("(a.is_integer(), a.real, a.imag, a.conjugate())"), [(x,) for x in FLOATS])


def test_chained_comparison():
    check_all(define("a < b < c, a <= b == c, a != b < c"), itertools.product((1, 2, 2.5, NAN), repeat=3))


def test_comparison_of_unsigned():
    big = [2**63, 2**64 - 1, 2**63 + 1]
    for op in ("<", "<=", "==", "!=", ">", ">="):
        check_all(define(f"a {op} b"), itertools.product(big, [*INTS, *FLOATS, *big]))
        check_all(define(f"a {op} b"), itertools.product([*INTS, *FLOATS], big))


def test_types_of_narrow_integers():
    import rumba

    def result(source, *args):
        function = rumba.njit(define(source, np=np))
        return function(*args), str(function.nopython_signatures[0].return_type)

    assert result("a + b", np.uint8(200), np.uint8(200)) == (400, "uint64")
    assert result("a + b", np.int32(2**31 - 1), np.int8(1)) == (2**31, "int64")
    assert result("a * b", np.uint64(3), np.int64(-2)) == (-6, "int64")
    assert result("a // b", np.int64(-7), np.uint64(2)) == (-4, "int64")
    assert result("divmod(a, b)", np.int8(-7), np.uint64(2)) == ((-4, 1), "UniTuple(int64 x 2)")
    assert result("-a", np.uint8(1)) == (255, "uint64")
    assert result("~a", np.uint16(0)) == (65535, "uint64")
    assert result("-a", np.int8(-128)) == (128, "int64")
    assert result("int(a)", np.int16(3)) == (3, "int64")
    assert result("int(a)", np.uint64(2**63)) == (2**63, "uint64")
    assert result("-int(a)", np.uint32(5)) == (-5, "int64")
    for kind in (np.bool_, np.uint8, np.int16, np.uint32, np.uint64, np.int64, np.float32):
        assert result("np.int64(a)", kind(1)) == (1, "int64")
    assert result("-np.int64(a)", np.uint32(5)) == (-5, "int64")
    assert result("np.int64(a)", np.uint64(2**64 - 1)) == (-1, "int64")
    assert result("a ** b", np.float32(0.5), np.int32(2)) == (0.25, "float32")
    assert result("a * b", np.float32(0.5), np.int64(2)) == (1.0, "float64")
    assert result("abs(a)", np.complex64(3 + 4j)) == (5.0, "float32")


OPERATORS = {
    2: "add sub mul truediv floordiv mod pow and_ or_ xor lshift rshift lt le eq ne gt ge iadd isub imul itruediv ifloordiv "
       "imod ipow iand ior ixor ilshift irshift",
    1: "neg pos inv invert not_ truth abs index",
}


@pytest.mark.parametrize("name", OPERATORS[2].split() + OPERATORS[1].split())
def test_operator(name):
    binary = name in OPERATORS[2].split()
    function = define(f"operator.{name}(a, b)" if binary else f"operator.{name}(a)", operator=operator)
    check_all(function, [(7, 3), (5, 2)] if binary else [(7,), (-3,), (0,)])
    floats = name not in "and_ or_ xor lshift rshift iand ior ixor ilshift irshift inv invert index".split()
    if floats:
        check_all(function, [(7.5, 2.0)] if binary else [(7.5,), (-0.0,)])


def test_operators_of_containers():
    check(define("(operator.contains((1, a), b), operator.getitem((1, 2.5, a), 1), operator.concat((a,), (b,)),"
                 " operator.countOf((1, a, b), 1), operator.is_(None, None), operator.is_not(a, None))", operator=operator), 1, 2)


def test_numpy_error_model():
    import rumba

    for source, args, expected in (
        ("a / b", (1.0, 0.0), INF), ("a / b", (1, 0), INF), ("a // b", (1.0, 0.0), INF), ("a % b", (1.0, 0.0), NAN),
        ("a // b", (1, 0), 0), ("a % b", (1, 0), 0), ("a ** b", (0.0, -1.0), INF), ("a / b", (0.0, 0.0), NAN),
    ):
        found = rumba.njit(error_model="numpy")(define(source))(*args)
        assert found == expected or found != found and expected != expected, source
