"""Strings in compiled code: the type, its operators, loops, hashes, exceptions that carry them."""
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from leaks import nothing_leaks  # noqa: F401  the fixture
from texts import outcome, same, texts

import rumba
from rumba import njit, types

MANY = settings(max_examples=200, deadline=None)
INTS = st.integers(-15, 15)
BOUNDS = st.one_of(st.none(), INTS)


@njit
def itself(s):
    return s


@njit
def constant():
    return "häé€😀"


@njit
def empty():
    return ""


@njit
def add(a, b):
    return a + b


@njit
def compare(a, b):
    return a == b, a != b, a < b, a <= b, a > b, a >= b


@njit
def with_constants(s):
    return (s == "a", s != "ab", "€" == s, s == "", s == "abcdefghijklmnop", s == "abcdefghijklmnopq",
            s < "b", s in "abc", "a" in s, s + "x", "x" + s)


@njit
def repeat(s, n):
    return s * n, n * s


@njit
def item(s, i):
    return s[i]


@njit
def part(s, a, b):
    return s[a:b]


@njit
def part_by_step(s, a, b, c):
    return s[a:b:c]


@njit
def parts(s):
    return s[1:], s[:-1], s[::2], s[::-1], s[-3:-1], s[:]


@njit
def numbers(s):
    total = 0
    for at, c in enumerate(s):
        total = total * 31 % 1000003 + ord(c) + at
        if c == "a" or c == "€":
            total += 1
    return total


@njit
def backwards(s):
    made = ""
    for c in s:
        made = c + made
    return made


@njit
def facts(s):
    return len(s), bool(s), not s, str(s), hash(s), hash((s, 1, s))


@njit
def contains(a, b):
    return a in b, a not in b


@njit
def character(i):
    return chr(i)


@njit
def number(s):
    return ord(s)


@njit
def joined(n, s):
    if n > 2:
        found = "many"
    elif n > 1:
        found = "two€"
    elif n > 0:
        found = s
    else:
        found = s + "!"
    return found


@njit
def perhaps(n, s):
    if n > 1:
        return s + s
    if n > 0:
        return "one"
    return None


@njit
def of_perhaps(s):
    return 0 if s is None else len(s)


@njit
def together(s, n):
    return (s, s + "x", n, (s[1:], "lit"))


@njit
def taken(pair):
    return pair[0] + pair[1], pair[0] == pair[1]


@njit
def by_loop(n):
    s = ""
    for i in range(n):
        s += chr(97 + i % 26)
        if i % 7 == 3:
            s = s[1:]
    return s


@njit
def in_closure(s, n):
    count = 0

    def more(t):
        nonlocal s, count
        s = s + t
        count += 1
        return s

    for i in range(n):
        more("ab")
    return s, count


@njit
def through_calls(s):
    return add(itself(s), add(s, "!"))


@njit
def raises(s, n):
    if n == 0:
        raise ValueError(s)
    if n == 1:
        raise KeyError(s + "!", n)
    if n == 2:
        raise IndexError((s, 1.5), "const")
    made = s + "longer"
    if n == 3:
        return made[1000]
    raise RuntimeError(made[:n])


def test_strings_cross_the_border():
    for s in ["", "a", "abc", "é", "häé", "€", "a€b", "😀", "a😀é", "\0", "a\0b", "\ud800", "x" * 1000]:
        same(itself, s)
        assert itself(s) is s
    same(constant)
    same(empty)
    assert itself.nopython_signatures[0].return_type is types.unicode_type
    assert str(rumba.typeof("abc")) == "unicode_type"


def test_signatures_name_the_type():
    for ty in [types.unicode_type, types.string]:
        eager = njit(ty(ty, types.int64))(lambda s, n: s * n)
        assert eager("ab", 3) == "ababab"
    assert njit("unicode_type(unicode_type)")(lambda s: s + "1")("a") == "a1"
    with pytest.raises(TypeError):
        njit("unicode_type(unicode_type)")(lambda s: s)(1)


@MANY
@given(texts(), texts())
def test_operators(a, b):
    same(add, a, b)
    same(compare, a, b)
    same(compare, a, a[:])
    same(compare, a + "x", a + "x")
    same(contains, a, b)
    same(contains, a[1:3], a)
    same(with_constants, a)
    same(taken, (a, b))
    same(through_calls, a)


@MANY
@given(texts(), INTS)
def test_items(s, i):
    same(item, s, i)
    same(repeat, s, i)
    same(parts, s)
    same(numbers, s)
    same(backwards, s)
    same(facts, s)
    same(number, s)
    same(number, s[:1])
    same(together, s, i)


@MANY
@given(texts(), BOUNDS, BOUNDS, st.one_of(st.none(), st.integers(-4, 4)))
def test_slices(s, a, b, c):
    same(part, s, a, b)
    same(part_by_step, s, a, b, c)


def test_slices_at_the_limits():
    for c in [1, -1, 2, sys.maxsize, -sys.maxsize, -sys.maxsize - 1]:
        for a in [None, 0, sys.maxsize, -sys.maxsize - 1]:
            same(part_by_step, "abcdef", a, None, c)
            same(part_by_step, "abc€ef", None, a, c)


def test_characters_by_number():
    for i in [0, 97, 127, 128, 255, 256, 0x20AC, 0xD800, 0xFFFF, 0x10000, 0x1F600, 0x10FFFF, 0x110000, -1]:
        same(character, i)


def test_constants_become_strings_where_they_meet():
    for n in range(5):
        same(joined, n, "s😀")
        same(perhaps, n, "é")
    same(of_perhaps, None)
    same(of_perhaps, "abc")


def test_strings_live_in_loops_and_closures():
    for n in [0, 1, 10, 200]:
        same(by_loop, n)
        same(in_closure, "x", n)


def test_exceptions_carry_strings():
    for n in range(6):
        for s in ["", "a", "ab€", "long enough to be allocated"]:
            same(raises, s, n)
            with pytest.raises((ValueError, LookupError, RuntimeError)) as found:
                raises(s, n)
            assert found.value.args == outcome_args(s, n)


def outcome_args(s, n):
    try:
        raises.py_func(s, n)
    except Exception as error:  # noqa: BLE001
        return error.args


def test_other_kinds_are_never_equal():
    @njit
    def kinds(s):
        return s == 1, s != None, s == (1, 2)  # noqa: E711

    same(kinds, "a")


def test_a_function_without_a_gil_makes_strings():
    released = njit(nogil=True)(backwards.py_func)
    assert released("añb") == "bña"
    assert outcome(released, "x" * 50) == outcome(backwards.py_func, "x" * 50)


@njit
def constant_tuples(n):
    a = ("a", 1, "bb")
    b = (a, "x")
    if n:
        a = ("c", 2, "dd€")
    return a, b, b[0][0] + b[1], len(a[2]), a == ("a", 1, "bb"), ("aa", 1) < ("bb", 1), ("cc",) < ("bb",)


@njit
def constant_items(s):
    found = ""
    for x in ("a", s, "c"):
        found += x
    for c in "xyz":
        found = c + found
    return found, max("a", "b"), min("q", s), max(s, "b", "c")


def test_constants_in_tuples_and_loops():
    same(constant_tuples, 0)
    same(constant_tuples, 1)
    same(constant_items, "zé")


def test_closures_and_defaults_hold_strings():
    outer = "out€"

    @njit
    def with_default(n, s="left out"):
        def inner(t="dflt"):
            return t + outer

        return inner(), inner(s), s * n

    same(with_default, 2)
    same(with_default, 2, "x")


@njit
def unpacked(s):
    a, b = s
    return b, a


@njit
def in_lists(s, t):
    all = sorted([t, s, "b", s + t])
    made = [c.upper() for c in s if c != "b"]
    return all, made, list(reversed(s)), max([s, t]), list(zip(s, t)), sorted(s), [s] * 2 == [s, t], t in all


def test_strings_in_lists():
    for s, t in [("ab", "ba"), ("é€", "b"), ("", "x"), ("abc", "abc")]:
        same(unpacked, s)
        same(in_lists, s, t)
    assert njit(lambda l: "-".join(l))(["a", "b€"]) == "a-b€"
    assert njit(lambda l: [s + "!" for s in l])(["a", "b€"]) == ["a!", "b€!"]
