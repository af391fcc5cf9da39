"""Numbers as text and as bytes, `hasattr` and `getattr`, functions of `operator`, `copy` and `math` from the library, against CPython."""
import copy
import math
import operator

import numpy as np
import pytest
from leaks import nothing_leaks  # noqa: F401  the fixture

from rumba import errors, njit, types
from rumba.extending import overload_attribute
from rumba.extending.templates import AttributeTemplate, infer_getattr
from rumba.types import Array
from support import forgotten_overloads

INTEGERS = [0, 1, -1, 5, 127, 128, -128, -129, 255, 256, 2**31, -2**63, 2**63 - 1]
FLOATS = [0.0, -0.0, 1.0, 2.5, -0.1, 5e-324, 2.2250738585072014e-308, 1e300, math.inf, -math.inf, math.nan]


def outcome(function, *args):
    try:
        return function(*args)
    except Exception as error:
        return type(error), str(error)


def check(function, *arguments):
    compiled = njit(function)
    for args in arguments:
        args = args if isinstance(args, tuple) else (args,)
        expected, got = outcome(function, *copy.deepcopy(args)), outcome(compiled, *copy.deepcopy(args))
        assert repr(got) == repr(expected), args


def test_digits():
    check(lambda n: (bin(n), oct(n), hex(n)), *INTEGERS)
    check(lambda x: x.hex(), *FLOATS)
    assert njit(lambda n: (hex(n), bin(n)))(np.uint64(2**64 - 1)) == (hex(2**64 - 1), bin(2**64 - 1))
    assert njit(lambda b: hex(b))(True) == "0x1"


def test_bytes():
    for length in (0, 1, 2, 8, 9):
        for order in ("big", "little"):
            for signed in (False, True):
                check(lambda n: n.to_bytes(length, order, signed=signed), *INTEGERS)
    check(lambda n, length, order: n.to_bytes(length, order), (5, -1, "big"), (5, 1, "middle"), (5, 3, "big"))
    for signed in (False, True):
        check(lambda b: (int.from_bytes(b, "big", signed=signed), int.from_bytes(b, "little", signed=signed)),
              b"ab\0", b"\xff\xfe\0", b"\1\xff\xff\xff\xff\xff\xff\1")
    check(lambda n: bytes(n), 0, 3, -1)
    check(lambda items: bytes(items), ([1, 2, 255],), ([256],), ([-1],))
    check(lambda: bytes(b"ab"), ())
    large = njit(lambda a: int.from_bytes(a.tobytes(), "big"))
    with pytest.raises(OverflowError):
        large(np.full(9, 255, np.uint8))


def test_fractions():
    check(lambda x: x.as_integer_ratio(), *(x for x in FLOATS if not 0 < abs(x) < 1e-10 and x < 1e20 or x != x or x == math.inf))
    check(lambda n: n.as_integer_ratio(), *INTEGERS)
    with pytest.raises(OverflowError):
        njit(lambda x: x.as_integer_ratio())(1e-30)


@forgotten_overloads()
def test_names_of_attributes():
    row = np.arange(3.0)
    # What gives attributes of any name to one type says nothing of others.
    class Foreign(types.Type):
        def __init__(self):
            super().__init__("Foreign")

    @infer_getattr
    class OfAnyName(AttributeTemplate):
        key = Foreign

        def generic_resolve(self, typ, attr):
            return types.int64

    check(lambda a: (hasattr(a, "shape"), hasattr(a, "unheard"), getattr(a, "unheard", 5), getattr(a, "ndim", 7)), row)
    check(lambda a: (hasattr(a, "append"), hasattr(a, "shape"), hasattr("x", "upper"), hasattr("x", "unheard")), ([1],))

    @overload_attribute(Array, "first_of_mine")
    def first_of_mine(a):
        return lambda a: a[0]
    with pytest.raises(errors.TypingError):
        njit(lambda a: getattr(a, "first_of_mine", 9))(row)


def test_operators():
    check(lambda a, b: operator.concat(a, b), ([1], [2]))
    check(lambda a, b: (operator.countOf(a, b), operator.length_hint(a)), ([1, 2, 1], 1), ([1], 2))
    check(lambda a, b: operator.indexOf(a, b), ([1, 2, 1], 2), ([1], 2), ((1, 2), 2), ((1, 2), 3), ((1, "a", 2.5), "a"))
    check(lambda a: operator.countOf(a, 1), ((1, 2, 1),))


def test_copies():
    def apart(items, row):
        other, same, rest = copy.copy(items), copy.deepcopy(items), copy.deepcopy(row)
        other.append(7)
        rest[0] = 5
        return items, other, same, row.tolist(), rest.tolist(), copy.copy((1, "a")), copy.deepcopy(2.5)
    check(apart, ([1, 2], np.zeros(2)))


def test_sums_and_products():
    check(lambda items: math.fsum(items), ([0.1] * 10,), ([1e16, 1.0, 1e-16],), ([1e308, 1e308],), ([math.inf, 1.0],),
          ([math.inf, -math.inf],), ([math.nan],), ([1e100, 1.0, -1e100],), ([1.0, 2.0**-53, 2.0**-100],))
    check(lambda items: math.prod(items), ([1, 2, 3],))
    check(lambda items: math.prod(items, start=2), ([1.5, 2.0],))
    row = np.random.default_rng(1).normal(size=1000) * 10.0 ** np.arange(-20, 20).repeat(25)
    check(lambda a: (math.fsum(a), float(math.prod(a[:20]))), row)


def formatted(x):
    return f"{x}", format(x), f"{x!s}", "{}".format(x), f"a{x}b{x:}"


@pytest.mark.parametrize("value", [
    np.float32(-1.1), np.float32(3), np.float32("nan"), np.float32(1e20), np.complex64(0.1 + 1.1j), np.complex64(1.1j), np.int8(-3),
    np.uint64(2**63), np.float64(0.1), np.complex128(0.1j)])
def test_numbers_in_f_strings(value):
    """The text of a float32 has its own digits in `str`, and those of a float64 where it is formatted."""
    assert njit(formatted)(value) == formatted(value)
