"""How arguments reach compiled code: which specialization takes them, and what does not fit."""
import collections

import numpy as np
import pytest
from rumba import errors, jit, njit

VALUES = [True, 3, -1, 300, 2**40, 2**63, 2**200, -2**70, 2.5, float("inf"), 1 + 2j, None,
          np.int8(-3), np.uint64(7), np.uint64(2**63 + 5), np.float32(2.5), np.bool_(True)]
SIGNATURES = [
    [], ["uint8(uint8)", "float64(float64)"], ["int64(int64)", "uint64(uint64)"],
    ["int32(int32)", "int64(int64)", "float32(float32)"], ["float32(float32)", "float64(float64)"],
    ["boolean(boolean)", "complex128(complex128)"], ["optional(int64)(optional(int64))"]]


def outcome(f, value):
    try:
        return repr(f(value))
    except (TypeError, OverflowError, errors.NumbaError) as error:
        assert not isinstance(error, errors.InternalError)
        return type(error).__name__


@pytest.mark.parametrize("signatures", SIGNATURES)
def test_what_serves_a_call_does_not_depend_on_the_calls_before(signatures):
    def fresh():
        return jit(signatures)(lambda x: x) if signatures else njit(lambda x: x)

    alone = [outcome(fresh(), value) for value in VALUES]
    for first in VALUES:
        f = fresh()
        outcome(f, first)
        assert [outcome(f, value) for value in VALUES] == alone


@pytest.mark.parametrize("signature, value, error, message", [
    ("int64", 2**63, OverflowError, "int too big to convert"),
    ("int8", -2**63 - 1, OverflowError, "int too big to convert"),
    ("int64", np.uint64(2**63), OverflowError, "int too big to convert"),
    ("int32", 1e30, OverflowError, "int too big to convert"),
    ("uint64", -1, OverflowError, "can't convert negative int to unsigned"),
    ("uint8", np.int16(-1), OverflowError, "can't convert negative int to unsigned"),
    ("uint64", 2**64, OverflowError, "int too big to convert"),
    ("int64", float("inf"), OverflowError, "cannot convert float infinity to integer"),
    ("uint8", float("nan"), ValueError, "cannot convert float NaN to integer"),
    ("float64", 10**400, OverflowError, "int too large to convert to float"),
    ("UniTuple(int64, 2)", (1, 2**63), OverflowError, "int too big to convert"),
])
def test_numbers_that_a_fixed_signature_cannot_take(signature, value, error, message):
    f = jit(f"({signature},)")(lambda x: 0)
    with pytest.raises(error, match=message):
        f(value)
    assert jit("(float64,)")(lambda x: x)(3) == 3.0


@pytest.mark.parametrize("signature, value, expected", [
    ("int8", 200, -56), ("uint8", 300, 44), ("int32", 2**40 + 1, 1), ("int64", -2.7, -2),
    ("float64", 2**64, 2.0**64), ("float32", -2**70, -2.0**70), ("complex128", 2**65, 2.0**65),
    ("boolean", 0.5, True), ("uint16", True, 1)])
def test_conversions_of_a_fixed_signature(signature, value, expected):
    assert jit(f"{signature}({signature})")(lambda x: x)(value) == expected


def test_small_and_big_integers_are_served_by_their_own():
    f = njit(lambda x: x - 5)
    assert (f(2**63), f(3), f(2**63), f(-3)) == (2**63 - 5, -2, 2**63 - 5, -8)


def test_tuples_of_numpy_and_of_python_numbers_share_a_specialization():
    Pair = collections.namedtuple("Pair", "a b")
    f = njit(lambda t: t[0] + t[1])
    for pair in ((np.int64(1), 2), (1, 2), (1, np.int64(2)), Pair(1, np.int64(2)), Pair(1, 2)):
        assert f(pair) == 3
    assert len(f.signatures) == 2
    nested = njit(lambda t: t[0][1])
    assert nested(((1, np.float64(2)), 3)) == nested(((1, 2.0), 3)) == 2.0


def test_ambiguity_lists_the_candidates():
    f = jit(["float64(int64, float64)", "float64(float64, int64)"])(lambda x, y: x)
    with pytest.raises(TypeError) as caught:
        f(1, 2)
    assert str(caught.value).startswith("Ambiguous overloading for <function")
    assert str(caught.value).endswith(
        "(int64, int64):\n(int64, float64) -> float64\n(float64, int64) -> float64")


class Meters(float):
    pass


class Number(int):
    pass


class Fields(tuple):
    _fields = ("a",)


def test_subclasses_of_numbers_are_numbers():
    f = njit(lambda x: x)
    for value in (Meters(2.5), Number(3), Number(2**63)):
        assert f(value) == value and type(f(value)) in (int, float)
    assert f((Number(1), Meters(2.0))) == (1, 2.0)
    assert jit("float64(float64)")(lambda x: x)(Number(3)) == 3.0


class Raises:
    def __getattribute__(self, name):
        raise ValueError(name)


@pytest.mark.parametrize("value", [
    Raises, lambda: Fields((1,)), lambda: NotImplemented, lambda: sum, lambda: pytest, lambda: dict,
    lambda: {object()}, object, lambda: [object()], lambda: (1, object())])
def test_values_without_a_type_are_named_and_let_go(value):
    import gc
    import sys

    value = value()
    lazy, fixed = njit(lambda x: 0), jit("int64(int64)")(lambda x: x)

    def refuse():
        with pytest.raises(errors.TypingError, match="Cannot determine Numba type"):
            lazy(value)
        with pytest.raises(TypeError, match="No matching definition for argument"):
            fixed(value)

    refuse()
    gc.collect()
    before = sys.getrefcount(value)
    for _ in range(20):
        refuse()
    gc.collect()
    assert sys.getrefcount(value) <= before + 1


def test_deeply_nested_tuples_are_refused():
    value = ()
    for _ in range(100_000):
        value = (value,)
    with pytest.raises(RecursionError, match="nested"):
        njit(lambda x: 0)(value)


def test_compiled_functions_come_back():
    inner = njit(lambda x: x)
    assert njit(lambda f: f)(inner) is inner
    assert njit(lambda f: (f, 1))(inner) == (inner, 1)
    assert njit(lambda: inner)() is inner


def test_what_cannot_be_returned_is_a_type_error_too():
    with pytest.raises(TypeError, match="cannot convert native Module.* to Python object") as caught:
        njit(lambda: np)()
    assert isinstance(caught.value, errors.TypingError)


def test_functions_that_change_after_they_were_made():
    def f(a, b=2):
        return a + b

    f.__defaults__ = (1, 2, 3, 4)
    compiled = njit(f)
    assert (compiled(), compiled(1)) == (f(), f(1)) == (7, 5)
    other = njit(lambda a: a)
    other.py_func.__code__ = (lambda a, b: a).__code__
    with pytest.raises(TypeError, match="decorate it again"):
        other(1)
    compiled.__dict__ = {}
    assert compiled(1) == 5 and list(compiled.overloads) == compiled.signatures


@pytest.mark.parametrize("dtype", [
    np.float32, np.int64, np.uint8, np.complex64, np.bool_, np.dtype("f8"), np.dtype("i4"), np.dtype("c16"), np.dtype([("x", "f4")]),
    np.dtype("M8[s]"), float, int, complex,
])
def test_dtypes_as_arguments(dtype):
    @njit
    def filled(n, dtype):
        return np.zeros(n, dtype)

    @njit
    def within(n, dtype=np.int16):
        return np.empty((n, 2), dtype=dtype).itemsize, np.zeros(n, dtype)[:1]

    for function in filled, within:
        found, expected = function(3, dtype), function.py_func(3, dtype)
        assert repr(found) == repr(expected)
    assert within(2)[0] == 2
    assert filled(2, np.int8).dtype == np.int8, "another dtype, another specialization"


def test_numbers_of_a_class_that_is_an_argument():
    @njit
    def converted(x, kind):
        return kind(x)

    for kind in np.float32, np.int16, np.uint64, float, int:
        found, expected = converted(3.75, kind), kind(3.75)
        assert found == expected
    with pytest.raises(errors.TypingError, match="ObjectDType"):
        converted(3.75, np.dtype(object))


def test_a_default_is_a_constant_of_its_specialization():
    @njit
    def f(x, power=3, negated=False, scale=1.5):
        y = -x if negated else x
        power += 1
        return y ** (power - 1) * scale

    assert f(2.0) == f(2.0) == 12.0
    assert [str(f.signatures[0][at]) for at in range(4)] == ["float64", "omitted(default=3)", "omitted(default=False)", "float64"]
    # A value in the call is one of run time, also where it is that of the default.
    assert (f(2.0, 2), f(2.0, 3), f(2.0, 4), f(2.0, negated=True), f(2.0, 3, True)) == (6.0, 12.0, 24.0, -12.0, -12.0)
    assert f(2.0) == 12.0
    assert njit(lambda t, at=1: t[at])((1, "two", 3.0)) == "two"


def test_a_default_that_cannot_be_a_constant_is_a_value():
    @njit
    def collect(n, items=1):
        out = [items]
        for i in range(n):
            items = items + 0.5
            out.append(items)
        return out

    assert collect(2) == [1.0, 1.5, 2.0]
    assert njit(lambda x, n=None: x if n is None else n)(4) == 4
    with pytest.raises(OverflowError):
        njit(lambda x, n=2**70: n)(4)


def test_a_call_with_values_follows_one_with_defaults():
    @njit
    def f(n=5, k=2):
        return n * 10 + k

    @njit
    def g(n=5, k=2):
        yield n
        yield k

    @njit
    def h(a, n=5):
        a.append(n)
        return a

    assert (f(), f(1, 3), f(), f(1), f(2, 4), f(k=7), f(3, 5)) == (52, 13, 52, 12, 24, 57, 35)
    assert [list(items) for items in (g(), g(1, 3), g(4), g())] == [[5, 2], [1, 3], [4, 2], [5, 2]]
    assert (h([1]), h([1], 3), h([1]), h([2], 4)) == ([1, 5], [1, 3], [1, 5], [2, 4])
