"""bytes, bytearray, memoryview and array.array in compiled code: items, slices, loops, attributes, lifetimes."""
import array
import gc
import re
import sys
import threading

import numpy as np
import pytest
from leaks import nothing_leaks  # noqa: F401  the fixture
from test_arrays import same

import rumba
from rumba import njit, types
from rumba.errors import TypingError


@njit
def item(b, i):
    return b[i]


@njit
def length(b):
    return len(b)


@njit
def total(b):
    result = 0.0
    for i, x in enumerate(b):
        result = result * 3 + x * (i + 1)
    return result


@njit
def store(b, i, value):
    b[i] = value


@njit
def itself(b):
    return b


def values():
    yield b"abc\xff"
    yield b""
    yield bytearray(b"xyz\x80")
    yield bytearray()
    yield memoryview(b"abc")
    yield memoryview(bytearray(b"abcdefgh"))
    yield memoryview(bytearray(b"abcdefgh"))[::-2]
    yield memoryview(bytearray(b"abcdefgh")).cast("i")
    for code in "bBhHiIlLqQfd":
        yield array.array(code, [1, 2, 100])
    for dtype in ("?", "i2", "u8", "f4", "c8", "c16"):
        yield memoryview(np.array([1, 0, 1]).astype(dtype))


@pytest.mark.parametrize("value", list(values()), ids=lambda value: f"{type(value).__name__}-{bytes(memoryview(value))[:20]}")
def test_items(value):
    assert length(value) == len(value)
    plain = np.asarray(value).tolist()
    for i in range(-len(value), len(value)):
        assert item(value, i) == plain[i]
        assert type(item(value, i)) in (int, float, complex, bool)
    # Python's own memoryview cannot read items of every format.
    plain_words = memoryview(b"") if isinstance(value, memoryview) else value
    with pytest.raises(IndexError) as expected:
        plain_words[len(plain_words)]
    with pytest.raises(IndexError, match=f"^{re.escape(str(expected.value))}$"):
        item(value, len(value))
    assert total(value) == total.py_func(plain)
    assert itself(value) is value


def test_types():
    cases = [(b"x", "readonly bytes(uint8, 1d, C)"), (bytearray(2), "bytearray(uint8, 1d, C)"),
             (memoryview(b"x"), "readonly memoryview(uint8, 1d, C)"), (array.array("h"), "pyarray(int16, 1d, C)"),
             (memoryview(np.zeros((2, 3)).T), "memoryview(float64, 2d, F)")]
    for value, text in cases:
        assert str(rumba.typeof(value)) == text
        function = njit(itself.py_func)
        function(value)
        assert str(function.signatures[0][0]) == text
    fixed = njit((types.Bytes(types.uint8, 1, "C", readonly=True),))(lambda b: b[0] + 1)
    assert fixed(b"a") == 98
    with pytest.raises(TypeError):
        fixed(bytearray(b"a"))
    with pytest.raises(TypingError):
        itself(memoryview(b"ab").cast("c"))


def test_writing():
    for value in (bytearray(b"abcd"), memoryview(bytearray(b"abcd")), array.array("d", [1, 2, 3]), array.array("b", [1, 2])):
        expected = np.array(value)
        store(value, 1, 7)
        expected[1] = 7
        assert np.asarray(value).tolist() == expected.tolist()
        with pytest.raises(IndexError):
            store(value, 9, 1)
    grid = np.arange(6).reshape(2, 3)
    store(memoryview(grid), (1, -1), 50)
    assert grid.tolist() == [[0, 1, 2], [3, 4, 50]]
    for value in (b"abc", memoryview(b"abc")):
        with pytest.raises(TypingError, match="Cannot modify readonly"):
            store(value, 0, 1)


def test_slices():
    @njit
    def part(b, i, j):
        return b[i:j]

    @njit
    def reversed_part(b):
        return b[::-1]

    for value in (b"abcdef", b""):
        assert part(value, 1, 4) == value[1:4] and type(part(value, 1, 4)) is bytes
        assert reversed_part(value) == value[::-1]
        assert part(value, 0, 99) == value
    base = bytearray(b"abcdef")
    view = part(memoryview(base), 1, 4)
    assert isinstance(view, memoryview) and view.tobytes() == b"bcd" and not view.readonly
    view[0] = 0
    assert base[1] == 0
    with pytest.raises(BufferError):
        base.append(1)
    view.release()
    del view
    gc.collect()
    base.append(1)
    assert reversed_part(memoryview(base)).tolist() == list(base)[::-1]
    assert part(bytearray(b"abcd"), 1, 3) == bytearray(b"bc") and reversed_part(bytearray(b"abc")) == bytearray(b"cba")
    with pytest.raises(TypingError):
        part(array.array("i", [1, 2]), 0, 1)


def test_several_dimensions():
    @njit
    def rows(m):
        result = 0
        for row in m:
            for x in row:
                result = result * 7 + x
        return result, m[1, 2], m[-1]

    base = np.arange(12).reshape(3, 4)
    for a in (base, np.asfortranarray(base), base[:, ::-1], base[::2]):
        got, expected = rows(memoryview(a)), rows.py_func(a)
        assert got[:2] == expected[:2] and got[2].tolist() == expected[2].tolist()


def test_attributes_of_memoryviews():
    @njit
    def all_of_them(m):
        return (m.shape, m.strides, m.ndim, m.itemsize, m.nbytes, m.readonly, m.contiguous, m.c_contiguous,
                m.f_contiguous)

    readonly = np.arange(3)
    readonly.setflags(write=False)
    base = np.arange(12, dtype="f4").reshape(3, 4)
    for a in (base, base.T, base[::2], base[:1], base[:, :1], base[:0], np.zeros(()), readonly, np.arange(5)[::2]):
        m = memoryview(a)
        assert all_of_them(m) == all_of_them.py_func(m)
    with pytest.raises(TypingError):
        njit(lambda b: b.nbytes)(b"abc")


def test_loops_over_bytes():
    @njit
    def histogram(b):
        counts = np.zeros(256, np.int64)
        for x in b:
            counts[x] += 1
        return counts

    same(histogram(b"hello world"), np.bincount(list(b"hello world"), minlength=256))

    @njit
    def checksum(b, n):
        value = 0xFFFF
        for i in range(n):
            value = ((value << 5) ^ (value >> 3) ^ b[i]) & 0xFFFF
        return value

    for value in (b"some bytes", bytearray(b"some bytes"), memoryview(b"some bytes")):
        assert checksum(value, len(value)) == checksum.py_func(value, len(value))


def test_in_tuples_and_optional_values():
    @njit
    def first(pair):
        return pair[0][0] + pair[1][1]

    assert first((b"ab", bytearray(b"cd"))) == 97 + 100

    @njit
    def chosen(a, b, flag):
        return a if flag else b

    one, other = bytearray(b"ab"), bytearray(b"cd")
    assert chosen(one, other, True) is one and chosen(one, other, False) is other
    one.append(1)


def test_references_are_given_back():
    for value in (bytes(1000), bytearray(1000), memoryview(bytearray(1000)), array.array("d", [0.0] * 100)):
        item(value, 0)
        before = sys.getrefcount(value)
        for _ in range(50):
            item(value, 1)
            itself(value)
            with pytest.raises(IndexError):
                item(value, 5000)
            with pytest.raises(TypingError):
                item(value, "a")
        assert sys.getrefcount(value) == before
        # Nothing is exported any more: resizing and releasing are allowed.
        if isinstance(value, memoryview):
            value.release()
        elif not isinstance(value, bytes):
            value.extend(value)


def test_memory_stays_while_a_call_runs():
    started, b = threading.Event(), bytearray(b"\x01" * 64)

    @njit(nogil=True)
    def spin(b, rounds):
        result = 0
        for i in range(rounds):
            result += b[i % 64] * (i & 3)
        return result

    spin(b, 1)
    results, refused = [], 0

    def work():
        started.set()
        results.append(spin(b, 30_000_000))

    thread = threading.Thread(target=work)
    thread.start()
    started.wait()
    while thread.is_alive():
        try:
            b.append(1)
            del b[64:]
        except BufferError:
            refused += 1
    thread.join()
    assert results == [45_000_000]
    b.append(1)


def test_a_released_memoryview():
    m = memoryview(b"abc")
    item(m, 0)
    m.release()
    with pytest.raises((TypeError, ValueError, TypingError)):
        item(m, 0)


def test_frombuffer():
    @njit
    def floats(b):
        return np.frombuffer(b)

    @njit
    def of_type(b):
        return np.frombuffer(b, dtype=np.int16)

    @njit
    def of_part(b, count, offset):
        return np.frombuffer(b, np.uint8, count, offset)

    data = np.arange(4.0).tobytes()
    for value in (data, bytearray(data), memoryview(data), array.array("d", range(4)), np.arange(4.0), np.arange(4).reshape(2, 2)):
        for function in (floats, of_type):
            got, expected = function(value), function.py_func(value)
            same(got, expected)
            assert got.flags.writeable == expected.flags.writeable
    for count, offset in [(-1, 0), (3, 2), (0, 32), (-1, 32), (33, 0), (1, 32), (1, 33), (1, -1), (-1, 5)]:
        outcomes = []
        for function in (of_part, of_part.py_func):
            try:
                outcomes.append(function(data, count, offset).tolist())
            except ValueError as error:
                outcomes.append(str(error))
        assert outcomes[0] == outcomes[1]
    for wrong in (b"1234567", b"123456789"):
        with pytest.raises(ValueError, match="buffer size must be a multiple of element size"):
            floats(wrong)
    same(floats(b""), np.array([], "f8"))
    with pytest.raises(TypingError):
        floats(memoryview(data)[::2])


def test_an_array_keeps_its_buffer():
    @njit
    def floats(b):
        return np.frombuffer(b)

    owner = bytearray(np.arange(1000.0).tobytes())
    got = floats(owner)
    with pytest.raises(BufferError):
        owner.append(1)
    got[3] = 50
    assert np.frombuffer(owner)[3] == 50
    del got
    gc.collect()
    owner.append(1)
    got = floats(bytes(np.arange(1000.0).tobytes()))
    gc.collect()
    same(got, np.arange(1000.0))


def test_searching_and_walking_backwards():
    """`in` compares items; bytes hold numbers from 0 to 255 alone."""
    @njit
    def search(b, value):
        return value in b, value not in b

    @njit
    def backwards(b):
        return [item for item in reversed(b)]

    values = [b"hello\0w", bytearray(b"hello"), memoryview(b"hello"), memoryview(np.arange(6)[::2]), b"", bytearray(),
              array.array("d", [1, 2, 3]), array.array("i", [1, -2, 3]), array.array("q")]
    for value in values:
        assert backwards(value) == list(reversed(value))
        for wanted in (104, 2, 0, 255):
            assert search(value, wanted) == (wanted in value, wanted not in value)
    for value in values[:2]:
        for wanted in (-1, 256):
            with pytest.raises(ValueError, match=r"byte must be in range\(0, 256\)"):
                search(value, wanted)
        with pytest.raises(TypingError, match="a bytes-like object is required"):
            search(value, 2.0)
    assert search(array.array("d", [2.5]), 2.5) == (True, False)
