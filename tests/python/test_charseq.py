"""Text of fixed width, the items of arrays of `S` and `U`, against NumPy and plain Python."""
import itertools

import numpy as np
import pytest
from leaks import nothing_leaks  # noqa: F401  the fixture

import rumba
from rumba import njit, types
from rumba.errors import TypingError

WORDS = ["", "a", "b", "ab", "abc", "abd", "abcdefg", "abcdefgh", "abcdefghi", "zz", "éà", "\u20ac", "𝄞 clef", "a b"]
PLAIN = [word.encode() for word in WORDS if word.isascii()]


def arrays(width=12):
    """Arrays of both kinds, in rows and every other item, packed and not."""
    for words, dtype in [(WORDS, f"U{width}"), (PLAIN, f"S{width}")]:
        array = np.array(words, dtype)
        yield array
        yield array[::-2]
        packed = np.zeros(len(words), [("x", "u1"), ("text", dtype)])
        packed["text"] = words
        yield packed["text"]


def same(got, expected):
    """Both are equal; scalars of NumPy are Python's here."""
    if isinstance(expected, np.ndarray):
        assert got.dtype == expected.dtype and got.tolist() == expected.tolist()
    elif isinstance(expected, tuple):
        assert len(got) == len(expected)
        for one, other in zip(got, expected):
            same(one, other)
    else:
        assert got == expected
        if isinstance(expected, (str, bytes)):
            assert type(got) is (str if isinstance(expected, str) else bytes)


@pytest.mark.parametrize("width", [1, 3, 4, 5, 7, 8, 9, 12, 17])
def test_items_go_in_and_out(width):
    @njit
    def move(a, b, i, j):
        b[i] = a[j]
        return a[j], b

    for a in arrays(width):
        for j in range(len(a)):
            b, c = a.copy(), a.copy()
            same(move(a, b, 1, j), move.py_func(a, c, 1, j))
            same(b, c)


def test_other_widths():
    @njit
    def move(a, b):
        for i in range(len(a)):
            b[i] = a[i]
        b[1:] = a[1:]
        return b

    for wide, narrow in itertools.product([1, 3, 5, 8, 9, 12], [1, 2, 3, 4, 7, 8, 9, 11]):
        for kind, words in [("U", WORDS), ("S", PLAIN)]:
            a = np.array(words, f"{kind}{wide}")
            room = np.full(len(words), words[-1], f"{kind}{narrow}")
            same(move(a, room.copy()), move.py_func(a, room.copy()))


def test_comparisons():
    @njit
    def compare(a, b):
        return a == b, a != b, a < b, a <= b, a > b, a >= b

    @njit
    def items(a, i, b, j):
        return compare(a[i], b[j])

    for kind, words in [("U", WORDS), ("S", PLAIN)]:
        for a, b in itertools.product([np.array(words, f"{kind}9"), np.array(words, f"{kind}3")], repeat=2):
            for i, j in itertools.product(range(len(a)), repeat=2):
                same(items(a, i, b, j), tuple(bool(x) for x in compare.py_func(a[i], b[j])))


NAME, RAW = "abc", b"abcdefgh"


def test_constants():
    local = np.str_("zz")

    @njit
    def texts(a, i):
        x = a[i]
        return x == "abc", "ab" != x, x < "b", x == NAME, x >= local, x == "", x == "€", "abcdefghij" == x

    @njit
    def raw(a, i):
        x = a[i]
        return x == b"abc", x < b"b", x == RAW, b"" == x, b"abcdefghij" > x

    wide, narrow = np.array(WORDS, "U9"), np.array(PLAIN, "S9")
    for i in range(len(wide)):
        same(texts(wide, i), tuple(bool(x) for x in texts.py_func(wide, i)))
    for i in range(len(narrow)):
        same(raw(narrow, i), tuple(bool(x) for x in raw.py_func(narrow, i)))


def test_constants_are_assigned():
    @njit
    def put(a):
        a[0] = "xyz"
        a[1] = "a longer text than there is room for"
        a[2:4] = "€"
        a[4] = ""
        return a

    @njit
    def put_bytes(a):
        a[0] = b"xyz"
        a[1] = b"a longer text than there is room for"
        a[2:4] = RAW
        a[4] = "plain"
        return a

    for width in (1, 2, 3, 5, 8, 9):
        same(put(np.array(WORDS, f"U{width}")), put.py_func(np.array(WORDS, f"U{width}")))
        same(put_bytes(np.array(PLAIN, f"S{width}")), put_bytes.py_func(np.array(PLAIN, f"S{width}")))


def test_length_truth_and_characters():
    @njit
    def look(a, i):
        x = a[i]
        return len(x), bool(x), not x, 1 if x else 0

    @njit
    def character(a, i, j):
        return a[i][j]

    for a in arrays(9):
        for i in range(len(a)):
            same(look(a, i), (len(a[i]), bool(a[i]), not a[i], 1 if a[i] else 0))
            for j in range(-len(a[i]) - 1, len(a[i]) + 2):
                if -len(a[i]) <= j < len(a[i]):
                    same(character(a, i, j), a[i][j])
                else:
                    with pytest.raises(IndexError, match="index out of range"):
                        character(a, i, j)


def test_scalars_and_joins():
    @njit
    def itself(x):
        return x

    @njit
    def last(a, wanted):
        found = a[0]
        for x in a:
            if x < wanted:
                found = x
        return found

    for word in WORDS:
        same(itself(np.str_(word)), word)
    for word in PLAIN:
        same(itself(np.bytes_(word)), word)
    same(itself(np.array("abc")), np.array("abc"))
    same(njit(lambda a: a[()])(np.array("abc")), "abc")
    words = np.array(["a", "c", "b", "d"])
    same(last(words, np.str_("bb")), "b")

    @njit
    def either(a, b, which):
        return a[0] if which else b[0]

    a, b = np.array(["abc"]), np.array(["defgh"])
    same((either(a, b, True), either(a, b, False)), ("abc", "defgh"))


def test_records_with_text():
    dtype = np.dtype([("n", "S5"), ("k", "i4"), ("u", "U3")])

    @njit
    def use(a):
        a[0].n = b"xy"
        a[1]["u"] = a[0]["u"]
        a[2]["u"] = "longer"
        if a[1].n == b"abc":
            a[1].k = len(a[1].n)
        return a[1].n, a[1].u, a["n"], a

    def fresh():
        return np.array([(b"ab", 1, "u"), (b"abc", 2, "vw"), (b"abcde", 3, "xyz")], dtype).view(np.recarray)

    same(use(fresh()), use.py_func(fresh()))


def test_new_arrays():
    @njit
    def make(n, a, order):
        b = np.zeros(n, "S3")
        c = np.empty_like(a)
        for i in range(len(a)):
            c[i] = a[len(a) - 1 - i]
        return b, c, a.copy(), a[::2], a[order], a[1:]

    a = np.array(WORDS[:6])
    b, c, *others = make(2, a, np.array([1, 0]))
    same(b, np.zeros(2, "S3"))
    same(c, a[::-1])
    same(tuple(others), (a, a[::2], a[[1, 0]], a[1:]))


def test_types():
    for value, name in [(np.array(["abc"]), "array([unichr x 3], 1d, C)"), (np.array([b"ab"]), "array([char x 2], 1d, C)")]:
        assert str(rumba.typeof(value)) == name
        function = njit(lambda a: a[0])
        function(value)
        assert str(function.signatures[0][0]) == name
    ty = types.from_dtype(np.dtype("U4"))
    assert ty == types.UnicodeCharSeq(4)
    first = njit(ty(ty[:]))(lambda a: a[0])
    same(first(np.array(["abcd"])), "abcd")
    with pytest.raises(TypeError, match="No matching definition"):
        first(np.array(["abc"]))


def test_errors_say_what_is_wrong():
    with pytest.raises(TypingError, match="at most 1024 bytes"):
        njit(lambda a: a)(np.zeros(2, "U300"))
    with pytest.raises(TypingError, match=r"operator.eq\(\[unichr x 1\], \[char x 1\]\)"):
        njit(lambda a, b: a[0] == b[0])(np.array(["a"]), np.array([b"a"]))
    with pytest.raises(TypingError, match="byte order"):
        njit(lambda a: a)(np.array(["a"], ">U3"))


def test_text_of_a_fixed_width_becomes_strings():
    @njit
    def methods(a, s):
        x, y = a[0], a[1]
        return (x.upper(), x + y, x * 2, y.find("b"), x.split("b"), s.join((x, y)), hash(x) == hash(str(x)), str(y), x == s, s != y,
                x in s, f"{x}|{y!r}|{x:>5}", x.isalpha(), x.strip(), y.startswith(x), x.zfill(6), s.replace("a", y))

    for words in (["ab", "abc"], ["", "é€"], ["b b", "b"]):
        for s in ("ab", "xabx", ""):
            for width in (3, 4, 7):
                a = np.array(words, f"U{width}")
                given = [str(word) for word in a]
                assert methods(a, s) == methods.py_func(given, s)


def test_strings_are_encoded_where_bytes_are_stored():
    record = np.dtype([("x", "i8"), ("s", "S4")])

    def item(a, s):
        a[1] = s

    def every(a, s):
        a[:] = s

    def field(a, s):
        a[0]["s"] = s

    def column(a, s):
        a["s"][1] = s

    def whole(a, s):
        a[1] = (5, s)

    for function, array in [(item, np.array([b"ab", b"cde"])), (every, np.array([b"ab", b"cde"])), (field, np.zeros(2, record)),
                            (column, np.zeros(2, record)), (whole, np.zeros(2, record))]:
        compiled = njit(function)
        for text in ("xyz", "", "too long", "a\0b", "é", "aé", "abcdé€x", "\U0001f600", "ab" * 50 + "éé"):
            ours, theirs = array.copy(), array.copy()
            try:
                function(theirs, text)
            except UnicodeEncodeError as error:
                with pytest.raises(UnicodeEncodeError) as found:
                    compiled(ours, text)
                assert (str(found.value), found.value.args) == (str(error), error.args)
                if function is whole:
                    continue
            else:
                compiled(ours, text)
            assert ours.tobytes() == theirs.tobytes(), (function.__name__, text)

    def constant():
        a = np.zeros(2, "S3")
        a[0] = "é"
        return a

    with pytest.raises(UnicodeEncodeError, match="ordinal not in range"):
        njit(constant)()


def test_an_array_beside_one_text():
    functions = [lambda a, x: a == x, lambda a, x: a != x, lambda a, x: x == a, lambda a, x: x != a, lambda a, x: a[a == x]]
    for array in arrays():
        texts = ["", "ab", "ab\0", "a\0b", "abcdefghijklmnop", "\u20ac"] if array.dtype.kind == "U" else [b"", b"ab", b"ab\0", b"a\0b"]
        for function, text in itertools.product(functions, texts):
            given = array.reshape(2, -1) if array.size % 2 == 0 and array.flags.c_contiguous else array
            expected, found = function(given, text), njit(function)(given, text)
            assert found.dtype == expected.dtype and np.array_equal(found, expected), (array, text)
    assert njit(lambda a: (a == "ab").any())(np.array(["ab"]))


def joined(a):
    return a[0].join([a[1], a[2]]), a[0].join([a[1]])


def repeated(a):
    return 3 * a[1], a[2] * 2, a[1] * 0, True * a[1], -1 * a[2]


@pytest.mark.parametrize("items", [(",", "ab", "c"), (b",", b"ab", b"c"), ("", "é", "d"), (b"", b"", b"xyz")])
def test_texts_are_joined_and_repeated(items):
    a = np.array(items)
    assert njit(joined)(a) == joined(a)
    assert njit(repeated)(a) == repeated(a)


@pytest.mark.parametrize("value", [
    np.array("abc"), np.array(b"abc"), np.array(3, "m8[h]"), np.array("2016-01-01", "M8[D]"), np.array(1.5, "f2"), np.array(True)])
def test_the_class_of_items_is_called_with_the_only_item(value):
    @njit
    def only(a):
        return a.dtype.type(a)

    assert only(value) == value[()]
