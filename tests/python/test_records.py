"""Records and arrays of them in and out of compiled code, against NumPy and plain Python."""
import numpy as np
import pytest

from rumba import njit
from rumba.errors import TypingError

from leaks import nothing_leaks  # noqa: F401  the fixture
from record_cases import ALIGNED, ANY, NESTED, PACKED, check, filled, same


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


def test_views_of_fields_keep_their_order():
    a = np.zeros(3, [("a", "i8"), ("b", "f8"), ("c", "i4")])
    a["a"], a["b"] = [1, 2, 3], [0.5, 1.5, 2.5]
    total, whole, first = njit(lambda v: v["b"].sum() + v["a"].sum()), njit(lambda v: v), njit(lambda v: v[0])
    for names in (["b", "a"], ["a", "b"], ["c", "b", "a"], ["b", "c", "a"]):
        for v in (a[names], a[names].copy(), a[names][::2], a[names][:0]):
            assert total(v) == v["b"].sum() + v["a"].sum()
            assert whole(v).dtype == v.dtype and (whole(v) == v).all()
            if v.size:
                assert first(v) == v[0] and first(v).dtype == v[0].dtype
        assert whole(a[names][0]) == a[names][0]

    def change(v):
        v["b"][0] = 7.0
        v[1]["a"] = 9
    for names in (["b", "a"], ["a", "b"]):
        ours, theirs = a.copy(), a.copy()
        njit(change)(ours[names])
        change(theirs[names])
        assert (ours == theirs).all()
