"""`numpy.linalg` against NumPy: types of items, layouts, sizes, what is singular, empty or not finite."""
import numpy as np
import pytest

from leaks import nothing_leaks  # noqa: F401
from rumba import njit, types
from rumba.errors import TypingError
from rumba.numba.np.linalg import _LAPACK, get_blas_kind
from rumba.types.typeof import as_dtype

ITEMS = ["f4", "f8", "c8", "c16"]
LAYOUTS = ["C", "F", "rows", "columns"]


def numbers(shape, item, seed=0):
    """Numbers of these lengths."""
    rng = np.random.default_rng(seed)
    made = rng.standard_normal(shape)
    return (made + 1j * rng.standard_normal(shape) if np.dtype(item).kind == "c" else made).astype(item)


def regular(size, item, seed=0):
    """A square matrix that is far from singular."""
    return (numbers((size, size), item, seed) + 3 * np.eye(size)).astype(item)


def positive(size, item):
    """A matrix that equals its conjugate transpose, with positive eigenvalues."""
    made = numbers((size, size), item)
    return (made @ made.conj().T + np.eye(size)).astype(item)


def laid(array, layout):
    """The same items in memory in another way."""
    if layout in "CF":
        return np.array(array, order=layout)
    wide = np.zeros(tuple(2 * n for n in array.shape), array.dtype)
    part = (slice(None, None, 2), slice(0, array.shape[1])) if layout == "rows" else (slice(0, array.shape[0]), slice(None, None, 2))
    wide[part] = array
    return wide[part]


# NumPy computes singles as doubles and rounds what comes out; compiled code calls LAPACK's functions for singles.
SINGLES = ("f4", "c8")

# Functions whose doubles differ from NumPy's in their last digits, and why. All others give the same bits.
INEXACT = {
    "cholesky": "LAPACK gets the upper half of the matrix, by which the sums run in another order",
    "cond": "it divides by what `inv` and `norm` give",
    "det": "the product of the diagonal; NumPy takes the exponential of the sum of its logarithms",
    "inv": "LAPACK inverts the factors; NumPy solves equations with the identity",
    "lstsq": "what is left of complex items is summed as squares of their sizes, whose roots are rounded",
    "matrix_power": "products of small matrices are summed in a loop; NumPy's in BLAS",
    "norm": "sizes are added one by one; NumPy adds in pairs",
    "pinv": "a product of what `svd` gives, summed as all products are",
    "u s vh": "factors are multiplied and compared with the matrix itself",
}


def near(name, found, wanted, item):
    """Tuples, arrays and numbers of the same types with the same values; nearly the same where a reason is stated."""
    if isinstance(wanted, tuple):
        assert len(found) == len(wanted)
        for one, other in zip(found, wanted):
            near(name, one, other, item)
        return
    if isinstance(wanted, np.ndarray) and wanted.ndim:
        assert found.dtype == wanted.dtype and found.shape == wanted.shape
    if item not in SINGLES and name not in INEXACT:
        return np.testing.assert_array_equal(found, wanted)
    tolerance = 2e-3 if item in SINGLES else 1e-9
    np.testing.assert_allclose(found, wanted, rtol=tolerance, atol=tolerance)


def check(name, python, *args, item="f8"):
    """Compiled, a function gives what it gives in Python."""
    compiled = njit(python)
    copies = [np.array(arg, order="K") if isinstance(arg, np.ndarray) else arg for arg in args]
    near(name, compiled(*args), python(*args), item)
    for arg, copy in zip(args, copies):
        np.testing.assert_array_equal(arg, copy)


def squares(item):
    """Square matrices of several sizes and layouts."""
    for size, layout in ((0, "C"), (1, "F"), (2, "C"), (5, "F"), (5, "rows"), (5, "columns"), (70, "C")):
        yield laid(regular(size, item), layout)


@pytest.mark.parametrize("item", ITEMS)
def test_inverses_and_determinants(item):
    inv, det, slogdet = (njit(f) for f in (lambda a: np.linalg.inv(a), lambda a: np.linalg.det(a), lambda a: np.linalg.slogdet(a)))
    for a in squares(item):
        near("inv", inv(a), np.linalg.inv(a), item)
        if len(a) < 10:
            near("det", det(a), np.linalg.det(a), item)
        near("slogdet", slogdet(a), tuple(np.linalg.slogdet(a)), item)


@pytest.mark.parametrize("item", ITEMS)
def test_solve(item):
    solve = njit(lambda a, b: np.linalg.solve(a, b))
    for a in squares(item):
        for layout in LAYOUTS:
            b = laid(numbers((len(a), 3), item, 1), layout)
            near("solve", solve(a, b), np.linalg.solve(a, b), item)
        near("solve", solve(a, b[:, 0]), np.linalg.solve(a, b[:, 0]), item)


def test_solve_with_mixed_types():
    for left in ITEMS:
        for right in ITEMS:
            check("solve", lambda a, b: np.linalg.solve(a, b), regular(4, left), numbers(4, right), item="f4")


@pytest.mark.parametrize("item", ITEMS)
def test_cholesky(item):
    cholesky = njit(lambda a: np.linalg.cholesky(a))
    for size in (0, 1, 4, 33):
        for layout in LAYOUTS:
            a = laid(positive(size, item), layout)
            near("cholesky", cholesky(a), np.linalg.cholesky(a), item)


@pytest.mark.parametrize("item", ITEMS)
def test_matrix_power(item):
    power = njit(lambda a, n: np.linalg.matrix_power(a, n))
    for a in (regular(3, item), np.asfortranarray(regular(3, item)), laid(regular(4, item), "rows")):
        for n in (0, 1, 2, 3, 4, 5, 7, -1, -2):
            found, wanted = power(a, n), np.linalg.matrix_power(a, n)
            near("matrix_power", found / abs(wanted).max(), wanted / abs(wanted).max(), item)


@pytest.mark.parametrize("item", ITEMS)
def test_qr(item):
    reduced, complete, upper = (njit(f) for f in (
        lambda a: np.linalg.qr(a), lambda a: np.linalg.qr(a, "complete"), lambda a: np.linalg.qr(a, "r")))
    for shape in ((1, 1), (3, 3), (7, 4), (4, 7), (40, 3)):
        for layout in LAYOUTS:
            a = laid(numbers(shape, item), layout)
            near("qr", reduced(a), tuple(np.linalg.qr(a)), item)
            near("qr", complete(a), tuple(np.linalg.qr(a, "complete")), item)
            near("qr", upper(a), np.linalg.qr(a, "r"), item)


@pytest.mark.parametrize("item", ITEMS)
def test_symmetric_eigenvalues(item):
    eigh, eigvalsh, upper = (njit(f) for f in (
        lambda a: np.linalg.eigh(a), lambda a: np.linalg.eigvalsh(a), lambda a: np.linalg.eigvalsh(a, UPLO="U")))
    for size in (0, 1, 4, 30):
        for layout in LAYOUTS:
            a = laid(positive(size, item), layout)
            values, vectors = eigh(a)
            wanted = np.linalg.eigh(a)[0]
            # The equation holds up to rounding; the values are compared at the same scale.
            tolerance = np.float32(1e-3) * abs(a).max(initial=1) if item in ("f4", "c8") else 1e-9 * abs(a).max(initial=1)
            np.testing.assert_allclose(values, wanted, atol=tolerance)
            np.testing.assert_allclose(a @ vectors, vectors * values, atol=tolerance * 10)
            assert vectors.dtype == a.dtype and values.dtype == wanted.dtype
            np.testing.assert_allclose(eigvalsh(a), wanted, atol=tolerance)
            np.testing.assert_allclose(upper(a), wanted, atol=tolerance)


@pytest.mark.parametrize("item", ITEMS)
def test_general_eigenvalues(item):
    eig, eigvals = njit(lambda a: np.linalg.eig(a)), njit(lambda a: np.linalg.eigvals(a))
    for size in (0, 1, 4, 20):
        for layout in LAYOUTS:
            a = laid(positive(size, item) if item[0] == "f" else regular(size, item), layout)
            values, vectors = eig(a)
            # The equation holds up to rounding.
            np.testing.assert_allclose(a @ vectors, vectors * values, atol=1e-2 if item in ("f4", "c8") else 1e-9)
            assert values.dtype == a.dtype and vectors.dtype == a.dtype
            near("eigvals", np.sort(eigvals(a)), np.sort(values), item)


def test_complex_eigenvalues_of_real_matrices_are_an_error():
    turn = np.array([[0.0, -1.0], [1.0, 0.0]])
    for function in (lambda a: np.linalg.eig(a), lambda a: np.linalg.eigvals(a)):
        with pytest.raises(ValueError, match="must not cause a domain change"):
            njit(function)(turn)
        njit(function)(turn.astype("c16"))


@pytest.mark.parametrize("item", ITEMS)
def test_singular_values(item):
    svd = njit(lambda a, full: np.linalg.svd(a, full))
    for shape in ((1, 1), (3, 3), (7, 4), (4, 7), (1, 5)):
        for layout in LAYOUTS:
            a = laid(numbers(shape, item), layout)
            for full in (True, False):
                u, s, vh = svd(a, full)
                wanted = np.linalg.svd(a, full)
                assert (u.shape, vh.shape) == (wanted[0].shape, wanted[2].shape)
                near("svd", s, wanted[1], item)
                few = len(s)
                near("u s vh", (u[:, :few] * s) @ vh[:few], np.array(a), item)


@pytest.mark.parametrize("item", ITEMS)
def test_pinv_lstsq_and_rank(item):
    pinv, lstsq, rank = (njit(f) for f in (
        lambda a: np.linalg.pinv(a), lambda a, b: np.linalg.lstsq(a, b), lambda a: np.linalg.matrix_rank(a)))
    for shape in ((1, 1), (3, 3), (7, 4), (4, 7)):
        for layout in LAYOUTS:
            a = laid(numbers(shape, item), layout)
            near("pinv", pinv(a), np.linalg.pinv(a), item)
            assert rank(a) == np.linalg.matrix_rank(a)
            for b in (numbers((shape[0], 2), item, 1), numbers(shape[0], item, 2)):
                near("lstsq", lstsq(a, b), tuple(np.linalg.lstsq(a, b)), item)
    deficient = np.ones((4, 3), item)
    assert rank(deficient) == 1
    near("lstsq", lstsq(deficient, deficient[:, 0]), tuple(np.linalg.lstsq(deficient, deficient[:, 0])), item)
    check("matrix_rank", lambda a: np.linalg.matrix_rank(a, 2.5), numbers((5, 5), item), item=item)
    check("matrix_rank", lambda a: np.linalg.matrix_rank(a), np.zeros(3, item), item=item)


@pytest.mark.parametrize("item", ITEMS)
def test_norms(item):
    plain, by_number = njit(lambda x: np.linalg.norm(x)), njit(lambda x, p: np.linalg.norm(x, p))
    for size in (0, 1, 5, 100):
        x = numbers(size, item)
        near("norm", plain(x), np.linalg.norm(x), item)
        for p in (0, 1, 2, 3, -1, -2, 2.5) + ((np.inf, -np.inf) if size else ()):
            if size:
                near("norm", by_number(x, p), np.linalg.norm(x, p), item)
    for layout in LAYOUTS:
        x = laid(numbers((5, 4), item), layout)
        near("norm", plain(x), np.linalg.norm(x), item)
        for p in (1, -1, 2, -2, np.inf, -np.inf):
            near("norm", by_number(x, p), np.linalg.norm(x, p), item)
        check("norm", lambda x: np.linalg.norm(x, "fro"), x, item=item)
        check("norm", lambda x: np.linalg.norm(x, "nuc"), x, item=item)
        check("norm", lambda x: np.linalg.norm(x, axis=1), x, item=item)
    with pytest.raises(ValueError, match="Invalid norm order for matrices."):
        by_number(x, 3)


def test_norms_along_axes():
    stack = np.random.default_rng(4).normal(size=(2, 3, 4))
    calls = [lambda x: np.linalg.norm(x, 1, axis=0), lambda x: np.linalg.norm(x, np.inf, axis=1, keepdims=True),
             lambda x: np.linalg.norm(x, -np.inf, axis=-1), lambda x: np.linalg.norm(x, 3, axis=2), lambda x: np.linalg.norm(x, 0, axis=2),
             lambda x: np.linalg.norm(x, axis=(1, 2)), lambda x: np.linalg.norm(x, axis=(0, 2), keepdims=True),
             lambda x: np.linalg.norm(x, 1, axis=(2, 0)), lambda x: np.linalg.norm(x, -np.inf, axis=(0, 1), keepdims=True),
             lambda x: np.linalg.norm(x, "nuc", axis=(0, 1)), lambda x: np.linalg.norm(x, 2, axis=(0, 1)),
             lambda x: np.linalg.norm(x), lambda x: np.linalg.norm(x[0], keepdims=True), lambda x: np.linalg.norm(x[0], "fro", (1, 0)),
             lambda x: np.linalg.norm(x[0], 1, (1, 0), keepdims=True), lambda x: np.linalg.norm(x[0, 0], axis=0)]
    for call in calls:
        got, expected = njit(call)(stack), call(stack)
        assert np.shape(got) == np.shape(expected)
        # NumPy adds up along an axis in another order, and has singular values of a stack.
        np.testing.assert_allclose(got, expected, rtol=1e-14)
    by_number = njit(lambda x, p: np.linalg.norm(x, p, axis=0))
    for p in (0, 1, 2, 0.5, np.inf, -np.inf):
        np.testing.assert_allclose(by_number(stack, p), np.linalg.norm(stack, p, axis=0), rtol=1e-14)
    for axes in ((0, 0), (0, 5)):
        with pytest.raises(ValueError) as expected:
            np.linalg.norm(stack, axis=axes)
        with pytest.raises(ValueError) as got:
            njit(lambda x, axes: np.linalg.norm(x, axis=axes))(stack, axes)
        assert str(got.value) == str(expected.value)


def test_norms_of_large_and_small_numbers():
    norm = njit(lambda x: np.linalg.norm(x))
    for scale in (1e200, 1e-200, 5e-324):
        assert abs(norm(np.array([3.0, 4.0]) * scale) / scale - 5) < 1e-9
    assert norm(np.array([np.inf, 1.0])) == np.inf
    assert np.isnan(norm(np.array([np.nan, 1.0])))


@pytest.mark.parametrize("item", ITEMS)
def test_condition_numbers(item):
    plain, by_number = njit(lambda x: np.linalg.cond(x)), njit(lambda x, p: np.linalg.cond(x, p))
    for layout in LAYOUTS:
        x = laid(regular(4, item), layout)
        near("cond", plain(x), np.linalg.cond(x), item)
        for p in (1, -1, 2, -2, np.inf, -np.inf):
            near("cond", by_number(x, p), np.linalg.cond(x, p), item)
        check("cond", lambda x: np.linalg.cond(x, "fro"), x, item=item)
    assert by_number(np.ones((3, 3), item), 1) == np.inf


def refused(function, *args, message):
    """A call raises LinAlgError as NumPy does."""
    with pytest.raises(np.linalg.LinAlgError) as found:
        njit(function)(*args)
    assert str(found.value).startswith(message)


def test_errors_of_linalg():
    square = "Last 2 dimensions of the array must be square"
    for function in (lambda a: np.linalg.inv(a), lambda a: np.linalg.det(a), lambda a: np.linalg.slogdet(a), lambda a: np.linalg.eig(a),
                     lambda a: np.linalg.cholesky(a), lambda a: np.linalg.eigvalsh(a), lambda a: np.linalg.solve(a, a),
                     lambda a: np.linalg.matrix_power(a, 2)):
        refused(function, np.ones((2, 3)), message=square)
        with pytest.raises(np.linalg.LinAlgError, match=square):
            function(np.ones((2, 3)))
    for function in (lambda a: np.linalg.inv(a), lambda a: np.linalg.solve(a, a), lambda a: np.linalg.matrix_power(a, -1)):
        refused(function, np.zeros((2, 2)), message="Singular matrix")
    refused(lambda a: np.linalg.cholesky(a), -np.eye(2), message="Matrix is not positive definite")
    holed = np.array([[1.0, np.nan], [np.inf, 1.0]])
    for function in (lambda a: np.linalg.eig(a), lambda a: np.linalg.eigvals(a), lambda a: np.linalg.eigh(a), lambda a: np.linalg.svd(a)):
        refused(function, holed, message="Array must not contain infs or NaNs")
    with pytest.raises(ValueError) as found:
        njit(lambda a, b: np.linalg.solve(a, b))(np.eye(2), np.ones(3))
    with pytest.raises(ValueError) as wanted:
        np.linalg.solve(np.eye(2), np.ones(3))
    assert str(found.value) == str(wanted.value)


def test_what_is_not_finite_goes_through_equations():
    check("det", lambda a: np.linalg.det(a), np.array([[1.0, np.nan], [0.5, 1.0]]))
    check("solve", lambda a, b: np.linalg.solve(a, b), np.array([[1.0, 0.0], [0.5, 1.0]]), np.array([np.nan, 1.0]))


def test_singular_determinants():
    check("det", lambda a: np.linalg.det(a), np.ones((3, 3)))
    check("slogdet", lambda a: tuple(np.linalg.slogdet(a)), np.zeros((3, 3)))


def test_other_types_are_refused():
    for function in (lambda a: np.linalg.inv(a), lambda a: np.linalg.svd(a), lambda a: np.linalg.det(a)):
        with pytest.raises(TypingError, match="only supported on float and complex arrays"):
            njit(function)(np.ones((2, 2), "i8"))
        with pytest.raises(TypingError, match="only supported on 2-D arrays"):
            njit(function)(np.ones(4))


def test_norms_of_nothing():
    def outcome(function, x):
        try:
            return repr(float(function(x)))
        except ValueError as error:
            return str(error)

    for order in ("None", "1", "-1", "2", "-2", "np.inf", "-np.inf", "'fro'", "'nuc'"):
        function = eval(f"lambda x: np.linalg.norm(x, {order})", {"np": np})
        for shape in ((0, 0), (0, 2), (2, 0), (0,)):
            if len(shape) == 1 and order in ("'fro'", "'nuc'"):
                continue
            for dtype in ("f8", "f4", "c16"):
                x = np.zeros(shape, dtype)
                assert outcome(njit(function), x) == outcome(function, x), (order, shape)


@pytest.mark.parametrize("ty", [types.float32, types.float64, types.complex64, types.complex128], ids=str)
def test_lapack_under_numbas_names(ty):
    lapack, letter, item = _LAPACK(), ord(get_blas_kind(ty)), as_dtype(ty)
    solve, factor, invert = lapack.numba_xgesv(ty), lapack.numba_xxgetrf(ty), lapack.numba_ez_xxgetri(ty)

    @njit
    def solved(a, b):
        pivots = np.empty(a.shape[0], np.int32)
        return solve(letter, a.shape[0], b.shape[0], a.ctypes, a.shape[0], pivots.ctypes, b.ctypes, a.shape[0])

    @njit
    def inverted(a):
        pivots = np.empty(a.shape[0], np.int32)
        status = factor(letter, a.shape[0], a.shape[0], a.ctypes, a.shape[0], pivots.ctypes)
        return invert(letter, a.shape[0], a.ctypes, a.shape[0], pivots.ctypes) if status == 0 else status

    # Columns of LAPACK are rows here.
    a = np.array([[2, 1, 0], [1, 3, 1], [0, 1, 4]], item)
    b = np.array([[1, 2, 3], [4, 5, 6]], item)
    factors, found, inverse = a.T.copy(), b.copy(), a.T.copy()
    assert solved(factors, found) == 0
    np.testing.assert_allclose(found.T, np.linalg.solve(a, b.T), rtol=1e-5)
    assert inverted(inverse) == 0
    np.testing.assert_allclose(inverse.T, np.linalg.inv(a), rtol=1e-5)
    assert inverted(np.zeros((3, 3), item)) == 1
