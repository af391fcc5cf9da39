"""`np.mgrid`, `ogrid`, `r_`, `c_`, `s_`; `piecewise`; promotion of dtypes; dates of constant text; stacks of matrices."""
import itertools

import numpy as np
import pytest
from leaks import nothing_leaks  # noqa: F401

from rumba import njit
from rumba.errors import TypingError



def check_all(function, cases):
    """Compares what is compiled with NumPy: types, shapes, dtypes, values."""
    compiled = njit(function)
    for args in cases:
        assert_same(compiled(*args), function(*args))


def check(function, *args):
    check_all(function, [args])


def assert_same(mine, other):
    if isinstance(other, tuple):
        assert isinstance(mine, tuple) and len(mine) == len(other)
        for one, expected in zip(mine, other):
            assert_same(one, expected)
    elif isinstance(other, np.ndarray):
        assert mine.dtype == other.dtype and mine.shape == other.shape and mine.tobytes() == other.tobytes()
    else:
        assert mine == other


ROW, COLUMNS = np.arange(5), np.arange(6.0).reshape(3, 2)


def test_grids():
    check_all(lambda n: np.mgrid[0:n, 1:3], [(2,), (0,)])
    check_all(lambda n, m: np.mgrid[n:m:2, m:n:-1, 0:2], [(1, 6), (3, 3)])
    check_all(lambda n: np.mgrid[1:n:3], [(9,), (-2,)])
    check_all(lambda n: np.ogrid[0:n, 1:8:2], [(3,), (0,)])
    check_all(lambda n: np.ogrid[:n], [(3,)])

    @njit
    def distance(n):
        y, x = np.mgrid[0:n, 0:n]
        return np.sqrt(x * x + y * y)
    assert distance(3)[2, 1] == 5 ** 0.5
    with pytest.raises(TypingError, match="numpy.mgrid takes slices of integers"):
        njit(lambda n: np.mgrid[n, 0:3])(2)


def test_concatenation_by_index():
    check_all(lambda a, n: np.r_[a, n, 7], [(ROW, 2), (ROW.astype(np.int16), 2), (ROW * 0.5, 2), (ROW[::2], 3)])
    check_all(lambda a, x: np.r_[0:4, a, x, True], [(ROW, 1.5), (ROW.astype(np.float32), 1.5), (ROW > 2, 2)])
    check_all(lambda a: (np.r_[a], np.r_[2:9:3], np.r_[1.5, 2]), [(ROW,)])
    check_all(lambda a, b: np.c_[a, b, a], [(ROW, ROW * 2.0), (ROW[::-1], ROW)])
    check_all(lambda a, b: np.c_[a, b], [(COLUMNS, np.arange(3)), (COLUMNS.T, np.arange(2.0))])
    check_all(lambda a: a[np.s_[1:3]], [(ROW,), (COLUMNS,)])
    check_all(lambda a: a[np.index_exp[1:3, 0]], [(COLUMNS,)])
    with pytest.raises(TypingError):
        njit(lambda a: np.r_["0,2", a])(ROW)


def test_piecewise():
    check_all(lambda x: np.piecewise(x, [x < 2, x >= 4], [-1, 1]), [(ROW,), (ROW * 0.5,), (COLUMNS,), (ROW[:0],)])
    check_all(lambda x: np.piecewise(x, (x < 2, x < 3), (-1.0, 5.0, 9.0)), [(ROW * 1.0,), (ROW,)])
    check_all(lambda x, k: np.piecewise(x, [x > k], [lambda v: v * 2, lambda v: -v]), [(ROW, 2), (COLUMNS, 99.0), (COLUMNS.T, -1)])
    check_all(lambda x: np.piecewise(x, x > 2, [10, 20]), [(ROW,)])
    with pytest.raises(ValueError, match="either 1 or 2 functions are expected"):
        njit(lambda x: np.piecewise(x, [x > 2], [1, 2, 3]))(ROW)


def test_promotion():
    check_all(lambda a, b: np.zeros(2, np.result_type(a, b)), [
        (ROW, COLUMNS), (ROW.astype(np.int8), 3), (ROW.astype(np.float32), 1.5), (ROW.astype(np.uint8), ROW.astype(np.int8)), (True, 2)])
    check(lambda a: np.zeros(2, np.promote_types(a.dtype, np.float32)), ROW.astype(np.int16))
    check(lambda a: np.zeros(2, np.promote_types("i4", "u4")), ROW)
    check_all(lambda a: (np.can_cast(a.dtype, np.float32), np.can_cast(np.int64, np.int8, "same_kind"), np.can_cast(a, a.dtype)), [
        (ROW,), (ROW.astype(np.int16),)])


def test_kinds_of_dtypes():
    def floating(a):
        return np.issubdtype(a.dtype, np.floating), np.issubdtype(a.dtype, np.signedinteger), np.issubdtype(a.dtype, float)

    def named(a):
        return np.issubdtype("i4", np.integer), np.issubdtype(np.float64, np.float32), np.issubdtype(np.bool_, np.number)

    def branch(a):
        return a + a if np.issubdtype(a.dtype, np.integer) else a * 0.5

    for function in (floating, named, branch):
        check_all(function, [(ROW,), (ROW * 0.5,), (ROW.astype(np.uint8),)])
    check_all(lambda a: np.issubdtype(a.dtype, np.integer), [(ROW.astype("m8[s]"),), (ROW * 1j,), (np.array(["ab"]),)])


def test_names_of_the_array_api():
    check_all(lambda a: np.astype(a, np.float32), [(ROW,)])
    check_all(lambda a, b: np.linalg.cross(a, b), [(np.arange(3.0), np.ones(3)), (np.arange(6).reshape(2, 3), np.ones((2, 3)))])
    check_all(lambda a, b: np.linalg.vecdot(a, b), [(np.arange(3.0), np.ones(3)), (np.arange(6).reshape(2, 3), np.ones(3))])
    with pytest.raises(ValueError, match="3-dimensional vectors, but they are 2 and 2"):
        njit(lambda a: np.linalg.cross(a, a))(np.ones(2))


def test_dates_of_constant_text():
    check(lambda: np.datetime64("2020-02-29"))
    check(lambda: np.datetime64("2020-02-29T12:30", "s"))
    check_all(lambda d: (d > np.datetime64("2020-01-01"), d - np.datetime64("2020-01-01")), [
        (np.datetime64("2021-05-01"),), (np.datetime64("1999-12-31T23:59:59"),)])
    with pytest.raises(ValueError, match="Error parsing datetime string"):
        njit(lambda: np.datetime64("not a date"))()
    with pytest.raises(TypingError, match="must be constants"):
        njit(lambda text: np.datetime64(text))("2020-01-01")


def test_stacks_of_matrices():
    rng = np.random.default_rng(5)
    a, b, vector = rng.random((2, 3, 4, 4)) + 4 * np.eye(4), rng.random((3, 4, 2)), rng.random(4)

    @njit
    def results(a, b, vector):
        return np.linalg.inv(a), np.linalg.det(a), np.linalg.solve(a, b), np.linalg.solve(a, vector), np.linalg.solve(a[0, 0], b)
    expected = results.py_func(a, b, vector)
    for given in ((a, b, vector), (np.asfortranarray(a), b[::1], vector)):
        for mine, other in zip(results(*given), expected):
            assert mine.shape == other.shape and mine.dtype == other.dtype
            # The factorization is LAPACK's, sums may have another order.
            np.testing.assert_allclose(mine, other, rtol=1e-13, atol=1e-14)
    check(lambda a, b: (np.linalg.inv(a), np.linalg.det(a), np.linalg.solve(a, b)), a[:0], b[:1])
    with pytest.raises(np.linalg.LinAlgError, match="Singular matrix"):
        njit(lambda a: np.linalg.inv(a))(np.zeros((2, 3, 3)))


def test_shifts_and_ends_known_at_run_time():
    check_all(lambda a, shift: np.roll(a, shift), [(ROW, True), (ROW, np.bool_(False)), (ROW, -2)])
    check_all(lambda a, ends: np.trim_zeros(a, ends), [(np.array([0.0, 1, 0, 0]), ends) for ends in ("f", "B", "fb")])


@pytest.mark.parametrize("names", list(itertools.product(["f4", "f8", "i8", "c16", "b1"], repeat=2)))
def test_promotion_of_named_dtypes(names):
    first, second = map(np.dtype, names)

    def promoted():
        return np.zeros(1, np.promote_types(first, second)).dtype.itemsize, np.can_cast(first, second), np.can_cast(first, second, "unsafe")

    assert njit(promoted)() == promoted()


def test_kinds_of_dtypes():
    kinds = ["bool", "signed integer", "unsigned integer", "integral", "real floating", "complex floating", "numeric"]
    for name in ("b1", "i2", "u8", "f4", "f8", "c8"):
        dtype = np.dtype(name)
        for kind in (*kinds, np.float64, ("integral", np.float64), ("bool", "complex floating")):
            space = {"np": np, "dtype": dtype}
            text = repr(kind) if not isinstance(kind, type) else "np.float64"
            exec(f"def ask():\n    return np.isdtype(dtype, {text.replace(repr(np.float64), 'np.float64')})", space)
            assert njit(space["ask"])() == space["ask"]()

    @njit
    def unknown():
        return np.isdtype(np.int8, "text")

    with pytest.raises(Exception, match="kind is a dtype"):
        unknown()


def test_common_type():
    @njit
    def common(a, b):
        return np.zeros(1, np.common_type(a, b)).dtype.itemsize, np.zeros(1, np.common_type(a)).dtype.itemsize

    for first, second in itertools.product(["i2", "f4", "f8", "c8", "c16"], repeat=2):
        a, b = np.ones(2, first), np.ones((2, 2), second)
        assert common(a, b) == common.py_func(a, b)


def test_matrices_are_transposed():
    @njit
    def turned(a):
        return a.mT, (a.mT + 1).sum(), a.mT.mT

    for a in (np.arange(6.0).reshape(2, 3), np.arange(24).reshape(2, 3, 4), np.arange(24).reshape(2, 3, 4).T[:, ::-1],
              np.arange(48).reshape(2, 2, 3, 4)):
        for got, expected in zip(turned(a), turned.py_func(a)):
            np.testing.assert_array_equal(got, expected)


def test_text_in_a_base():
    @njit
    def shown(number, base, padding):
        return np.base_repr(number, base, padding), np.base_repr(number), np.base_repr(number, base=16)

    random = np.random.default_rng(5)
    numbers = [0, 1, -1, 2**63 - 1, -2**63, *map(int, random.integers(-2**63, 2**63 - 1, 40)), *map(int, random.integers(-40, 40, 40))]
    for number in numbers:
        args = number, int(random.integers(2, 37)), int(random.integers(0, 4))
        assert shown(*args) == shown.py_func(*args)
    for base in (1, 37):
        with pytest.raises(ValueError, match="not handled in base_repr"):
            shown(3, base, 0)
