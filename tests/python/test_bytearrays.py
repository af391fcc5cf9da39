"""`bytearray` made and changed in compiled code, against Python."""
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leaks import nothing_leaks  # noqa: F401
from rumba import njit
from rumba.errors import TypingError
from support import check

few = settings(max_examples=40, deadline=None)
raw = st.binary(max_size=6)

MADE = [lambda: bytearray(), lambda: bytearray(3), lambda: bytearray(b"abc"), lambda: bytearray([1, 2, 255]), lambda: bytearray((7,)),
        lambda: bytearray(range(3, 9)), lambda: bytearray(bytearray(b"xy")), lambda: bytearray("h\xe9", "utf-8"), lambda: bytearray(0)]
WITHOUT_BYTES = [
    lambda b, c: (len(b), b == c, b != c, b < c, b <= c, b > c, b >= c, b == bytes(c), bool(b), 1 if b else 2),
    lambda b, c: (sum(b), 97 in b, b"a" in b, b[:2].find(b"a"), b.count(b"a"), b.rfind(b"b"), b.startswith(b"a"), b.endswith(b"b")),
    lambda b, c: (b.hex(), [x for x in b], list(b), max(list(b) + [0]), int.from_bytes(b[:7], "big"))]
NEW = [lambda b, c: (b + c, b + bytes(c), bytes(b) + c, b * 3, 2 * b, b * 0, bytes(b)),
       lambda b, c: (b[1:], b[::-1], b[:2], b[::2], b.copy(), bytearray(b)),
       lambda b, c: (b.upper(), b.replace(b"a", b"xyz"), b.strip(), b.lstrip(b"a"), b.removeprefix(b"a"), b.ljust(9, b"."), b.zfill(8))]


@pytest.mark.parametrize("function", MADE)
def test_made(function):
    found = njit(function)()
    assert found == function() and type(found) is bytearray


COMPILED = [(function, njit(function)) for function in WITHOUT_BYTES + NEW]


@few
@given(raw, raw)
def test_operators_and_methods(b, c):
    for function, compiled in COMPILED:
        one, other = bytearray(b), bytearray(c)
        found, expected = compiled(one, other), function(bytearray(b), bytearray(c))
        assert found == expected and list(map(type, found)) == list(map(type, expected))
        assert (one, other) == (b, c)


@njit
def put(b, start, stop, step, value):
    b[start:stop:step] = value
    return b


bounds = st.one_of(st.none(), st.integers(-7, 7))


@few
@given(raw, bounds, bounds, st.sampled_from([-2, -1, 1, 2, 3]), st.data())
def test_slices_are_set(b, start, stop, step, data):
    length = len(b[start:stop:step])
    value = data.draw(st.binary(min_size=length, max_size=length))
    for made in (value, bytearray(value), list(value)):
        expected, given = bytearray(b), bytearray(b)
        expected[start:stop:step] = made
        if made != []:
            assert put(given, start, stop, step, made) is given and given == expected


def test_a_slice_of_itself():
    @njit
    def shifted(b):
        b[1:] = b[:-1]
        return b

    check(shifted, bytearray(b"abcdef"))


def test_the_length_stays():
    b = bytearray(b"abc")
    with pytest.raises(BufferError, match="cannot be re-sized"):
        put(b, 0, 1, 1, b"longer")
    with pytest.raises(BufferError, match="cannot be re-sized"):
        njit(lambda b: _extended(b))(b)
    for change in (lambda b: b.append(1), lambda b: b.extend(b"x"), lambda b: b.pop()):
        with pytest.raises(TypingError, match="keeps the length that it is made with"):
            njit(change)(b)
    assert b == b"abc" and njit(lambda b: _nothing_added(b))(b) is b


@njit
def _extended(b):
    b += b"x"
    return b


@njit
def _nothing_added(b):
    b += b""
    return b


@pytest.mark.parametrize("value", [[256], [1, -1], [-300]])
def test_numbers_that_are_no_bytes(value):
    with pytest.raises(ValueError, match=r"byte must be in range\(0, 256\)"):
        njit(lambda value: bytearray(value))(value)
    with pytest.raises(ValueError, match="negative count"):
        njit(lambda n: bytearray(n))(-1)
    with pytest.raises(TypingError, match="string argument without an encoding"):
        njit(lambda: bytearray("a"))()


def test_a_sieve():
    def primes(n):
        sieve = bytearray([1]) * (n + 1)
        sieve[0] = sieve[1] = 0
        for i in range(2, int(n ** 0.5) + 1):
            if sieve[i]:
                sieve[i * i::i] = bytearray(len(range(i * i, n + 1, i)))
        return [i for i in range(n + 1) if sieve[i]], sieve

    check(njit(primes), 200)
