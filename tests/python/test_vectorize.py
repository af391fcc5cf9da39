"""`vectorize` and `guvectorize`: ufuncs of NumPy's made of compiled functions."""
import pickle

import numpy as np
import pytest
from rumba import errors, njit
from rumba.numba import float64, guvectorize, int64, vectorize
from rumba.numba.np.ufunc import GUVectorize, Vectorize


@vectorize(["int64(int64, int64)", "float64(float64, float64)"])
def scaled(a, b):
    """A text."""
    return a * b + 1


@vectorize
def square(a):
    return a * a


@vectorize([float64(float64)])
def bounded(x):
    if x > 2:
        raise ValueError("too big")
    return x


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


def same(found, expected):
    assert type(found) is type(expected)
    np.testing.assert_array_equal(found, expected)
    if isinstance(expected, (np.ndarray, np.generic)):
        assert found.dtype == expected.dtype


A = np.arange(12).reshape(3, 4)


@pytest.mark.parametrize("a, b", [
    (A, 2), (A, A), (A[:, ::2], A[::-1, 1::2]), (A * 0.5, 3), (A[:, None], A[0]), (2, 3), (2.5, 3), (A.T, A[:, 0]),
    (A[:0], 1), ([1, 2], [3, 4]), (A.astype(np.float32), 1.5),
])
def test_elements(a, b):
    expected = np.asarray(a) * np.asarray(b) + 1
    if expected.dtype == np.float32:
        expected = expected.astype(np.float64)
    same(scaled(a, b), expected[()] if expected.ndim else expected[()])


def test_what_numpy_s_ufuncs_have():
    assert scaled.types == ["ll->l", "dd->d"] and (scaled.nin, scaled.nout, scaled.nargs, scaled.ntypes) == (2, 1, 3, 2)
    assert scaled.__name__ == "scaled" and scaled.__doc__ == "A text." and scaled.signature is None
    out = np.zeros((3, 4))
    assert scaled(A, 0.5, out=out) is out
    same(out, A * 0.5 + 1)
    where = A % 2 == 0
    same(scaled(A, 2, where=where, out=np.zeros_like(A)), np.where(where, A * 2 + 1, 0))
    add = vectorize(["int64(int64, int64)"], identity=0)(lambda a, b: a + b)
    assert add.identity == 0
    same(add.reduce(A), np.add.reduce(A))
    same(add.accumulate(A, axis=1), np.add.accumulate(A, axis=1))
    same(add.outer(A[0], A[1]), np.add.outer(A[0], A[1]))
    same(add.reduceat(A[0], [0, 2]), np.add.reduceat(A[0], [0, 2]))
    counts = np.zeros(3, np.int64)
    add.at(counts, [0, 2, 0], 1)
    same(counts, np.array([2, 0, 1]))


def test_loops_are_made_when_they_are_needed():
    assert square.ntypes == 0
    same(square(A), A * A)
    assert square.types == ["l->l"]
    same(square(A * 0.5), (A * 0.5) ** 2)
    same(square(3 + 1j), np.complex128(8 + 6j))
    assert square.ntypes == 3
    same(vectorize(lambda a, b: a - b).reduce(A[0]), np.subtract.reduce(A[0]))
    with pytest.raises(TypeError):
        scaled(1j, 2)


def test_signatures_are_tried_in_their_order():
    pick = vectorize(["bool_(float64, int64)", "float64(float64, float64)", "float32(float64, float32)"])(lambda a, b: a + b)
    wide, narrow = np.ones(3), np.ones(3, np.float32)
    compiled = njit(lambda a, b: pick(a, b))
    for b, kind in ((np.arange(3), np.bool_), (wide, np.float64), (narrow, np.float64)):
        for function in (pick, compiled):
            assert function(wide, b).dtype == kind
    narrow_first = vectorize(["float32(float32)", "float64(float64)"])(lambda a: a + 1)
    assert narrow_first(narrow).dtype == np.float32 and narrow_first(wide).dtype == np.float64


def test_exceptions_and_division():
    with pytest.raises(ValueError, match="too big"):
        bounded(np.arange(5.0))
    same(bounded(np.arange(2.0)), np.arange(2.0))
    inverse = vectorize(["float64(float64)"])(lambda x: 1 / x)
    with np.errstate(all="ignore"):
        same(inverse(np.array([0.0, 2.0])), np.array([np.inf, 0.5]))


def test_the_exception_of_the_first_of_several_loops_is_raised():
    @guvectorize("(n)->()")
    def first_item(x, out):
        if x[0] < 0:
            raise ValueError("negative", x[0])
        out[0] = x[0]

    # NumPy calls the loop twice here, and looks for exceptions afterwards.
    items = -np.arange(1.0, 17).reshape(2, 4, 2)
    with pytest.raises(ValueError) as info:
        first_item(items, axis=1, out=np.zeros((2, 2)))
    assert info.value.args == ("negative", -1.0)


def test_rows():
    same(shifted(A, 5), A + 5)
    same(shifted(A * 0.5, np.array([1.0, 2.0, 3.0])), A * 0.5 + [[1], [2], [3]])
    same(shifted(A[:, ::2], 1), A[:, ::2] + 1)
    a, x = np.arange(24.0).reshape(2, 3, 4), np.arange(4.0)
    same(product(a, x), a @ x)
    same(product(a.transpose(0, 2, 1), x[:3]), a.transpose(0, 2, 1) @ x[:3])
    assert product.signature == "(m,n),(n)->(m)"
    with pytest.raises(ValueError):
        product(a, x[:3])


def test_rows_without_types_and_without_results():
    @guvectorize("(n)->()")
    def total(x, result):
        result[0] = 0
        for value in x:
            result[0] += value

    out = np.zeros(3)
    total(A * 1.0, out)
    same(out, A.sum(axis=1) * 1.0)
    with pytest.raises(TypeError, match="a call names all 2 operands"):
        total(A)

    @guvectorize(["(float64[:], float64[:])"], "(n), (k)")
    def filled(x, y):
        y[:] = x[0]

    y = np.zeros((3, 2))
    filled(A * 1.0, y)
    same(y, np.repeat(A[:, :1] * 1.0, 2, axis=1))


def test_what_a_function_of_rows_changes_and_leaves():
    @guvectorize(["(float64[:], uint8[:])"], "(n)->(n)")
    def some(x, out):
        out[::2] = 1

    for kind in (np.uint8, np.int8, np.int64, np.float32):
        out = np.full((3, 4), 7, kind)
        some(A * 1.0, out)
        same(out, np.array([[1, 7, 1, 7]] * 3, kind))

    def double(x, y):
        x *= 2 * y[0]

    for writable in ((0,), ("x",)):
        doubled = guvectorize(["(float64[:], float64[:])"], "(n),()", writable_args=writable)(double)
        doubled = pickle.loads(pickle.dumps(doubled))
        for kind in (np.float64, np.float32):
            x = np.arange(4, dtype=kind)
            doubled(x, 3)
            same(x, np.arange(4, dtype=kind) * 6)
    for writable, wrong in (((2,), ValueError), ((-1,), ValueError), (("z",), RuntimeError)):
        with pytest.raises(wrong, match="writable_args names"):
            guvectorize(["(float64[:], float64[:])"], "(n),()", writable_args=writable)(double)
    with pytest.raises(TypeError, match="writable_args are not there for target='cuda'"):
        guvectorize(["(float64[:], float64[:])"], "(n),()", writable_args=(0,), target="cuda")


def test_misuse_is_told():
    with pytest.raises(TypeError, match="scalar type float64 given for non scalar argument #1"):
        guvectorize(["(float64, float64[:])"], "(n)->(n)")(lambda x, y: None)
    with pytest.raises(TypeError, match="cannot return values"):
        guvectorize(["int64(int64[:], int64[:])"], "(n)->(n)")(lambda x, y: None)
    with pytest.raises(ValueError, match="is not of the form"):
        guvectorize(["(int64[:], int64[:])"], "(n->(n)")(lambda x, y: None)
    with pytest.raises(TypeError, match="takes 1 arguments, and .* names 2"):
        vectorize(["int64(int64, int64)"])(lambda x: x)
    with pytest.raises(NotImplementedError, match="target='cuda'"):
        vectorize(["int64(int64)"], target="cuda")
    with pytest.raises(KeyError, match="Unrecognized options"):
        vectorize(["int64(int64)"], nonexistent=2)(lambda a: a)
    with pytest.raises(TypeError, match="Too few arguments for function '<lambda>'"):
        guvectorize("(n)->()")(lambda x, y: None)(A)
    with pytest.raises(TypeError, match="Too many arguments for function '<lambda>'"):
        guvectorize("(n)->()")(lambda x, y: None)(A, A, A)
    with pytest.raises(ValueError, match="identity"):
        vectorize(identity=7)(lambda a: a)


def test_in_compiled_code():
    @njit
    def use(a, b):
        return scaled(a, b)

    same(use(2, 3), 7)
    same(use(2.5, 3), 8.5)
    same(use(A * 0.5, A[0] * 1.0), A * 0.5 * A[0] + 1)
    same(use(A, 2), A * 2 + 1)
    with pytest.raises(errors.TypingError, match="has no loop for"):
        use(1j, 1)

    @njit
    def into(a, out):
        return square(a, out)

    out = np.zeros(4)
    into(A[1] * 1.0, out)
    same(out, A[1] ** 2 * 1.0)

    @njit
    def rows(a):
        return product(a, a[0])

    same(rows(A * 1.0), A * 1.0 @ A[0])


class Wrapped:
    """An array that has ways of its own with ufuncs, and sends them to another process first."""

    def __init__(self, array):
        self.array = array

    def __array_ufunc__(self, ufunc, method, *values, **keywords):
        values = [value.array if isinstance(value, Wrapped) else value for value in values]
        return Wrapped(getattr(pickle.loads(pickle.dumps(ufunc)), method)(*values, **keywords))


def test_arguments_with_ways_of_their_own():
    same(scaled(Wrapped(A), 2).array, A * 2 + 1)
    same(scaled(2, Wrapped(A)).array, A * 2 + 1)
    same(vectorize(lambda a: a + 1)(Wrapped(A)).array, A + 1)
    same(shifted(Wrapped(A), 5).array, A + 5)
    same(scaled.reduce(Wrapped(A[:, 0])).array, scaled.reduce(A[:, 0]))


def test_loops_added_one_by_one():
    built = Vectorize(lambda a, b: a + b)
    assert not built.add("int64(int64, int64)").objectmode
    assert built.build_ufunc() is built
    same(built(A, A), A + A)
    with pytest.raises(TypeError):
        built(A * 1j, A)
    rows = GUVectorize(lambda a, b: b.fill(a[0]), "(n)->(n)")
    rows.add("void(int64[:], int64[:])")
    same(rows.build_ufunc()(A), np.repeat(A[:, :1], 4, axis=1))


def test_pickling():
    dynamic = vectorize(lambda a: a + 1)
    dynamic(A)
    again = pickle.loads(pickle.dumps(dynamic))
    assert again.types == dynamic.types and again.is_dynamic
    again.disable_compile()
    same(again(A), A + 1)
    same(pickle.loads(pickle.dumps(scaled))(A, 2), A * 2 + 1)
    same(pickle.loads(pickle.dumps(product))(np.eye(3), np.arange(3.0)), np.arange(3.0))


def test_what_gets_no_new_loops_stays_as_it_is():
    add = vectorize(lambda x, y: x + y)
    assert not add._frozen
    add.disable_compile()
    with pytest.raises(ValueError, match="stays as it is"):
        add._frozen = False
    with pytest.raises(TypeError):
        add(np.arange(3), np.arange(3))


def test_loops_of_pickled_row_functions():
    @guvectorize("(n)->(n)")
    def double(x, out):
        out[:] = 2 * x

    double(np.arange(3.0), np.zeros(3))
    clone = pickle.loads(pickle.dumps(double))
    assert clone.gufunc_builder._sigs == double.gufunc_builder._sigs and len(clone.gufunc_builder._sigs) == 1
    assert clone.gufunc_builder.signature == "(n)->(n)"


def test_loops_are_added_as_libraries_add_them():
    add = vectorize(lambda a, b: a + b)
    add._compile_for_argtys((int64, int64))
    add._compile_for_argtys((float64, float64), float64)
    add._frozen = True
    assert add.types == ["ll->l", "dd->d"]
    with pytest.raises(TypeError):
        add(1j, 2j)
