"""Ufuncs of users in array expressions: each call is a node of the expression, so that there is one loop and one new array.

Absent: ufuncs by themselves (test_vectorize, test_ufuncs), array expressions of NumPy's functions (test_expressions).
"""
import itertools

import numpy as np
import pytest
from leaks import nothing_leaks  # noqa: F401  the fixture

from rumba import njit, vectorize
from rumba.nrt_stats import rtsys


@vectorize(["float32(float32)", "float64(float64)"])
def square_plus(x):
    return x * x + 1


@vectorize(["float32(float32, float32)", "float64(float64, float64)"])
def mixed(x, y):
    return x * y - x


@vectorize(["int64(float64)"])
def cut(x):
    return x * 2.5


@vectorize
def failing(x):
    if x == 3:
        raise ValueError("three", x)
    return x + 1


EXPRESSIONS = {
    "beside an operator": lambda a, b: square_plus(a) + b * 2,
    "inside a function": lambda a, b: np.sqrt(np.abs(mixed(a, b) + b * 2)),
    "of an expression": lambda a, b: mixed(a + b, a - 1) * 2,
    "of itself": lambda a, b: mixed(mixed(a, b), mixed(b, a)),
    "of numbers and arrays": lambda a, b: mixed(a, 2) + mixed(3, b) + a,
    "with a narrower result": lambda a, b: cut(a) + b,
    "several results": lambda a, b: (square_plus(a) + b, square_plus(a) * b),
    "in place": lambda a, b: _in_place(a, b),
    "into a part": lambda a, b: _into_a_part(a, b),
}


def _in_place(a, b):
    c = a.copy()
    c += square_plus(b) * 2
    return c


def _into_a_part(a, b):
    c = np.zeros_like(a)
    c[:] = square_plus(b) + a
    return c


@pytest.mark.parametrize("name", EXPRESSIONS)
@pytest.mark.parametrize("dtypes", list(itertools.product(("f8", "f4", "i4"), repeat=2)))
def test_values_and_dtypes(name, dtypes):
    expression = EXPRESSIONS[name]
    scope = {**expression.__globals__, "_in_place": njit(_in_place), "_into_a_part": njit(_into_a_part)}
    compiled = njit(type(expression)(expression.__code__, scope))
    for shape in ((7,), (3, 4), (0,), (2, 1, 3)):
        a = (np.arange(np.prod(shape)).reshape(shape) - 3).astype(dtypes[0])
        b = (np.arange(np.prod(shape)).reshape(shape) * 2 + 1).astype(dtypes[1])
        if name in ("in place", "into a part") and dtypes[0] == "i4":
            continue
        wanted, got = expression(a, b), compiled(a, b)
        for one, other in zip(*((pair if isinstance(pair, tuple) else (pair,)) for pair in (wanted, got))):
            np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("name", [
    "beside an operator", "inside a function", "of an expression", "of itself", "of numbers and arrays", "with a narrower result"])
def test_one_new_array(name):
    compiled = njit(EXPRESSIONS[name])
    a, b = np.arange(100.0), np.arange(100.0) + 1
    compiled(a, b)
    before = rtsys.get_allocation_stats().mi_alloc
    result = compiled(a, b)
    assert rtsys.get_allocation_stats().mi_alloc - before == 1
    np.testing.assert_array_equal(result, EXPRESSIONS[name](a, b))


def test_broadcasting_and_orders():
    def f(a, b):
        return mixed(a, b) + square_plus(b)

    compiled = njit(f)
    a, b = np.arange(12.0).reshape(3, 4), np.arange(4.0)
    for one, other in ((a, b), (b, a), (a[:, :1], b), (a.T, a[:, 0]), (np.asfortranarray(a), a), (a[::-1, ::2], a[:, 1::2])):
        np.testing.assert_array_equal(compiled(one, other), f(one, other))
    with pytest.raises(ValueError, match="shape"):
        compiled(a, np.arange(3.0))


def test_what_an_element_raises_leaves_nothing():
    compiled = njit(lambda a: failing(a) * 2 + a)
    np.testing.assert_array_equal(compiled(np.arange(3)), [2, 5, 8])
    for _ in range(3):
        with pytest.raises(ValueError) as raised:
            compiled(np.arange(10))
        assert raised.value.args == ("three", 3)


def test_loops_on_several_threads():
    def f(a, b):
        return mixed(a, b) + np.sin(b) * 2

    a, b = np.arange(50_000.0), np.arange(50_000.0) / 7
    np.testing.assert_array_equal(njit(f, parallel=True)(a, b), njit(f)(a, b))


def test_a_ufunc_that_gets_loops_with_calls():
    @vectorize
    def plus(x, y):
        return x + y

    compiled = njit(lambda a, b: plus(a, b) * 2)
    assert compiled(np.arange(3), np.arange(3)).dtype == np.int64
    assert compiled(np.arange(3.0), np.arange(3)).dtype == np.float64
    assert compiled(np.arange(3, dtype=np.int8), np.arange(3)).dtype == np.int64


def test_the_rewrite_of_array_expressions_sees_it():
    from rumba.numba.core.rewrites import register_rewrite, rewrite_registry, Rewrite

    seen = []

    class Looks(Rewrite):
        def match(self, func_ir, block, typemap, calltypes):
            seen.extend(expr.expr for expr in block.find_exprs("arrayexpr"))
            return False

        def apply(self):
            raise AssertionError

    register_rewrite("after-inference")(Looks)
    try:
        njit(lambda a, b: square_plus(a) + b)(np.arange(3.0), np.arange(3.0))
    finally:
        rewrite_registry.rewrites["after-inference"].remove(Looks)
    assert seen and seen[0][1][0][0] is square_plus
