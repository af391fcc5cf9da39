"""Records and arrays of them in and out of compiled code, against NumPy and plain Python."""
import gc

import pytest

import rumba
from rumba import njit, types
from rumba.errors import TypingError
from rumba.runtime import rtsys
from rumba.special import literal_unroll

np = pytest.importorskip("numpy")

PACKED = np.dtype([("a", "i4"), ("b", "f8"), ("c", "?"), ("z", "c8")])
ALIGNED = np.dtype([("a", "i4"), ("b", "f8"), ("c", "?"), ("z", "c8")], align=True)
INNER = np.dtype([("x", "i2"), ("y", "f4")])
NESTED = np.dtype([("id", "u1"), ("p", INNER), ("q", INNER, 2), ("m", "f8", (2, 3)), ("big", "u8", 20)])
ANY = [PACKED, ALIGNED]


@pytest.fixture(autouse=True)
def nothing_leaks():
    """Blocks that a test allocates are freed when it ends."""
    gc.collect()
    before = rtsys.get_allocation_stats()
    yield
    gc.collect()
    after = rtsys.get_allocation_stats()
    assert after.alloc - before.alloc == after.free - before.free


def filled(dtype, *shape):
    """An array of records with other values in every byte, but for truth values."""
    array = np.zeros(shape, dtype)
    count = iter(range(1, 1 << 20))

    def fill(values):
        if values.dtype.names:
            for name in values.dtype.names:
                fill(values[name])
        else:
            for at in np.ndindex(values.shape):
                values[at] = next(count) % (2 if values.dtype == bool else 100)

    fill(array)
    return array


def same(got, expected):
    """Both are equal, and of the same dtype where NumPy's."""
    if isinstance(expected, tuple):
        assert type(got) is tuple and len(got) == len(expected)
        for one, other in zip(got, expected):
            same(one, other)
    elif isinstance(expected, (np.ndarray, np.void)):
        assert isinstance(got, (np.ndarray, np.void))
        assert (got.dtype, got.shape) == (expected.dtype, expected.shape)
        assert repr(got.tolist()) == repr(expected.tolist())
    else:
        assert got == expected or got != got and expected != expected


def check(function, *args):
    """The compiled function gives what Python does, and changes its arguments alike."""
    def copies():
        return [arg.copy(order="A") if isinstance(arg, np.ndarray) else arg.copy() if isinstance(arg, np.void) else arg
                for arg in args]

    for_python, for_compiled = copies(), copies()
    expected, got = function(*for_python), njit(function)(*for_compiled)
    same(got, expected)
    for one, other in zip(for_compiled, for_python):
        same(one, other)


@pytest.mark.parametrize("dtype", ANY)
def test_fields_of_items(dtype):
    def update(a, k):
        total = 0.0
        for i in range(a.size):
            total += a[i]["a"] * a[i]["b"]
            a[i]["b"] = total
            a[i]["c"] = total > 10
            a[i]["a"] += k
            a[i]["z"] = a[i]["z"] * 2 + k
        return total

    check(update, filled(dtype, 9), 3)
    check(update, filled(dtype, 0), 3)
    check(update, filled(dtype, 9)[::-2], 3)


def test_attributes_are_fields():
    def update(a):
        a[1].a = 5
        a[1].b += a[0].b
        a[2].z = a.z[1]
        a[-1].c = not a[0].c
        a.a[0] = 77
        return a[1].a, a.b[2], a[0].z, a.size, a.shape

    check(update, filled(PACKED, 4).view(np.recarray))
    got = njit(update)(filled(PACKED, 4))
    same(got, update(filled(PACKED, 4).view(np.recarray)))


@pytest.mark.parametrize("dtype", ANY)
def test_fields_of_arrays_are_views(dtype):
    def views(a):
        b = a["b"]
        b[0] = -1
        a["z"][1] = 3j
        return b, a["a"], a["c"][::2], a["z"][1:]

    check(views, filled(dtype, 5))
    check(views, filled(dtype, 3, 4))
    check(views, filled(dtype, 3, 4).T)
    check(views, filled(dtype, 7)[::3])
    a = filled(dtype, 5)
    view = njit(lambda a: a["b"])(a)
    assert np.shares_memory(view, a) and view.flags.aligned == a["b"].flags.aligned
    view[2] = 123
    assert a["b"][2] == 123


def test_whole_fields_are_assigned():
    def assign(a):
        a["b"] = 7
        a["a"] = a["c"]
        a["z"][1:] = 1j
        return a["b"].size

    check(assign, filled(PACKED, 6))
    check(assign, filled(ALIGNED, 2, 3))


@pytest.mark.parametrize("dtype", [*ANY, NESTED])
def test_records_are_copied_where_they_are_assigned(dtype):
    def assign(a, b):
        a[0] = b[1]
        a[1] = a[0]
        a[2] = a[2]
        a[3:] = b[0]

    check(assign, filled(dtype, 6), filled(dtype, 3)[::-1])

    def swap(a):
        first = a[0].copy() if False else a[0]
        a[1] = first
        return a[1]

    same(njit(lambda a: a[1])(filled(dtype, 3)), filled(dtype, 3)[1])
    compiled = njit(lambda a, b: (a[:], b[1:]))
    a = filled(dtype, 4)
    whole, rest = compiled(a, a)
    assert np.shares_memory(whole, a) and np.shares_memory(rest, a)


def test_overlapping_arrays_of_records():
    def shift(a):
        a[1:] = a[:-1]
        a[:] = a[::-1]

    check(shift, filled(PACKED, 9))
    check(shift, filled(NESTED, 5))


def test_a_record_refers_to_the_array():
    def alias(a):
        r = a[1]
        a[1]["a"] = 50
        r["b"] = 60.0
        return r["a"], a[1]["b"]

    check(alias, filled(PACKED, 3))


@pytest.mark.parametrize("dtype", ANY)
def test_records_as_arguments_are_written_through(dtype):
    def update(r, k):
        r["a"] += k
        r["b"] = r["a"] / 2
        return r["z"], r["c"], len(r)

    a, b = filled(dtype, 3), filled(dtype, 3)
    compiled = njit(update)
    same(compiled(a[1], 4), update(b[1], 4))
    same(a, b)
    same(compiled(a.view(np.recarray)[2], 4), update(b[2], 4))
    same(a, b)
    alone, other = a[0].copy(), b[0].copy()
    same(compiled(alone, 9), update(other, 9))
    same(alone, other)
    assert len(compiled.signatures) == 1


def test_a_returned_record_is_a_copy():
    first = njit(lambda a: a[0])
    a = filled(PACKED, 2)
    for given in (a, a.view(np.recarray)):
        got = first(given)
        assert isinstance(got, np.record) and got == a[0] and got.b == a[0]["b"]
        got.b = -5
        assert got["b"] == -5 and a[0]["b"] != -5
    same(njit(lambda r: r)(a[1]), a[1])
    assert njit(lambda r: (r, r["a"]))(a[1])[0] == a[1]


def test_the_memory_of_a_record_lives_as_long_as_it():
    @njit
    def make(n):
        a = np.zeros(n, PACKED)
        a[n - 1]["a"] = n
        return a[n - 1]

    @njit
    def use(n):
        r = make(n)
        last = make(n + 1)
        if n > 2:
            r = last
        return r, r["a"], make(3)

    r, a, other = use(2)
    assert (r["a"], a, other["a"]) == (2, 2, 3)
    assert use(3)[1] == 4

    @njit
    def fails(n):
        r = make(n)
        if r["a"] > 2:
            raise ValueError("too much")
        return r["a"]

    assert fails(2) == 2
    with pytest.raises(ValueError, match="too much"):
        fails(3)


def test_iteration():
    def total(a):
        s = 0.0
        for r in a:
            s += r["b"]
            r["a"] = 1
        for i, r in enumerate(a):
            r["b"] = i
        for r, x in zip(a, a["b"]):
            s += r["a"] * x
        return s

    check(total, filled(PACKED, 5))
    check(total, filled(ALIGNED, 6)[1::2])


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


CONSTANT = filled(PACKED, 3)
CONSTANT_RECORD = CONSTANT[2]


def test_constants():
    def read(i):
        return CONSTANT[i]["b"] + CONSTANT_RECORD["a"] + CONSTANT["b"][1]

    for i in range(3):
        assert njit(read)(i) == read(i)

    def write():
        CONSTANT[0]["a"] = 3

    def write_record():
        CONSTANT_RECORD.a = 3

    for function in (write, write_record):
        with pytest.raises(TypingError, match="Cannot assign .* to field 'a' of readonly Record"):
            njit(function)()


def test_readonly_memory_is_not_written():
    a = filled(PACKED, 2)
    a.flags.writeable = False

    def put(a):
        a[0]["a"] = 1

    def put_field(a):
        a["a"][0] = 1

    for function in (put, put_field):
        with pytest.raises(ValueError, match="read-only"):
            function(a)
        with pytest.raises(TypingError, match="readonly"):
            njit(function)(a)

    def put_record(r):
        r["a"] = 1

    with pytest.raises(TypingError, match="readonly Record"):
        njit(put_record)(a[0])
    writable = filled(PACKED, 2)

    @njit
    def either(a, b, which):
        r = a[0] if which else b[0]
        b[1] = r
        return r["a"]

    assert either(a, writable, True) == a[0]["a"] and writable[1] == a[0]


def test_new_arrays_of_records():
    @njit
    def make(n):
        a = np.zeros(n, PACKED)
        b = np.zeros_like(a)
        c = np.empty((2, n), dtype=PACKED)
        c[:] = a[0]
        b[0]["a"] = 8
        return a, b, c, a.itemsize, a.nbytes, b.copy()

    a, b, c, size, nbytes, copy = make(4)
    same(a, np.zeros(4, PACKED))
    same(c, np.zeros((2, 4), PACKED))
    assert (size, nbytes) == (PACKED.itemsize, 4 * PACKED.itemsize) and b[0]["a"] == copy[0]["a"] == 8


def test_indices_of_every_kind():
    def select(a, places, mask):
        return a[places], a[mask], a[1:3], a[places][0]["a"], a[mask]["b"]

    check(select, filled(PACKED, 5), np.array([3, 0, 3]), np.array([True, False, True, True, False]))


def test_functions_pass_records_on():
    @njit
    def bump(r):
        r["a"] += 1
        return r

    @njit
    def twice(a):
        r = bump(bump(a[1]))
        pair = (r, a[0])
        return pair[0]["a"] + pair[1]["a"], pair

    a, b = filled(PACKED, 3), filled(PACKED, 3)
    total, pair = twice(a)
    b[1]["a"] += 2
    assert total == b[1]["a"] + b[0]["a"] and pair[0] == b[1] and pair[1] == b[0]
    same(a, b)


def test_a_record_may_be_absent():
    @njit
    def find(a, wanted):
        for r in a:
            if r["a"] == wanted:
                return r
        return None

    a = filled(PACKED, 4)
    assert find(a, a[2]["a"]) == a[2] and find(a, -1) is None


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
                        (np.dtype("V8"), "V8"), (np.dtype([("a", "f2")]), "float16")]:
        with pytest.raises(TypingError, match=text):
            njit(lambda a: a)(np.zeros(2, dtype))
        with pytest.raises(TypingError, match=text):
            njit(lambda a: a)(np.zeros(2, dtype)[0])
    with pytest.raises(IndexError):
        njit(lambda a, i: a[i]["a"])(a, 5)
