"""Bytes in compiled code beside what every buffer does: constants, comparison, search, text."""
import array

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from leaks import nothing_leaks  # noqa: F401  the fixture
from texts import outcome, same, texts

from rumba import njit

MANY = settings(max_examples=100, deadline=None)
BYTES = st.one_of(st.binary(max_size=8), st.text(alphabet="ab", max_size=8).map(str.encode))
BOUNDS = st.one_of(st.none(), st.integers(-6, 10))


@njit
def compare(a, b):
    return a == b, a != b, a < b, a <= b, a > b, a >= b, a in b, bool(a), not a


@njit
def with_constants(a):
    return a == b"ab", b"ab" != a, a < b"b", b"a" in a, a.find(b"b"), a.startswith(b"a")


@njit
def search(a, b, i, j):
    return (a.find(b), a.rfind(b, i), a.count(b, i, j), a.startswith(b, i), a.endswith(b, i, j))


@njit
def index(a, b):
    return a.index(b), a.rindex(b)


@njit
def split(a, b, most):
    return a.split(b, most), a.rsplit(b, maxsplit=most), a.split(), a.rsplit(None, most), a.splitlines(), a.splitlines(True)


@njit
def apart(a, b):
    return a.partition(b), a.rpartition(b)


@njit
def joined(a, b):
    return a.join([b, a, b + a]), a.join((b, b)), b.join([a]), b.join([a, a][:0]), a.hex()


LINES = st.text(alphabet="ab \n\r\t", max_size=8).map(str.encode)


@MANY
@given(st.one_of(BYTES, LINES), st.text(alphabet="ab ", max_size=2).map(str.encode), st.integers(-1, 3))
def test_parts(a, b, most):
    for function, args in ((split, (a, b, most)), (apart, (a, b)), (joined, (a, b))):
        same(function, *args)


def test_parts_of_items_of_arrays():
    @njit
    def parts(items, texts):
        return (items[0].split(b","), items[1].join([items[0], items[2]]), items[0].partition(b","), items[2].hex(),
                texts[0].split(","), texts[0].split(","), len(items[0].split()))

    same(parts, np.array([b"a,b", b"-", b"cd"]), np.array(["a,b", "-", "cd"]))


@njit
def total(a):
    found = 0
    for x in a:
        found = found * 3 % 1000003 + x
    return found, len(a), hash(a), hash((a, 1))


@njit
def added(a, b):
    return a + b + b"!"


@njit
def slices(a):
    return a[1:] == a[::2], a[::-1] + a, (a[::2] + a[1:]).find(b"b")


@njit
def constant(n):
    c = b"abc"
    found = 0
    for x in c:
        found += x
    return found, c[1], c[-1], len(c), c[1:] == b"bc", b"a\0" == c, len(b"a\0"), c.decode(), b"\xc3\xa9".decode()


@njit
def decoded(a):
    return a.decode()


@njit
def decoded_as(a, name):
    return a.decode(name)


@njit
def decoded_plainly(a):
    return a.decode("ascii"), a.decode(encoding="utf-8")


@njit
def encoded(s):
    return s.encode()


@njit
def encoded_as(s, name):
    return s.encode(name), s.encode("latin-1", "replace")


@MANY
@given(BYTES, BYTES, BOUNDS, BOUNDS)
def test_operators_and_searches(a, b, i, j):
    for part in (b, a[1:3], b""):
        same(compare, a, part)
        same(search, a, part, i, j)
        same(index, a, part)
    same(with_constants, a)
    same(total, a)
    same(added, a, b)
    same(slices, a)


def test_constants():
    same(constant, 1)


@MANY
@given(BYTES)
def test_decoding(a):
    same(decoded, a)
    same(decoded_plainly, a)
    for name in ("ascii", "utf-8", "latin-1", "utf-16", "nothing"):
        same(decoded_as, a, name)


@MANY
@given(texts())
def test_encoding(s):
    same(encoded, s)
    assert outcome(lambda s: decoded(encoded(s)), s) == outcome(lambda s: s, s)
    for name in ("ascii", "utf-8", "latin-1", "utf-16", "nothing"):
        same(encoded_as, s, name)


def test_text_of_bytes():
    @njit
    def written(a):
        return str(a), repr(a), f"{a!r}"

    same(written, b"a\xff'")


def test_a_constant_that_ends_in_a_null():
    @njit
    def ended():
        return b"abc\0"

    same(ended)


@njit
def methods(a, b, n):
    return (a.upper(), a.lower(), a.title(), a.capitalize(), a.swapcase(), a.strip(), a.strip(b), a.lstrip(), a.rstrip(b),
            a.zfill(n), a.ljust(n), a.rjust(n, b"x"), a.center(n), a.replace(b, b"yy"), a.replace(b, b"", n), a.removeprefix(b),
            a.removesuffix(b), a * n, a.expandtabs())


@njit
def questions(a):
    return (a.isalnum(), a.isalpha(), a.isascii(), a.isdigit(), a.islower(), a.isspace(), a.istitle(), a.isupper(),
            b"Ab".upper(), b" x ".strip())


@MANY
@given(BYTES, st.integers(-3, 9))
def test_methods(a, n):
    same(methods, a, a[:1], n)
    same(methods, b" aB\t" + a, b"a", n)
    same(questions, a)


@pytest.mark.parametrize("value", [b"", b"abc", bytearray(b"ab"), memoryview(b"ab"), array.array("i", [1, 2])])
def test_an_index_that_is_no_place_is_told_in_words_of_the_class(value):
    def read(a, i):
        return a[i]

    def write(a, i):
        a[i] = 1

    functions = [read] if isinstance(value, bytes) or memoryview is type(value) else [read, write]
    for function in functions:
        compiled = njit(function)
        for at in (len(value), -len(value) - 1, 100):
            messages = []
            for called in (function, compiled):
                with pytest.raises(IndexError) as raised:
                    called(value, at)
                messages.append(str(raised.value))
            assert messages[0] == messages[1]


def test_bytes_are_keys():
    @njit
    def made(k, words):
        d = {k: 1, b"yy": 2}
        for word in words:
            d[word] = d.get(word, 0) + 1
        s = {k, b"yy", b"x"}
        s.discard(k)
        return d, s, b"yy" in s, k in d, k[1:] in d, {(k, 1): 2}[(k, 1)], d.pop(b"yy"), sorted([key for key in s])

    def same_of(function, *args):
        d, s, *rest = function(*args)
        return dict(d), set(s), rest

    words = [b"a", b"b", b"a", b"", b"long enough to be somewhere else", b"long enough to be somewhere else"]
    for k in (b"x", b"", b"ab", b"\xff\x00", b"long enough to be somewhere else"):
        assert same_of(made, k, words) == same_of(made.py_func, k, words)

    @njit
    def given(d, s, k):
        d[k] = len(d)
        s.add(k)
        return d.get(b"q", -1), k in s, len(s)

    for k in (b"x", b"q", b""):
        ours, theirs = ({b"q": 5, b"r": 6}, {b"q", b"x"}), ({b"q": 5, b"r": 6}, {b"q", b"x"})
        assert given(*ours, k) == given.py_func(*theirs, k)
        assert ours == theirs

    @njit
    def missing(d, k):
        return d[k + b"!"], {(k, 1): 2}[(k + b"?", 1)]

    @njit
    def raised(k):
        raise ValueError(k + b"!", 1)

    for function, args in ((missing, ({b"q": 1}, b"q")), (missing, ({b"q!": 1}, b"q")), (raised, (b"ab",))):
        with pytest.raises((KeyError, ValueError)) as expected:
            function.py_func(*args)
        with pytest.raises((KeyError, ValueError)) as found:
            function(*args)
        assert (type(found.value), found.value.args) == (type(expected.value), expected.value.args)
