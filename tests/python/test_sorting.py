"""`sort` and `argsort` against NumPy: every type of numbers, layouts, axes, special values."""
import numpy as np
import pytest

from leaks import nothing_leaks  # noqa: F401
from rumba import njit
from rumba.errors import TypingError

ITEMS = ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8", "c8", "c16"]


def numbers(shape, item, seed=0):
    """Numbers of both signs, some equal, some not finite."""
    rng = np.random.default_rng(seed)
    made = rng.integers(-40, 40, shape)
    if np.dtype(item).kind not in "fc":
        return made.astype(item)
    made = made.astype(item) / 4
    if np.dtype(item).kind == "c":
        made = made + 1j * rng.integers(-2, 2, shape).astype(made.dtype)
    for at, value in enumerate((np.nan, np.inf, -np.inf, -0.0, complex(np.nan, 1), complex(1, np.nan), np.nan)):
        if made.size > 10 and (at not in (4, 5) or np.dtype(item).kind == "c"):
            made.flat[at * 3 % made.size] = value
    return made.astype(item)


@njit
def sort(a):
    return np.sort(a)


@njit
def argsort(a):
    return np.argsort(a)


@njit
def stable_places(a):
    return np.argsort(a, kind="stable")


@njit
def sort_in_place(a):
    a.sort()


@njit
def argsort_method(a):
    return a.argsort()


def same(found, wanted):
    assert found.dtype == wanted.dtype and found.shape == wanted.shape
    np.testing.assert_array_equal(found, wanted)


def check_all(a):
    """Everything that sorts along the last axis does what NumPy's does."""
    before = a.copy()
    same(sort(a), np.sort(a))
    same(stable_places(a), np.argsort(a, kind="stable"))
    for places in (argsort(a), argsort_method(a)):
        same(np.take_along_axis(a, places, -1), np.sort(a))
        same(np.sort(places), np.sort(np.argsort(a)))
    np.testing.assert_array_equal(a, before)
    sort_in_place(a)
    same(a, np.sort(before))


@pytest.mark.parametrize("item", ITEMS)
def test_vectors(item):
    for size in (0, 1, 2, 17, 300, 3000):
        check_all(numbers(size, item))
        check_all(numbers(2 * size, item, 1)[::2])
        check_all(numbers(size, item, 2)[::-1])


@pytest.mark.parametrize("item", ["f8", "i4", "?", "c16"])
def test_rows_of_arrays(item):
    for shape in ((3, 40), (40, 3), (2, 3, 20), (0, 5), (5, 0), (4, 1)):
        check_all(numbers(shape, item))
        check_all(np.asfortranarray(numbers(shape, item)))
        check_all(np.repeat(numbers(shape, item), 2, axis=0)[::2])


def test_along_axes():
    along, places = njit(lambda a, k: np.sort(a, k)), njit(lambda a, k: np.argsort(a, k, kind="stable"))
    in_place = njit(lambda a, k: a.sort(k))
    for shape in ((5, 4), (3, 4, 5), (7,)):
        for a in (numbers(shape, "f8"), np.asfortranarray(numbers(shape, "f8"))):
            for axis in range(-a.ndim, a.ndim):
                same(along(a, axis), np.sort(a, axis))
                same(places(a, axis), np.argsort(a, axis, kind="stable"))
                copy = a.copy(order="K")
                in_place(copy, axis)
                same(copy, np.sort(a, axis))
            for function in (along, places, in_place):
                with pytest.raises(np.exceptions.AxisError, match="out of bounds"):
                    function(a, a.ndim)
    a = numbers((3, 4), "f8")
    same(njit(lambda a: np.sort(a, None))(a), np.sort(a, None))
    same(njit(lambda a: np.argsort(a, None, "stable"))(a.T), np.argsort(a.T, None, "stable"))


def test_kinds():
    a = numbers(500, "i2")
    for kind in ("quicksort", "heapsort", "stable", "mergesort"):
        scope = {"np": np}
        exec(f"def ordered(a):\n    return np.sort(a, kind={kind!r}), a.argsort(kind={kind!r})", scope)
        ordered, places = njit(scope["ordered"])(a)
        same(ordered, np.sort(a))
        same(a[places], np.sort(a))
    with pytest.raises(TypingError, match='"kind" must be a string literal'):
        njit(lambda a: np.sort(a, kind="bubble"))(a)


def test_many_items():
    a = np.random.default_rng(5).standard_normal(200_000)
    check_all(a)


# Text and times.

def others(size, kind):
    """Texts, or points or spans of time, some equal and some NaT."""
    rng = np.random.default_rng(size)
    if kind in "US":
        return np.array(["", "a", "B", "ab", "zebra", "Zebra", "b"])[rng.integers(0, 7, size)].astype(kind + "6")
    made = rng.integers(-20, 20, size).astype(kind)
    made[rng.integers(0, 5, size) == 0] = "NaT"
    return made


@pytest.mark.parametrize("kind", ["U", "S", "M8[D]", "m8[s]"])
def test_texts_and_times(kind):
    unique = njit(lambda a: np.unique(a))
    unique_with_all = njit(lambda a: np.unique(a, return_index=True, return_inverse=True, return_counts=True))
    for size in (0, 1, 2, 40, 300):
        a = others(size, kind)
        check_all(a.copy())
        check_all(np.repeat(a, 2)[::2])
        check_all(a[::-1].copy())
        same(unique(a), np.unique(a))
        found = unique_with_all(a)
        for one, other in zip(found[:1] + found[3:], np.unique(a, return_counts=True)):
            same(one, other)
    a = others(60, kind).reshape(5, 12)
    check_all(a.copy())
    for axis in (0, 1, -1, None):
        same(njit(lambda a: np.sort(a, axis))(a), np.sort(a, axis))
        same(njit(lambda a: np.argsort(a, axis, "stable"))(a), np.argsort(a, axis, "stable"))


def check_partition(partition, a, kth):
    """Whether what comes out has the items of `a`, and at the places the right ones with the smaller ones before."""
    made, ordered = partition(a, kth), np.sort(a)
    same(np.sort(made), ordered)
    for place in np.atleast_1d(kth):
        same(made[place], ordered[place])
        same(np.sort(made[:place]), ordered[:place])


@pytest.mark.parametrize("item", ["f8", "f4", "i8", "u1", "?"])
@pytest.mark.parametrize("size", [1, 2, 16, 17, 100, 1000, 20000])
def test_partition(item, size):
    partition = njit(lambda a, kth: np.partition(a, kth))
    random = np.random.default_rng(size)
    rows = [numbers(size, item), numbers(2 * size, item, 1)[::2], numbers(size, item)[:1].repeat(size),
            np.arange(size).astype(item), random.integers(0, 3, size).astype(item)]
    if item.startswith("f"):
        rows.append(np.where(random.random(size) < 0.4, np.nan, numbers(size, item)).astype(item))
    for a in rows:
        for kth in {0, size // 10, size // 2, size - 1}:
            check_partition(partition, a, kth)
        check_partition(partition, a, np.unique([0, size // 3, size - 1]))


@pytest.mark.parametrize("shape", [(6,), (2, 3)])
def test_readonly_is_not_sorted_in_place(shape):
    a = numbers(shape, "f8")
    a.setflags(write=False)
    before = a.copy()
    for view in (a, a[::-1], a.T):
        with pytest.raises(TypingError, match="Cannot modify readonly array"):
            njit(lambda a: a.sort())(view)
    np.testing.assert_array_equal(a, before)


def test_sorted_of_what_is_counted():
    def found(a, b):
        return (sorted((a, b)), sorted((b, a), reverse=True), sorted([a, b]), [a] + sorted([b, a]), sorted([b, a]) + [a],
                sorted((a, b), key=len), sorted({"x": len(a), "y": len(b)}.items()))

    for args in (("b", "a"), ([2], [1, 3]), (("b", 2), ("a", 1)), ((1, [2]), (1, [1]))):
        assert njit(found)(*args) == found(*args)


def test_tuples_of_what_may_be_none_are_sorted_by_a_key():
    @njit
    def by_first(x):
        return sorted(((x, ("ab", 1)), (3.25, None), (0.5, None)), key=lambda item: item[0])

    for x in (4.0, 1.0, -1.0):
        assert by_first(x) == by_first.py_func(x)
