"""`numpy.polynomial.Polynomial` in compiled code, against NumPy: equal bits, domains, windows and symbols."""
import numpy as np
import pytest
from numpy.polynomial import Polynomial
from rumba import errors, njit

from leaks import nothing_leaks  # noqa: F401  a fixture


def same(got, expected, tolerance=0):
    if isinstance(expected, (tuple, list)):
        assert len(got) == len(expected)
        for one, other in zip(got, expected):
            same(one, other, tolerance)
    elif isinstance(expected, Polynomial):
        assert type(got) is Polynomial and got.symbol == expected.symbol
        for name in ("coef", "domain", "window"):
            same(getattr(got, name), getattr(expected, name), tolerance)
    elif isinstance(expected, np.ndarray):
        assert got.dtype == expected.dtype and got.shape == expected.shape
        if tolerance:
            np.testing.assert_allclose(got, expected, rtol=tolerance, atol=tolerance)
        else:
            assert got.tobytes() == expected.tobytes()
    else:
        assert got == expected


def check(function, *args):
    same(njit(function)(*args), function(*args))


@pytest.mark.parametrize("coefficients", [
    np.array([1, 2, 3]), np.array([1.5]), np.array([1, 2j]), np.array([1, 2], np.float32), np.array([1, 2, 0, 0], np.int8),
    np.array([1.0, 2.0, 3.0])[::-1], np.array(2.0)])
def test_construction(coefficients):
    def make(c, domain, window):
        return (Polynomial(c), Polynomial(c, domain), Polynomial(c, domain, window), Polynomial(coef=c, window=window, symbol="t"))

    check(make, coefficients, np.array([0, 2]), np.array([-3.0, 0.5]))
    check(make, coefficients, (0, 2), [1.0, 2.0])


def test_construction_of_sequences_and_numbers():
    def make(n):
        return Polynomial([1, 2, n]), Polynomial((1.0, n)), Polynomial(n), Polynomial([n], [n, 2 * n])

    check(make, 3)


def test_attributes_and_evaluation():
    def look(p, x):
        return p.coef, p.domain, p.window, p.symbol, p.degree(), len(p), p.mapparms(), p(x), p(2), p(0.5)

    for p in (Polynomial([1, 2, 3]), Polynomial([1.0, -2.0], [0, 4], [1, 3]), Polynomial([1j, 2, 3], symbol="z")):
        check(look, p, np.linspace(-1, 5, 7))
        check(look, p, np.arange(6).reshape(2, 3))


def test_what_an_argument_holds_is_its_own():
    @njit
    def change(p):
        p.coef[0] = 7.0
        return p

    p = Polynomial([1.0, 2.0])
    assert change(p) is p and p.coef.tolist() == [7.0, 2.0]


PROGRAM = """
def program(p, q, x, n):
    r = {0}
    s = {1}
    return r, s, r(x), (r * s).degree(), r == s, r != s, p.coef, q.coef
"""
EXPRESSIONS = ["p + q", "p - q", "p * q", "-p", "+q", "p.deriv()", "q.deriv(n)", "p.integ()", "q.integ(n)", "p.integ(1, 2.5)",
               "q.integ(2, 1.5, 0.25)", "p + n", "n + p", "p - 1.5", "2 - q", "3 * p", "q * 0.5", "p.copy()", "p.truncate(n)", "q.cutdeg(n)",
               "Polynomial(p.coef * q(0.5), p.domain, p.window, p.symbol)", "p * p - q", "p.deriv() + q.integ()"]


def test_random_programs():
    random = np.random.default_rng(3)
    compiled = {}
    for _ in range(60):
        pair = tuple(EXPRESSIONS[at] for at in random.integers(0, len(EXPRESSIONS), 2))
        if pair not in compiled:
            space = {"Polynomial": Polynomial}
            exec(PROGRAM.format(*pair), space)
            compiled[pair] = space["program"], njit(space["program"])
        domain = [(-1, 1), (0, 3)][random.integers(2)]
        p, q = (Polynomial(np.round(random.normal(size=random.integers(1, 6)), 2), domain) for _ in range(2))
        plain, fast = compiled[pair]
        args = p, q, random.normal(size=4), int(random.integers(1, 4))
        # NumPy sums the products of coefficients by BLAS, so they may differ in their last bits.
        tolerance = 1e-12 if "*" in "".join(pair) else 0
        got, expected = fast(*args), plain(*args)
        same(got[:3] + got[6:], expected[:3] + expected[6:], tolerance)
        same(got[3], expected[3])


def test_errors_are_those_of_numpy():
    def constructed(c, domain):
        return Polynomial(c, domain)

    def added(p, q):
        return p + q

    def cut(p, size):
        return p.truncate(size)

    two = np.array([1.0, 2.0])
    for function, *args in (
            (constructed, np.empty(0), two), (constructed, two, np.ones(3)), (constructed, two, np.ones(1)),
            (added, Polynomial(two), Polynomial(two, [0, 1])), (added, Polynomial(two), Polynomial(two, window=[0, 1])),
            (added, Polynomial(two), Polynomial(two, symbol="y")), (cut, Polynomial(two), 0)):
        with pytest.raises(Exception) as expected:
            function(*args)
        with pytest.raises(type(expected.value)) as caught:
            njit(function)(*args)
        assert str(caught.value) == str(expected.value)
    with pytest.raises(errors.TypingError):
        njit(constructed)(np.ones((2, 2)), two)


def test_polynomials_are_held():
    def hold(n):
        made = [Polynomial([1.0, 1.0])]
        for _ in range(n):
            made.append(made[-1] * made[0])
        return made, {"last": made[-1]}

    (made, last), (expected, _) = njit(hold)(4), hold(4)
    same(made, expected)
    same(last["last"], expected[-1])


def test_hasattr_of_compiled_objects():
    from rumba import float64
    from rumba.numba.experimental import jitclass

    @jitclass([("x", float64)])
    class Point:
        def __init__(self, x):
            self.x = x

        def norm(self):
            return abs(self.x)

    @njit
    def known(point, p):
        return hasattr(point, "x"), hasattr(point, "norm"), hasattr(point, "y"), hasattr(p, "mapparms"), hasattr(1.5, "mapparms")

    assert known(Point(1.0), Polynomial([1.0])) == (True, True, False, True, False)

    # Fields of objects of Python may not be set.
    with pytest.raises(errors.TypingError):
        njit(lambda p: hasattr(p, "coef"))(Polynomial([1.0]))


def test_sequences_of_complex_numbers():
    def make(z):
        return Polynomial([1, z]), Polynomial((z, 2.0, 1))

    check(make, 2 + 1j)
