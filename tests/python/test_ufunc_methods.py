"""`reduce`, `reduceat` and `at` of ufuncs in compiled code, and what ufuncs know of themselves, against NumPy's ufuncs."""
import numpy as np
import pytest
from rumba import errors, njit
from rumba.numba import vectorize

add = vectorize(identity=0)(lambda a, b: a + b)
times = vectorize(["int64(int64, int64)", "float64(float64, float64)"], identity=1)(lambda a, b: a * b)
minus = vectorize(lambda a, b: a - b)
least = vectorize(identity="reorderable")(lambda a, b: min(a, b))
negated = vectorize(lambda a: -a)
mixed = vectorize(["float64(float64, int64)"])(lambda a, b: a + b)
PAIRS = [(add, np.add), (times, np.multiply), (minus, np.subtract), (least, np.minimum)]

A = np.arange(24).reshape(2, 3, 4) % 7 + 1
ARRAYS = [A[0, 0], A, A[:, ::-1, ::2], A.T, A * 0.5, A.astype(np.float32)]


def same(found, expected):
    np.testing.assert_array_equal(found, expected)
    assert np.shape(found) == np.shape(expected)
    if isinstance(found, np.ndarray):
        assert found.dtype == expected.dtype


def outcome(function, *args):
    try:
        return function(*args)
    except Exception as error:
        return error


@pytest.mark.parametrize("ours, numpys", PAIRS)
def test_reduce_along_one_axis(ours, numpys):
    @njit
    def along(a, axis):
        return ours.reduce(a, axis)

    @njit
    def first(a):
        return ours.reduce(a)

    for a in ARRAYS:
        if a.dtype == np.float32 and ours is times:
            a = a.astype(np.float64)
        same(first(a), numpys.reduce(a))
        for axis in range(-a.ndim, a.ndim):
            same(along(a, axis), numpys.reduce(a, axis))
        with pytest.raises(ValueError, match="is out of bounds for array of dimension"):
            along(a, a.ndim)


@pytest.mark.parametrize("axis", [None, (0,), (0, 2), (-1, 0), (0, 1, 2), ()])
def test_reduce_along_several_axes(axis):
    @njit
    def along(a, axis):
        return add.reduce(a, axis=axis), least.reduce(a, axis=axis), least.reduce(a, axis=axis, initial=2)

    for a in (A, A.T, A[:, ::2]):
        total, smallest, bounded = along(a, axis)
        same(total, np.add.reduce(a, axis))
        same(smallest, np.minimum.reduce(a, axis))
        same(bounded, a if axis == () else np.minimum.reduce(a, axis, initial=2))


def test_reduce_with_a_type_a_start_an_output_and_all_dimensions():
    @njit
    def typed(a):
        return add.reduce(a, dtype=np.float64), mixed.reduce(a, dtype=np.float64)

    @njit
    def started(a, start):
        return minus.reduce(a, initial=start)

    @njit
    def kept(a):
        return add.reduce(a, 1, keepdims=True)

    @njit
    def put(a, out):
        return add.reduce(a, 0, out=out)

    for found in typed(A):
        same(found, np.add.reduce(A, dtype=np.float64))
    same(started(A, 100), np.subtract.reduce(A, initial=100))
    same(kept(A), np.add.reduce(A, 1, keepdims=True))
    out = np.zeros((3, 4))
    same(put(A, out), np.add.reduce(A, 0) * 1.0)
    same(out, np.add.reduce(A, 0) * 1.0)


def test_reduce_nothing_lists_and_what_is_refused():
    @njit
    def use(a):
        return add.reduce(a)

    @njit
    def smallest(a):
        return least.reduce(a, axis=0)

    same(use([1, 2, 3]), 6)
    same(use((1.5, 2.0)), 3.5)
    same(use(np.zeros((0, 3))), np.zeros(3))
    for a in (np.zeros(0), np.zeros((0, 3)), np.zeros((0, 0))):
        with pytest.raises(ValueError, match="zero-size array to reduction operation .* which has no identity"):
            smallest(a)
    same(smallest(np.zeros((3, 0))), np.zeros(0))
    with pytest.raises(errors.TypingError, match='The first argument "array" must be array-like'):
        use("a")
    with pytest.raises(errors.TypingError, match="is not reorderable, so at most one axis"):
        njit(lambda a: minus.reduce(a, axis=None))(A)
    with pytest.raises(errors.TypingError, match="reduce only supported for binary functions"):
        njit(lambda a: negated.reduce(a))(A)
    with pytest.raises(errors.TypingError, match="has no loop for"):
        njit(lambda a: times.reduce(a))(A * 1j)


@pytest.mark.parametrize("ours, numpys", PAIRS)
def test_reduceat(ours, numpys):
    @njit
    def slices(a, indices, axis):
        return ours.reduceat(a, indices, axis)

    for a in ARRAYS[:5]:
        for axis in range(-a.ndim, a.ndim):
            for indices in ([0, 1], [1, 0], [0], [1, 1, 0]):
                same(slices(a, np.array(indices), axis), numpys.reduceat(a, indices, axis))
            for indices in ([0, 20], [-1, 0]):
                expected, found = (outcome(f, a, np.array(indices), axis) for f in (numpys.reduceat, slices))
                assert type(found) is type(expected) is IndexError
                assert str(found).partition(" in ")[0] == str(expected).partition(" in ")[0]


def test_reduceat_of_lists_into_arrays_and_misuse():
    @njit
    def slices(a, indices):
        return add.reduceat(a, indices)

    @njit
    def put(a, indices, out):
        return add.reduceat(a, indices, out=out)

    same(slices([1, 2, 3, 4], [1, 3]), np.add.reduceat([1, 2, 3, 4], [1, 3]))
    same(slices((1, 2, 3, 4), (0, 2)), np.add.reduceat((1, 2, 3, 4), (0, 2)))
    same(slices(np.zeros(0), np.zeros(0, np.int32)), np.zeros(0))
    a, b = np.arange(4), np.arange(4)
    indices = np.array([0, 3, 1, 2])
    same(put(a, indices, a), np.add.reduceat(b, indices, out=b))
    with pytest.raises(ValueError, match="shape"):
        put(a, indices, np.zeros(3, np.int64))
    for indices, why in ((A, "at most 1 dimension"), ("abc", '"indices" must be array-like'), (A[0, 0] * 1.0, "have to be integers")):
        with pytest.raises(errors.TypingError, match=why):
            slices(a, indices)
    with pytest.raises(errors.TypingError, match='"axis" must be an integer'):
        njit(lambda a, i: add.reduceat(a, i, axis=(1,)))(A, np.array([0]))
    with pytest.raises(errors.TypingError, match="output must be an array"):
        njit(lambda a, i: add.reduceat(a, i, out=3))(A, np.array([0]))


@pytest.mark.parametrize("ours, numpys", [(add, np.add), (minus, np.subtract), (least, np.minimum)])
@pytest.mark.parametrize("a, indices, b", [
    (np.arange(6), np.array([1, 3, 1]), 10),
    (np.arange(6), np.array([1, -3, 1], np.int8), np.array([1, 2, 3])),
    (np.arange(6), [2, 2, 5], 1),
    (np.arange(6), 3, 7),
    (np.arange(6.0), slice(1, None, 2), np.array([1, 2, 3])),
    (np.arange(6), np.arange(6) % 2 == 0, np.array([1, 2, 3])),
    (np.arange(6), np.array([[0, 1], [1, 0]]), np.array([[1], [2]])),
    (A.copy(), (slice(None), np.array([1, 2, 1])), np.arange(4)),
    (A.copy(), (np.array([1, 0, 1]), 0, slice(None)), np.array([[1], [2], [3]])),
    (A.T.copy().T, (0, 1, 2), 5),
    (np.array(3), (), 4),
    (np.arange(6.0), np.array([0, 0]), np.array(2.0)),
])
def test_at(ours, numpys, a, indices, b):
    @njit
    def change(a, indices, b):
        ours.at(a, indices, b)

    found, expected = a.copy(order="K"), a.copy(order="K")
    change(found, indices, b)
    numpys.at(expected, indices, b)
    same(found, expected)


def test_at_of_one_operand_and_misuse():
    @njit
    def negate(a, indices):
        negated.at(a, indices)

    @njit
    def change(a, indices, b):
        add.at(a, indices, b)

    a = np.arange(5)
    negate(a, [1, 2, 1])
    same(a, np.array([0, 1, -2, 3, 4]))
    with pytest.raises(IndexError, match="index 5 is out of bounds for axis 0 with size 5"):
        change(a, np.array([0, 5]), 1)
    with pytest.raises(ValueError, match="could not be broadcast"):
        change(a, np.array([0, 1]), np.array([1, 2, 3]))
    with pytest.raises(errors.TypingError, match="second operand needed"):
        change(a, np.array([0]), None)
    with pytest.raises(errors.TypingError, match="second operand provided when ufunc is unary"):
        njit(lambda a, i: negated.at(a, i, 1))(a, np.array([0]))
    with pytest.raises(errors.TypingError, match="an array that can be written to"):
        change(np.broadcast_to(a, (1, 5)), np.array([0]), 1)


def test_what_ufuncs_know_of_themselves():
    @njit
    def known():
        return add.nin, add.nout, add.nargs, add.identity, least.identity, add.signature, negated.nargs

    assert known() == (2, 1, 3, 0, None, None, 2)


def test_what_at_stores_is_converted_as_numpy_does():
    @njit
    def change(a, indices, b):
        add.at(a, indices, b)

    for dtype, values in (("u1", (300.0, -1.0, 2.5)), ("i8", (2.5, -2.5)), ("i1", (200.0, -200.0)), ("f4", (1.1, 1e30))):
        for value in values:
            found, expected = np.zeros(3, dtype), np.zeros(3, dtype)
            with np.errstate(all="ignore"):
                change(found, np.array([0, 1, 0]), value)
                np.add.at(expected, np.array([0, 1, 0]), value)
            assert found.tolist() == expected.tolist(), (dtype, value)
