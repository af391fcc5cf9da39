"""Products of vectors and matrices against NumPy: types of items, layouts, sizes, errors."""
import numpy as np
import pytest

from leaks import nothing_leaks  # noqa: F401
from rumba import njit

ITEMS = ["f4", "f8", "c8", "c16", "i4", "i8"]
LAYOUTS = ["C", "F", "rows", "columns", "backwards", "both"]
SIZES = [0, 1, 2, 5, 6, 17, 40]


@njit
def matmul(a, b):
    return a @ b


@njit
def dot(a, b):
    return np.dot(a, b)


@njit
def vdot(a, b):
    return np.vdot(a, b)


@njit
def inner(a, b):
    return np.inner(a, b)


@njit
def outer(a, b):
    return np.outer(a, b)


@njit
def kron(a, b):
    return np.kron(a, b)


def numbers(shape, item, seed=0):
    """Numbers of these lengths, of both signs."""
    rng = np.random.default_rng(seed)
    made = rng.integers(-9, 9, shape)
    if np.dtype(item).kind == "c":
        return (made + 1j * rng.integers(-9, 9, shape)).astype(item)
    return (made / 4).astype(item) if np.dtype(item).kind == "f" else made.astype(item)


def laid(array, layout):
    """The same items in memory in another way."""
    if layout in "CF":
        return np.array(array, order=layout)
    if layout == "rows":
        wide = np.zeros((array.shape[0] * 2,) + array.shape[1:], array.dtype)
        wide[::2] = array
        return wide[::2]
    if layout == "columns":
        wide = np.zeros(array.shape[:-1] + (array.shape[-1] + 3,), array.dtype)
        wide[..., 1:1 + array.shape[-1]] = array
        return wide[..., 1:1 + array.shape[-1]]
    if layout == "backwards":
        return np.array(array[::-1])[::-1]
    wide = np.zeros(tuple(2 * n for n in array.shape), array.dtype)
    wide[tuple(slice(None, None, 2) for _ in array.shape)] = array
    return wide[tuple(slice(None, None, 2) for _ in array.shape)]


def same(found, wanted):
    """The same type and value: items are small multiples of a quarter, whose sums of products are exact in any order."""
    if isinstance(wanted, np.generic):
        assert type(found) is type(wanted.item())
    else:
        assert found.dtype == wanted.dtype and found.shape == wanted.shape
    np.testing.assert_array_equal(found, wanted)


def check(function, python, *args):
    """The function gives what NumPy does, an exception too."""
    try:
        with np.errstate(invalid="ignore"):
            wanted = python(*args)
    except Exception as error:
        with pytest.raises(type(error)) as found:
            function(*args)
        assert str(found.value) == str(error)
        return
    same(function(*args), wanted)


@pytest.mark.parametrize("item", ITEMS)
def test_matrices_in_every_layout(item):
    for number, left in enumerate(LAYOUTS):
        right = LAYOUTS[(number * 2 + 1) % len(LAYOUTS)]
        for rows, inside, columns in [(6, 7, 8), (1, 40, 30), (30, 40, 1), (2, 3, 4)]:
            a, b = laid(numbers((rows, inside), item), left), laid(numbers((inside, columns), item, 1), right)
            check(matmul, lambda x, y: x @ y, a, b)
            check(dot, np.dot, b.T, a.T)


@pytest.mark.parametrize("item", ITEMS)
def test_vectors_and_matrices(item):
    for layout in LAYOUTS:
        for rows, columns in [(3, 4), (20, 30), (30, 1), (1, 30)]:
            matrix = laid(numbers((rows, columns), item), layout)
            down, along = (laid(numbers(n, item, n), layout) for n in (rows, columns))
            check(matmul, lambda x, y: x @ y, matrix, along)
            check(dot, np.dot, matrix, along)
            check(matmul, lambda x, y: x @ y, down, matrix)
            check(dot, np.dot, down, matrix)


@pytest.mark.parametrize("item", ITEMS)
def test_vectors(item):
    for layout in LAYOUTS:
        for size in (0, 1, 4, 31, 100):
            a, b = laid(numbers(size, item), layout), laid(numbers(size, item, 1), layout)
            for function, python in ((dot, np.dot), (matmul, np.matmul), (vdot, np.vdot), (inner, np.inner)):
                check(function, python, a, b)
            check(outer, np.outer, a[:9], b[:7])
            if 0 < size < 32:
                check(kron, np.kron, a, b)


@pytest.mark.parametrize("size", SIZES)
def test_sizes_and_empty_ones(size):
    a, b = numbers((size, 6), "f8"), numbers((6, size), "f8", 1)
    check(matmul, np.matmul, a, b)
    check(matmul, np.matmul, b, a)
    check(dot, np.dot, a, b[:, 0] if size else np.ones(6))
    check(dot, np.dot, a[:0], b)
    check(vdot, np.vdot, a, a)
    check(inner, np.inner, a, a)
    check(inner, np.inner, b, a[:, 0] if size else a[:, 0].copy())


def test_mixed_types_become_the_common_one():
    # Each dtype beside itself and two others.
    for at, left in enumerate(ITEMS):
        for right in (left, ITEMS[at - 1], ITEMS[at - 3]):
            check(matmul, np.matmul, numbers((6, 7), left), numbers((7, 8), right))
            check(dot, np.dot, numbers(40, left), numbers(40, right, 1))
            check(matmul, np.matmul, numbers((9, 20), left), numbers(20, right))


def test_values_that_are_not_finite():
    a, b = numbers((7, 7), "f8"), numbers((7, 7), "f8", 1)
    a[1, 2], a[3, 3], b[4, 4] = np.nan, np.inf, -np.inf
    check(matmul, np.matmul, a, b)
    check(matmul, np.matmul, a, b[0])
    check(dot, np.dot, a[3], b[4])


def test_kron_of_matrices():
    for item in ITEMS:
        check(kron, np.kron, numbers((2, 3), item), numbers((3, 2), item, 1))
        check(kron, np.kron, numbers((2, 3), item), numbers(4, item, 1))
        check(kron, np.kron, numbers(4, item), numbers((3, 2), item, 1).T)


def test_stacks_of_matrices():
    for shapes in [((3, 2, 4), (3, 4, 5)), ((3, 2, 4), (4, 5)), ((2, 4), (3, 4, 5)), ((3, 1, 2, 4), (5, 4, 2)), ((3, 2, 4), (4,)),
                   ((4,), (3, 4, 2))]:
        check(matmul, np.matmul, *(numbers(shape, "f8", number) for number, shape in enumerate(shapes)))


def test_lengths_that_do_not_fit():
    for left, right in [((2, 3), (2, 3)), ((3,), (4,)), ((2, 3), (2,)), ((2,), (3, 2)), ((2, 2, 3), (2, 3))]:
        a, b = numbers(left, "f8"), numbers(right, "f8")
        check(matmul, lambda x, y: x @ y, a, b)
        if a.ndim < 3:
            check(dot, np.dot, a, b)
        if a.ndim == b.ndim == 2:
            check(inner, np.inner, a, b.T)
    check(inner, np.inner, numbers(3, "f8"), numbers(4, "f8"))


@njit
def dot_into(a, b, out):
    return np.dot(a, b, out)


@njit
def matmul_into(a, b, out):
    return np.matmul(a, b, out=out)


@njit
def multiply_on(a, b):
    a @= b
    return a


def test_into_an_array_that_is_there():
    a, b = numbers((20, 20), "f8"), numbers((20, 20), "f8", 1)
    for function, python in ((dot_into, lambda x, y, z: np.dot(x, y, z)), (matmul_into, lambda x, y, z: np.matmul(x, y, out=z))):
        out = np.empty((20, 20))
        assert function(a, b, out) is out
        same(out, python(a, b, np.empty((20, 20))))
    # What is written to may be what is read.
    c = a.copy()
    same(matmul_into(c, b, c), a @ b)
    c = a.copy()
    same(multiply_on(c, b), a @ b)
    with pytest.raises(ValueError, match="output array is not acceptable"):
        dot_into(a, b, np.empty((20, 21)))


@pytest.mark.parametrize("shape", [(2,), (2, 2), (3, 2, 2), (1, 2)])
@pytest.mark.parametrize("other", [(2,), (2, 2), (2, 1), (3, 2, 2), (2, 3), (4, 2)])
def test_multiplication_in_place_takes_the_shapes_that_numpy_takes(shape, other):
    def outcome(function):
        a = numbers(shape, "f8")
        try:
            return function(a, numbers(other, "f8", 1)).tolist()
        except ValueError as error:
            return str(error)

    assert outcome(multiply_on) == outcome(multiply_on.py_func)


def test_numbers_and_arrays():
    check(dot, np.dot, 3.0, numbers((2, 3), "f8"))
    check(dot, np.dot, numbers(4, "i8"), 2)
    check(inner, np.inner, numbers(4, "i8"), 2)
    check(outer, np.outer, numbers(4, "f8"), 2.5)
    check(outer, np.outer, 3, numbers((2, 2), "f8"))
    check(kron, np.kron, 3.0, numbers((2, 2), "f8"))


def test_trace():
    for layout in LAYOUTS:
        matrix = laid(numbers((4, 6), "f8"), layout)
        for offset in (-5, -2, 0, 1, 5, 9):
            check(njit(lambda a, k: np.trace(a, k)), lambda a, k: np.trace(a, k), matrix, offset)
        check(njit(lambda a: np.trace(a)), np.trace, matrix)


def test_products_of_truth_values_say_whether_any_is_true():
    a, b = numbers((6, 7), "f8") > 0.5, numbers((7, 5), "f8", 1) > 0.5
    stack = numbers((2, 3, 3), "f8", 2) > 0.5
    for one, other in [(a, b), (b.T, a.T), (a, b[:, 0]), (a[0], b), (stack, stack), (a, numbers((7, 5), "f8")), (numbers((6, 7), "i1"), b),
                       (a[:, :0], b[:0]), (np.ones((2, 70000), "?"), np.ones((70000, 2), "?"))]:
        found, wanted = njit(lambda x, y: x @ y)(one, other), one @ other
        assert found.dtype == wanted.dtype
        np.testing.assert_array_equal(found, wanted)
    for function in (lambda x, y: np.dot(x, y), lambda x, y: np.vdot(x, y), lambda x, y: np.inner(x, y), lambda x, y: np.outer(x, y),
                     lambda x, y: np.kron(x, y)):
        for x, y in [(a[0], a[1]), (a[0], ~a[0]), (a[0, :0], a[0, :0])]:
            found, wanted = njit(function)(x, y), function(x, y)
            assert np.asarray(found).dtype == bool
            np.testing.assert_array_equal(found, wanted)
