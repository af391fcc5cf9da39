"""Values that may be None, in operators and calls: None raises TypeError, as in Python."""
import math
import operator

import pytest
from rumba import njit
from support import define

MAYBE = """
def f(n, b):
    x = None
    if n > 0:
        x = n
    return {}
"""

EXPRESSIONS = ["x + b", "b - x", "x * x", "x / b", "x // b", "x % b", "x ** 2", "x << 1", "x & b", "-x", "+x", "~x",
               "x < b", "b <= x", "x > x", "x >= b", "abs(x)", "math.sqrt(x)", "(1, 2, 3)[x - 1]",
               "operator.lt(x, b)", "divmod(x, b)", "range(x)[0]", "len(range(x))", "x in (1, 2)", "float(x)", "int(x)",
               "round(x / 2, 1)", "min(x, b)", "pow(x, b)", "math.floor(x)", "complex(x, b)"]


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_operators(expression):
    plain = define(MAYBE.format(expression), math=math, operator=operator)
    compiled = njit(plain)
    for n in (1, 2):
        assert compiled(n, 3) == plain(n, 3) and type(compiled(n, 3)) is type(plain(n, 3))
    if " in (" in expression:
        assert compiled(0, 3) is plain(0, 3) is False
        return
    with pytest.raises(TypeError):
        plain(0, 3)
    with pytest.raises(TypeError, match="expected int64, got None"):
        compiled(0, 3)


@pytest.mark.parametrize("expression", ["x == b", "x != b", "b == x", "x == x", "x is None", "x is not None", "bool(x)",
                                        "not x", "x if x else b", "x == None", "x or b", "x and b"])
def test_what_holds_of_none_too(expression):
    plain = define(MAYBE.format(expression))
    compiled = njit(plain)
    for n in (0, 1, 3):
        assert compiled(n, 3) == plain(n, 3) and type(compiled(n, 3)) is type(plain(n, 3))


def test_a_recursion_that_may_give_none():
    @njit
    def smaller(x):
        if x > 5:
            return x - 1
        else:
            return

    @njit
    def product(x):
        out = smaller(x)
        if out is None:
            return out
        elif out < 8:
            return out
        else:
            return x * product(out)

    def plain(x):
        out = smaller.py_func(x)
        return out if out is None or out < 8 else x * plain(out)

    for x in (0, 5, 7, 8, 10, 15):
        assert product(x) == plain(x)
