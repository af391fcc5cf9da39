"""Arrays where one number or Python's own values are asked for: truth, `int(a)`, an index that is an array, `tolist`."""
import numpy as np
import pytest

from array_cases import compare, layouts
from rumba import errors, njit

SINGLE = [np.array(3), np.array(0), np.array(2.5), np.array(True), np.array(1 + 2j), np.array(7, "u1"), np.array(0.0, "f4")]


@pytest.mark.parametrize("item", SINGLE, ids=lambda item: f"{item.dtype}-{item}")
def test_the_number_of_an_array_without_dimensions(item):
    for function in (lambda a: 1 if a else 0, lambda a: not a, lambda a: bool(a), lambda a: a and 1 or 2, lambda a: complex(a),
                     lambda a: a.item(), lambda a: a.tolist()):
        compare(function, item)
    if item.dtype.kind != "c":
        compare(lambda a: (int(a), float(a)), item)
        compare(lambda a: np.float32(a) + np.int16(a), item)


def test_the_truth_of_arrays():
    for a in (np.ones(1), np.zeros((1, 1)), np.ones(0), np.ones(2), np.ones((2, 0)), np.array(["a"]), np.array([3], "m8[s]")):
        compare(lambda a: 1 if a else 2, a)
        compare(lambda a: not a, a)
    compare(lambda a: 1 if a < 3 else 2, np.array(2))


def test_only_arrays_without_dimensions_are_numbers():
    for function in (lambda a: int(a), lambda a: float(a)):
        with pytest.raises(errors.TypingError):
            njit(function)(np.ones(1))


def test_an_array_of_one_place_selects_a_copy():
    place, last, outside = np.array(1), np.array(-1), np.array(7)
    table = np.arange(12).reshape(4, 3)
    for index in (place, last, outside):
        compare(lambda a, i: a[i], np.arange(4), index)
        for a in layouts((4, 3)):
            compare(lambda a, i: a[i], a, index)
            compare(lambda a, i: a[i, 1:], a, index)
            compare(lambda a, i: a[..., i], a, last)
            compare(lambda a, i: a[i, None], a, index)

    def kept(a, i):
        row = a[i]
        a[1] = 9
        return row
    assert njit(kept)(table.copy(), place).tolist() == kept(table.copy(), place).tolist() == [3, 4, 5]
    compare(lambda a, i: a[i, ...], np.arange(4), place)
    written = np.zeros((4, 3))

    @njit
    def write(a, i):
        a[i] = 7
    write(written, place)
    assert written[1].tolist() == [7, 7, 7] and written.sum() == 21
    record = np.array([(1, 2.0), (3, 4.0)], [("x", "i4"), ("y", "f8")])
    assert njit(lambda a, i: a[i]["y"])(record, place) == 4.0


@pytest.mark.parametrize("dtype", ["?", "i1", "i8", "u8", "f4", "f8", "c8", "c16", "U3", "S3"])
def test_arrays_as_lists(dtype):
    for shape in ((), (3,), (2, 3), (0,), (2, 0), (0, 2), (2, 1, 2)):
        base = np.arange(int(np.prod(shape))).reshape(shape).astype(dtype)
        for a in (base, base[::-1] if shape else base, base.T):
            found, expected = njit(lambda a: a.tolist())(a), a.tolist()
            assert repr(found) == repr(expected)


def test_records_as_tuples():
    inner = np.dtype([("p", "i2"), ("q", "S3")])
    table = np.zeros((2, 3), [("x", "i4"), ("y", "f8"), ("n", inner), ("t", "U2")])
    table["x"], table["n"]["q"], table["t"] = np.arange(6).reshape(2, 3), b"ab", "c"
    for a in (table, table[::-1], table.T, table[0], table[:0], np.zeros((), inner)):
        assert repr(njit(lambda a: a.tolist())(a)) == repr(a.tolist())
    assert repr(njit(lambda a: a[1, 2].tolist())(table)) == repr(table[1, 2].tolist())
    nested = np.zeros(2, [("x", "i4", 2)])
    with pytest.raises(errors.TypingError, match="tolist"):
        njit(lambda a: a.tolist())(nested)


def test_a_mask_without_places_selects_nothing():
    empty = [np.zeros(0, bool), np.zeros((0, 3), bool), np.zeros((4, 0), bool), np.zeros((0, 0), bool), np.zeros((5, 0), bool),
             np.zeros((0, 2), bool)]
    table = np.arange(12).reshape(4, 3)
    for mask in empty:
        compare(lambda a, m: a[m], table, mask)
    compare(lambda a, m: a[m], np.arange(4), empty[0])
    compare(lambda a, m: a[:, m], table, empty[0])
    compare(lambda a, m: a[m, 1], table, empty[0])
    for mask in empty[:4]:
        a = table.copy()

        @njit
        def write(a, mask):
            a[mask] = 5
        write(a, mask)
        assert (a == table).all()
