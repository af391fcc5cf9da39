"""Records in records, arrays in records, names and types of records."""
import gc

import numpy as np
import pytest

import rumba
from rumba import njit, types
from rumba.errors import TypingError
from rumba.intrinsics import literal_unroll

from leaks import nothing_leaks  # noqa: F401  the fixture
from record_cases import ALIGNED, NESTED, PACKED, check, filled, same


def test_records_of_records():
    def use(a):
        a[0]["p"]["x"] = 12
        a[1]["p"] = a[0]["p"]
        p = a[2]["p"]
        p["y"] = 2.5
        inner = a["p"]["y"]
        inner[0] = 9
        a[0]["q"][1]["x"] = 33
        a[1]["q"][0] = a[0]["q"][1]
        a["q"]["y"][2, 1] = 99
        return a["p"], a[1]["q"], inner, a["q"]["x"], p["y"], a[0]["p"]

    check(use, filled(NESTED, 3))
    check(use, filled(NESTED, 6)[::2])


def test_fields_that_are_arrays():
    def use(a):
        m = a[1]["m"]
        m[0, 1] = 5
        m[1] = 7
        a[0]["m"] = m
        a[2]["m"] = 1.5
        a["m"][2, 1, :2] = -1
        a["m"][0, 0] = a["m"][1, 1]
        total = 0.0
        for i in range(m.shape[0]):
            for j in range(m.shape[1]):
                total += m[i, j]
        return m, a["m"], a["m"].shape, m.strides, m.size, total, a[0]["big"][3:5], a["big"][:, 19]

    check(use, filled(NESTED, 3))
    check(use, filled(NESTED, 2, 3)[0])
    with pytest.raises(ValueError, match="could not broadcast input array"):
        njit(lambda a, b: use_row(a, b))(filled(NESTED, 2), np.ones(4))


@njit
def use_row(a, b):
    a[0]["m"] = b


def test_a_field_keeps_its_array_alive():
    @njit
    def parts(n):
        a = np.zeros(n, NESTED)
        a[1]["m"][1, 2] = 5
        return a[1]["m"], a["p"], a[1]["p"]

    m, p, one = parts(4)
    gc.collect()
    assert m[1, 2] == 5 and p.shape == (4,) and one["x"] == 0
    view = njit(lambda r: r["m"])(filled(NESTED, 2)[1])
    gc.collect()
    same(view, filled(NESTED, 2)[1]["m"].copy())


FIELDS = ("a", "b")


def test_names_of_fields_are_constants():
    name = "b"

    def closure(r):
        return r[name]

    def by_global(r):
        return r[FIELDS[0]] + r[FIELDS[1]]

    def unrolled(r):
        total = 0.0
        for field in literal_unroll(FIELDS):
            total += r[field]
            r[field] = 4
        return total

    def local(a):
        fields = ("a", "b")
        which = fields[1]
        return a[which][1] + a[0][fields[0]]

    for function in (closure, by_global, unrolled):
        a, b = filled(PACKED, 2), filled(PACKED, 2)
        assert njit(function)(a[0]) == function(b[0])
        same(a, b)
    check(local, filled(PACKED, 3))


def test_fields_by_number():
    def pick(r):
        r[1] = r[0] + 1
        return r[0], r[-1], r[2]

    a, b = filled(PACKED, 2), filled(PACKED, 2)
    same(njit(pick)(a[1]), pick(b[1]))
    same(a, b)
    with pytest.raises(TypingError, match="Requested index 4 is out of range"):
        njit(lambda r: r[4])(a[0])


def test_titles_name_fields_too():
    titled = np.dtype([(("first", "a"), "i4"), (("second", "b"), "i8")])

    def use(a):
        for i in range(a.size):
            a[i]["first"] = i
            a[i]["a"] += 3
            a[i]["second"] = a[i]["b"] - 1
        return a

    check(use, filled(titled, 4))
    ty = types.from_dtype(titled)
    assert str(ty) == ("Record(a[type=int32;offset=0;title=first],first[type=int32;offset=0;title=first],"
                       "b[type=int64;offset=4;title=second],second[type=int64;offset=4;title=second];12;False)")
    assert ty.is_title("first") and not ty.is_title("a") and ty.has_titles()
    assert ty.dtype == titled and len(njit(lambda r: (r[0], r[1]))(filled(titled, 1)[0])) == 2


def test_signatures():
    ty = types.from_dtype(PACKED)

    @njit(types.float64(ty, ty[:], types.intp))
    def read(r, a, i):
        return r["b"] + a[i]["b"]

    a = filled(PACKED, 4)
    assert read(a[1], a[::2], 1) == a[1]["b"] + a[2]["b"]
    assert read(a[1], a, 3) == a[1]["b"] + a[3]["b"]
    with pytest.raises(TypeError, match="No matching definition"):
        read(filled(ALIGNED, 1)[0], a, 0)


def test_records_with_more_fields_serve():
    short, long = np.dtype([("a", "f8")]), np.dtype([("a", "f8"), ("b", "f8")])
    read = njit(lambda r: r["a"])
    read(filled(short, 1)[0])
    read.disable_compile()
    record = filled(long, 2)[1]
    assert read(record) == record["a"]
    other = njit(lambda r: r["a"])
    other(record)
    other.disable_compile()
    with pytest.raises(TypeError, match="No matching definition"):
        other(filled(short, 1)[0])


def test_names_of_types():
    packed = np.dtype([("a", "i4"), ("b", "f8")])
    text = "Record(a[type=int32;offset=0],b[type=float64;offset=4];12;False)"
    assert str(types.from_dtype(packed)) == text
    assert str(rumba.typeof(np.zeros(2, packed))) == f"unaligned array({text}, 1d, C)"
    assert str(rumba.typeof(np.zeros(2, packed)[0])) == text
    nested = types.from_dtype(np.dtype([("s", "f4", (2, 3)), ("t", packed)]))
    assert str(nested) == f"Record(s[type=nestedarray(float32, (2, 3));offset=0],t[type={text};offset=24];36;False)"
    assert nested.typeof("s") == types.NestedArray(types.float32, (2, 3)) and nested.offset("t") == 24
    assert nested.typeof("s").nitems == 6 and nested.typeof("s").strides == (12, 4)
    assert nested.dtype == np.dtype([("s", "f4", (2, 3)), ("t", packed)])
    assert types.from_dtype(packed) is rumba.typeof(np.zeros(2, packed)).dtype
    struct = types.Record.make_c_struct([("a", types.int8), ("b", types.float64)])
    assert (struct.offset("b"), struct.size, struct.aligned, len(struct)) == (8, 16, True, 2)
    array = njit(lambda a: a)
    array(filled(NESTED, 2))
    assert str(array.signatures[0][0].dtype) == str(types.from_dtype(NESTED))


def test_errors_say_what_is_wrong():
    a = filled(PACKED, 2)
    with pytest.raises(TypingError, match=r"Field 'd' was not found in record with fields \('a', 'b', 'c', 'z'\)"):
        njit(lambda a: a[0]["d"])(a)
    with pytest.raises(TypingError, match="Field 'd' was not found"):
        njit(lambda a: a["d"])(a)
    with pytest.raises(TypingError, match="Unknown attribute 'd' of type Record"):
        njit(lambda a: a[0].d)(a)

    @njit
    def put(a):
        a[0]["a"] = None

    with pytest.raises(TypingError, match="Cannot assign none to field 'a'"):
        put(a)
    for dtype, text in [(np.dtype([("a", "O")]), "dtype object"), (np.dtype([("a", ">i4")]), "byte order"),
                        (np.dtype("V8"), "V8"), (np.dtype([("a", "g")]), "128")]:
        with pytest.raises(TypingError, match=text):
            njit(lambda a: a)(np.zeros(2, dtype))
        with pytest.raises(TypingError, match=text):
            njit(lambda a: a)(np.zeros(2, dtype)[0])
    with pytest.raises(IndexError):
        njit(lambda a, i: a[i]["a"])(a, 5)


PAIR = np.dtype([("a", "i8"), ("b", "f8")])


def pairs():
    return np.array([(1, 2.5), (3, 4.5), (1, 2.5)], PAIR)


def test_records_are_compared_field_by_field():
    def scalars(x):
        return x[0] == x[1], x[0] == x[2], x[0] != x[2], x[0] != x[1]

    assert njit(scalars)(pairs()) == scalars(pairs())
    for f in (lambda x: x == x[::-1], lambda x: x != x[::-1], lambda x: x == x[0], lambda x: x[1] != x):
        np.testing.assert_array_equal(njit(f)(pairs()), f(pairs()))
    nested = np.zeros(3, np.dtype([("p", PAIR), ("m", "i4", (2,))]))
    nested["m"][1] = 7
    assert njit(scalars)(nested) == scalars(nested)


def test_tuples_are_written_to_records():
    def put(x, i):
        x[i] = (i, i + 7.5)
        x[-1] = (5.7, True)

    def put_all(x, i):
        x[i:] = (3, 4)

    for f in (put, put_all):
        for i in (0, 1, -2):
            ours, theirs = pairs(), pairs()
            njit(f)(ours, i)
            f(theirs, i)
            np.testing.assert_array_equal(ours, theirs)
    with pytest.raises(IndexError, match="index 5 is out of bounds"):
        njit(put)(pairs(), 5)
    with pytest.raises(TypingError, match="could not assign tuple of length 3 to structure with 2 fields."):
        _put_three(pairs())


@njit
def _put_three(x):
    x[0] = (1, 2, 3)


def test_text_is_written_to_fields_and_items_of_a_fixed_width():
    def fields(x, text):
        x[0]["b"] = text
        x["b"][1] = text
        x[2] = (7, text)

    def items(x, text):
        x[0] = text
        x[-1:] = text

    def whole(x, text):
        x["b"] = text

    for code, texts in (("U5", ("xyz", "longer than", "", "\u00e4\u20ac\U0001f600b")), ("S5", (b"xyz", b"longer than", b""))):
        blank = "abc" if code == "U5" else b"abc"
        for text in texts:
            for f, made in ((fields, np.array([(1, blank)] * 3, [("a", "i8"), ("b", code)])), (items, np.array([blank] * 3, code)),
                            (whole, np.array([(1, blank)] * 3, [("a", "i8"), ("b", code)]))):
                ours, theirs = made.copy(), made.copy()
                njit(f)(ours, text)
                f(theirs, text)
                np.testing.assert_array_equal(ours, theirs)


def test_several_fields_are_a_view():
    def views(a):
        return a[["a", "c"]], a[["b"]], a[["c", "b", "a"]]["b"], a[::2][["z", "a"]]

    def written(a):
        seen = a[["c", "a"]]
        seen["a"][0] = 77
        seen[1]["c"] = True
        a[["b", "a"]][2] = (8.5, 9)
        return seen, seen.shape

    def of_one(a):
        r = a[1][["b", "a"]]
        return r["a"], r["b"], len(r)

    def places(a):
        return a[[0, 2]]

    for dtype in (PACKED, ALIGNED):
        for function in (views, written, of_one, places):
            check(function, filled(dtype, 3))
    check(lambda a: (a[["p", "m"]]["p"]["x"], a[["m", "id"]]), filled(NESTED, 3))
    for names in (["a", "q"], ["a", "a"]):
        source = f"def f(a): return a[{names!r}]"
        space = {}
        exec(source, space)
        with pytest.raises(TypingError, match="getitem"):
            njit(space["f"])(filled(PACKED, 3))
