"""Methods of strings in compiled code."""
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from leaks import nothing_leaks  # noqa: F401  the fixture
from texts import ALPHABET, same, texts

from rumba import njit

MANY = settings(max_examples=200, deadline=None)
INTS = st.integers(-8, 16)
BOUNDS = st.one_of(st.none(), INTS)


def method(name, count):
    """A compiled function that calls a method with a given number of arguments."""
    names = [f"x{i}" for i in range(count)]
    space = {}
    exec(f"def {name}({', '.join(['s', *names])}): return s.{name}({', '.join(names)})", space)
    return njit(space[name])


SEARCHES = ["find", "rfind", "count", "index", "rindex", "startswith", "endswith"]
ALONE = ["lower", "upper", "swapcase", "title", "capitalize", "casefold", "strip", "lstrip", "rstrip", "expandtabs",
         "isalpha", "isalnum", "isdigit", "isdecimal", "isnumeric", "isspace", "isupper", "islower", "istitle",
         "isascii", "isprintable", "isidentifier"]
WITH_TEXT = ["strip", "lstrip", "rstrip", "removeprefix", "removesuffix", "partition", "rpartition"]
FILLS = ["ljust", "rjust", "center"]
BY = {(name, count): method(name, count)
      for names, counts in [(SEARCHES, (1, 2, 3)), (ALONE, (0,)), (WITH_TEXT, (1,)), (FILLS, (1, 2)),
                            (["zfill", "expandtabs"], (1,)), (["replace"], (2, 3))]
      for name in names for count in counts}


@MANY
@given(texts(), texts(3), BOUNDS, BOUNDS)
def test_searches(s, t, a, b):
    for part in (t, s[1:3], s[-2:], ""):
        for name in SEARCHES:
            same(BY[name, 1], s, part)
            same(BY[name, 2], s, part, a)
            same(BY[name, 3], s, part, a, b)


@MANY
@given(texts())
def test_cases_and_classes(s):
    for name in ALONE:
        same(BY[name, 0], s)


def test_every_character_of_an_alphabet():
    for c in ALPHABET:
        for s in (c, c + "a", "A" + c, c + c):
            for name in ALONE:
                same(BY[name, 0], s)


@MANY
@given(texts(), texts(3))
def test_parts(s, t):
    for part in (t, s[:2], s[-1:], "ab €"):
        for name in WITH_TEXT:
            same(BY[name, 1], s, part)


@MANY
@given(texts(), texts(2), texts(3), INTS)
def test_replace(s, old, new, count):
    for part in (old, s[1:2], s[1:3], ""):
        same(BY["replace", 2], s, part, new)
        same(BY["replace", 3], s, part, new, count)


@MANY
@given(texts(), INTS, texts(2))
def test_fills(s, width, fill):
    for name in FILLS:
        same(BY[name, 1], s, width)
        same(BY[name, 2], s, width, fill)
        same(BY[name, 2], s, width, (fill + "é")[0])
    same(BY["zfill", 1], s, width)
    same(BY["zfill", 1], "-" + s, width)
    same(BY["expandtabs", 1], s, width)


def test_edges_of_several():
    @njit
    def edges(s, a, b):
        return s.startswith((a, b)), s.endswith((a, "b", b)), s.startswith(()), s.startswith((a,), 1)

    for s in ["abc", "", "é€", "bca"]:
        same(edges, s, "a", "é")


def test_white_space_may_be_named_none():
    @njit
    def stripped(s):
        return s.strip(None), s.lstrip(None), s.rstrip(None)

    same(stripped, " \ta b\n ")


@pytest.mark.parametrize("size", [1, 15, 16, 17, 63, 64, 65, 1000])
def test_long_strings(size):
    s = "ab" * size + "c" + "ba" * size
    for part in ("c", "bcb", "ba", "xyz"):
        same(BY["find", 1], s, part)
        same(BY["rfind", 1], s, part)
        same(BY["count", 1], s, part)
        same(BY["replace", 2], s, part, "long€")
        same(BY["find", 1], s + "€", part)
        same(BY["rfind", 1], "😀" + s, part)


@njit
def splits(s, t, n):
    return s.split(t), s.split(t, n), s.rsplit(t), s.rsplit(t, n)


@njit
def words(s, n):
    return s.split(), s.split(None, n), s.rsplit(), s.rsplit(None, n), s.split(maxsplit=n), s.rsplit(None)


@njit
def lines(s):
    return s.splitlines(), s.splitlines(True), s.splitlines(keepends=False)


@njit
def joins(s, a, b):
    return s.join([a, b, a]), s.join((a, b)), s.join(a), s.join([a]), s.join(("x", a)), s.join(["y", "z€"])


@njit
def there_and_back(s, t):
    return t.join(s.split(t)), "".join([c for c in s]), "".join(list(s)), list(s)


@MANY
@given(texts(), texts(2), INTS)
def test_split(s, t, n):
    for part in (t, s[1:2], s[2:4], " "):
        same(splits, s, part, n)
        if part:
            same(there_and_back, s, part)
    same(words, s, n)
    same(words, "  " + s + " \xa0", n)
    same(lines, s)
    same(lines, s.replace("a", "\r\n").replace("b", "\x85").replace("x", "\x1c"))


@MANY
@given(texts(3), texts(), texts())
def test_join(s, a, b):
    same(joins, s, a, b)


def test_parts_outlive_the_string():
    @njit
    def kept(s, n):
        made = [""]
        for i in range(n):
            made = (s + str(i) + " more words").split()
        return made

    same(kept, "first", 5)
    parts = kept("first", 3)
    assert parts == ["first2", "more", "words"]

    @njit
    def of_argument(s):
        return s.split(",")

    line = ",".join(["field"] * 3)
    parts = of_argument(line)
    del line
    assert parts == ["field"] * 3


def test_white_space_and_ends_of_lines_are_those_of_this_python():
    @njit
    def count(s):
        return len(s.split()), len(s.splitlines()), len(s.strip())

    for number in range(0x11000):
        if number in range(0xD800, 0xE000):
            continue
        c = chr(number)
        text = "a" + c + "b"
        if c.isspace() or len(text.splitlines()) > 1:
            same(count, text)
            same(count, c)
        elif number % 97 == 0:
            same(count, text)
    expected = {c for c in map(chr, range(0x110000)) if c.isspace()}
    everything = "".join(map(chr, range(0xD800))) + "".join(map(chr, range(0xE000, 0x110000)))
    kept = set("".join(njit(lambda s: s.split())(everything)))
    assert set(everything) - kept == expected


def test_methods_take_keywords():
    @njit
    def by_name(s):
        return s.split(sep=",", maxsplit=1), s.expandtabs(tabsize=3), s.rsplit(maxsplit=1)

    same(by_name, "a,b,c\td e f")
