"""Generalized ufuncs in compiled code, against themselves called from Python, where NumPy goes over them."""
import numpy as np
import pytest
from rumba import errors, njit
from rumba.numba import float64, guvectorize, int64


@guvectorize(["(int64[:], int64, int64[:])", "(float64[:], float64, float64[:])"], "(n),()->(n)")
def shifted(x, by, result):
    for i in range(x.shape[0]):
        result[i] = x[i] + by


@guvectorize([(float64[:, :], float64[:], float64[:])], "(m,n),(n)->(m)")
def product(a, x, result):
    for i in range(a.shape[0]):
        result[i] = 0
        for j in range(a.shape[1]):
            result[i] += a[i, j] * x[j]


@guvectorize([(int64[:], int64[:], float64[:])], "(n)->(),()")
def ends(x, least, mean):
    least[0] = x.min()
    mean[0] = x.mean()


@guvectorize("(n),(n)->()")
def inner(x, y, result):
    result[0] = (x * y).sum()


@guvectorize([(float64[:], float64[:])], "(n),()", writable_args=(0,))
def scale(x, by):
    x *= by[0]


A = np.arange(24).reshape(2, 3, 4)


def same(found, expected):
    if isinstance(expected, tuple):
        assert isinstance(found, tuple) and len(found) == len(expected)
        for one, other in zip(found, expected):
            same(one, other)
        return
    np.testing.assert_array_equal(found, expected)
    assert np.shape(found) == np.shape(expected) and np.asarray(found).dtype == np.asarray(expected).dtype


def calling(ufunc):
    return njit(lambda *operands: ufunc(*operands))


@pytest.mark.parametrize("ufunc, operands", [
    (shifted, (A, 5)), (shifted, (A[0, 0], 5)), (shifted, (A * 0.5, np.array([[1.0], [2.0]]))), (shifted, (A.T, A[0, 0, :3])),
    (shifted, (A[:, ::2, ::-1], np.int32(3))), (shifted, (A.astype(np.int32), A[:, :, 0])), (shifted, (A[:0], 1)),
    (product, (A * 1.0, np.arange(4.0))), (product, (A[0], np.arange(8.0).reshape(2, 4))), (product, (A.T * 1.0, np.arange(2))),
    (ends, (A,)), (ends, (A[0, 0],)), (ends, (A.T,)),
])
def test_results_that_are_made(ufunc, operands):
    same(calling(ufunc)(*operands), ufunc(*operands))


@pytest.mark.parametrize("ufunc, operands, results", [
    (shifted, (A, 5), [(2, 3, 4)]), (shifted, (A[0, 0], np.arange(6).reshape(2, 3)), [(2, 3, 4)]),
    (product, (A, np.arange(4.0)), [(2, 3)]), (ends, (A,), [(2, 3), (2, 3)]), (inner, (A, A[0]), [(2, 3)]), (inner, (A[0, 0], A[0, 1]), [()]),
])
@pytest.mark.parametrize("kind", [np.int64, np.float64, np.float32])
def test_results_that_are_given(ufunc, operands, results, kind):
    found, expected = ([np.full(shape, 7, kind) for shape in results] for _ in range(2))
    if ufunc is product or ufunc is ends or kind is np.float32:
        found, expected = ([np.full(shape, 7.0) for shape in results] for _ in range(2))
    calling(ufunc)(*operands, *found)
    ufunc(*operands, *expected)
    for one, other in zip(found, expected):
        same(one, other)


def test_arguments_that_are_written():
    for kind in (np.float64, np.float32):
        found, expected = A.astype(kind), A.astype(kind)
        calling(scale)(found, 2.0)
        scale(expected, 2.0)
        same(found, expected)
        calling(scale)(found[0, 0], 3.0)
        same(found[0, 0], A[0, 0].astype(kind) * 6)


def test_what_does_not_fit():
    for operands, why in (
            ((A[0], A[0, 0, :2], np.zeros(3)), "mismatch in one of its core dimensions: 'n' of argument 1 of inner"),
            ((A, A[0, 0], np.zeros(3)), "Loop and array shapes are incompatible"),
            ((A, A[0, 0], np.zeros((3, 3))), "could not be broadcast")):
        with pytest.raises(ValueError, match=why):
            calling(inner)(*operands)
        with pytest.raises(ValueError):
            inner(*operands)
    for operands, why in (
            ((3, A[0, 0], np.zeros(())), r"inner: Input operand 0 does not have enough dimensions \(has 0, gufunc core with signature "
             r"\(n\),\(n\)->\(\) requires 1\)"),
            ((A, A, 3), "Output operand 0 is int64, and has to be an array"),
            ((A, A), "a call without results needs types that it was given")):
        with pytest.raises(errors.TypingError, match=why):
            calling(inner)(*operands)
    with pytest.raises(errors.TypingError, match="has no loop for"):
        calling(product)(A * 1j, A[0, 0])
