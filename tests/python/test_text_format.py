"""Values as strings and back: str, repr, format, f-strings, %, .format, int, float, print."""
import collections

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from leaks import nothing_leaks  # noqa: F401  the fixture
from texts import same, texts

from rumba import njit
from rumba.errors import NumbaError

MANY = settings(max_examples=150, deadline=None)


@njit
def written(x):
    return str(x), repr(x), f"{x}", f"{x!r:>20}", format(x), format(x, ""), "%s|%r" % (x, x), "{}|{!r}".format(x, x)


@njit
def in_ascii(x):
    return ascii(x), f"{x!a}"


@njit
def formatted(x, spec):
    return format(x, spec)


@njit
def pieces(i, f, s):
    return f"{i}{f}{s}", f"{i:5d}|{f:8.3f}|{s:>6}|{i:x}", f"<{s}>", f"{s}", f"{i}"


@njit
def to_int(s):
    return int(s)


@njit
def to_int_by(s, base):
    return int(s, base)


@njit
def to_float(s):
    return float(s)


@njit
def percent(s, x):
    return s % x


@njit
def by_format(s, x, y):
    return s.format(x, y)


# Floats half-way between two of their shortest texts, and those around the changes to exponents.
TIES = st.builds(lambda m, k: m / 2**k, st.integers(2**52, 2**53 - 1), st.integers(0, 6))
EDGES = st.builds(lambda m, e: m * 10.0**e, st.integers(-10**6, 10**6), st.integers(-12, 18))
FLOATS = st.one_of(st.floats(), TIES, EDGES)
NUMBERS = st.one_of(st.integers(-2**63, 2**63 - 1), FLOATS, st.booleans(), st.complex_numbers())


@MANY
@given(NUMBERS)
def test_numbers_are_written_as_python_does(x):
    same(written, x)


@MANY
@given(texts(), st.integers(0, 2**64 - 1), FLOATS)
def test_strings_and_tuples(s, i, f):
    same(written, s)
    same(in_ascii, s)
    same(written, (s, 1))
    same(written, (i, (f, s, None, True)))
    same(pieces, i // 2, f, s)


@pytest.mark.parametrize("x", [
    562949953421312.25, 562949953421312.75, -562949953421312.25, 2.0**49 + 2.125, 1e-4, 1e-5, -1.25e-5, 9.999999999999999e-05, 1e15, 1e16, 1e17,
    123456789012345680.0, 5e-324, 1e22, 1e23, 0.0, -0.0, 9007199254740993.0, 1.7976931348623157e308, 2.2250738585072014e-308, 1e100, -1e-100])
def test_floats_between_texts(x):
    same(written, x)


def test_none_is_written():
    same(written, None)
    same(written, ())


def test_what_may_be_none():
    @njit
    def perhaps(n, s):
        x = s if n else None
        return str(x), f"{x}"

    same(perhaps, 1, "a€")
    same(perhaps, 0, "a€")


@pytest.mark.parametrize("spec", ["", "d", "05d", ">10", "+", "x", ".3f", "e", ",", "%", "s", "q", "^7", "10.2f", "é>4"])
def test_specifications(spec):
    for x in [7, -7, 2.5, "txt", "é€", True, 1 + 2j]:
        same(formatted, x, spec)


@MANY
@given(texts())
def test_reading(s):
    same(to_int, s)
    same(to_float, s)


@pytest.mark.parametrize("s", ["12", " 12 ", "-5", "+5", "1_000", "", "x", "1.5", "1e5", "nan", "inf", "-inf", ".", "1.",
                               ".5", "٣", "0x10", "9223372036854775807", "\x1f5\x1f", "--1", "1__0", "1e400", "5e-324"])
def test_reading_numbers(s):
    same(to_int, s)
    same(to_float, s)


def test_reading_in_a_base():
    for s, base in [("ff", 16), ("0b11", 0), ("z", 36), ("9", 8), ("1", 1)]:
        same(to_int_by, s, base)


def test_an_integer_beyond_64_bits():
    with pytest.raises(OverflowError):
        to_int("9223372036854775808")


def test_percent_and_format():
    same(percent, "%d!", 3)
    same(percent, "%s-%5.1f", ("a", 2.25))
    same(percent, "%d", "x")
    same(percent, "%s %s", ("x",))
    same(percent, "%q", 1)
    same(by_format, "{} {}", 1, "a")
    same(by_format, "{1}{0:>4}", 1.5, "€")
    same(by_format, "{2}", 1, 2)
    same(by_format, "{", 1, 2)
    same(by_format, "{a}", 1, 2)


def test_a_failure_inside_of_a_loop_gives_up_what_is_held():
    @njit
    def total(a, b, n):
        found = 0
        for i in range(n):
            found += int((a + b)[i:])
        return found

    same(total, "12", "34", 4)
    same(total, "12", "34x", 4)


def test_print(capfd):
    @njit
    def show(s, t, n):
        print(s, "const", n, (s, t))
        print(s, t, sep=t, end=s + "\n")
        print(f"{s}{n}")

    for call in (show, show.py_func):
        call("a€", "-", 3)
    import sys
    sys.stdout.flush()
    out = capfd.readouterr().out
    half = len(out) // 2
    assert out[:half] == out[half:] and "a€ const 3 ('a€', '-')" in out


Point = collections.namedtuple("Point", "x y")


def test_named_tuples_show_their_names():
    def shown(p, a):
        q = Point(a, (p, "x"))
        return (str(p), repr(p), f"{p}", f"{q!r}", str(q), str([p]), str((p, a)), "%s|%r" % (p, q), "{} {!r}".format(p, q),
                str(Point([a], {a: a})))

    for p in (Point(1, 2.5), Point("a", None), Point((1, 2), True)):
        assert njit(shown)(p, 3) == shown(p, 3)
    with pytest.raises(ValueError) as raised:
        njit(_fails)(Point(1, 2.5))
    assert str(raised.value) == "Point(x=1, y=2.5)" and raised.value.args == (Point(1, 2.5),)


def _fails(p):
    raise ValueError(p)


@pytest.mark.parametrize("text", ["1+2j", " 3 ", "(1j)", "nan", "infj", "1_0e3-1_2.5j", "-j", "1e400", "x", "", "1 + 2j", "1+2j\0"])
def test_complex_numbers_are_read(text):
    def read(text):
        return complex(text)

    outcomes = []
    for function in (read, njit(read)):
        try:
            outcomes.append(repr(function(text)))
        except ValueError as error:
            outcomes.append(str(error))
    assert outcomes[0] == outcomes[1]
    assert njit(lambda: complex("1+2j"))() == 1 + 2j


@pytest.mark.parametrize("text, args, named", [
    ("{a}-{b:>5}", (), {"a": 3, "b": 2}),
    ("{} {n!r} {}", (1.5, True), {"n": "text"}),
    ("{n:{w}.2f}|", (), {"n": 1.234, "w": 10}),
    ("{t[1]} {n.real}", (), {"t": (1, "b"), "n": 2.5}),
    ("{missing}", (1,), {"a": 2}),
    ("{} {0}", (1,), {"a": 2}),
    ("{none}", (), {"none": None, "unused": "x"}),
])
def test_format_by_names(text, args, named):
    given = ", ".join([repr(text), *map(repr, args)][1:] + [f"{name}={value!r}" for name, value in named.items()])
    function = eval(f"lambda text: text.format({given})")
    for compiled, args in ((njit(function), (text,)), (njit(eval(f"lambda: {text!r}.format({given})")), ())):
        try:
            expected = function(text)
        except (KeyError, ValueError) as error:
            with pytest.raises(type(error)) as raised:
                compiled(*args)
            assert raised.value.args == error.args
        else:
            assert compiled(*args) == expected
