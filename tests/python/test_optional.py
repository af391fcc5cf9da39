"""Values that may be None, in operators and calls: None raises TypeError, as in Python."""
import math
import operator

import numpy as np
import pytest
from rumba import errors, njit
from support import define, outcome

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


KINDS = {
    "text": ["''", "'ab'"], "list": ["[n for n in [1] if n > 9]", "[1]"], "dict": ["{k: 1 for k in [1] if k > 9}", "{1: 2}"],
    "set": ["{k for k in [1] if k > 9}", "{1}"], "bytes": ["b'ab'"], "tuple": ["(1, 2)", "()"], "range": ["range(0)", "range(2)"],
    "float": ["0.0", "1.5"], "span": ["np.timedelta64(0, 's')", "np.timedelta64(2, 's')"], "array": ["np.array([0])", "np.ones((1, 1))"],
}


@pytest.mark.parametrize("value", [value for values in KINDS.values() for value in values])
@pytest.mark.parametrize("asked", ["not p", "bool(p)", "1 if p else 2", "1 if p and n else 2", "1 if p or n else 2", "operator.not_(p)"])
def test_truth_of_what_may_be_none(value, asked):
    plain = define(f"def f(n):\n    p = None\n    if n > 0:\n        p = {value}\n    return {asked}", np=np, operator=operator)
    compiled = njit(plain)
    for n in (0, 1):
        assert compiled(n) == plain(n) and type(compiled(n)) is type(plain(n))


def test_nothing_has_no_length_either():
    # At this level nothing removes a division by the step that is not there.
    @njit(_opt_level=0)
    def f(n):
        p, q = None, None
        if n > 0:
            p, q = range(n), range(n)
        return bool(p), p == q, not p

    assert f(0) == (False, True, True) and f(2) == (True, True, False)


@pytest.mark.parametrize("value, other", [
    ("'ab'", "'ab'"), ("'ab'", "'b'"), ("'ab'", "1"), ("(1, 'ab')", "(1, 'ab')"), ("(1, 2)", "(1, 3)"),
    ("[1, 2]", "[1, 2]"), ("[1, 2]", "[2]"), ("{1}", "{1}"), ("{1: 2}", "{1: 2}"), ("b'ab'", "b'ab'"), ("(1.5, None)", "(1.5, None)"),
])
@pytest.mark.parametrize("operation", ["p == q", "p != q", "q == p", "q != p", "p == p", "p != p"])
def test_equality_of_what_may_be_none(value, other, operation):
    plain = define(f"def f(n):\n    p = None\n    if n > 0:\n        p = {value}\n    q = {other}\n    return {operation}")
    compiled = njit(plain)
    for n in (0, 1):
        assert compiled(n) is plain(n)


@pytest.mark.parametrize("value, other, operations", [
    ("'ab'", "'b'", "+ < <= > >="), ("(1, 2)", "(1, 3)", "+ < <= > >="), ("[1, 2]", "[2]", "+ < <= > >="),
    ("{1, 2}", "{2}", "- & | ^ < <= > >="),
])
def test_operators_on_containers_that_may_be_none(value, other, operations):
    for operation in operations.split():
        for order in ("p {} q", "q {} p", "p {} p"):
            asked = order.format(operation)
            plain = define(f"def f(n):\n    p = None\n    if n > 0:\n        p = {value}\n    q = {other}\n    return {asked}")
            compiled = njit(plain)
            assert compiled(1) == plain(1)
            with pytest.raises(TypeError):
                plain(0)
            with pytest.raises(TypeError, match="got None"):
                compiled(0)


@pytest.mark.parametrize("operation", ["a == 1", "1 != a", "a < 1", "a + 1", "2 * a", "a / a", "-a", "a @ a", "a == a", "a[0]", "a ** 2"])
def test_operators_on_arrays_that_may_be_none(operation):
    plain = define(f"def f(n):\n    a = None\n    if n > 0:\n        a = np.arange(1.0, 4.0)\n    return {operation}", np=np)
    compiled = njit(plain)
    np.testing.assert_array_equal(compiled(1), plain(1))
    with pytest.raises(TypeError, match="got None"):
        compiled(0)


def test_arrays_that_may_be_none_are_looked_for():
    def in_a_list(n, a, b):
        x = a if n else None
        return x in [a, b]

    def among_such(n, a, b):
        x = a if n else None
        y = b if n > 1 else None
        return x in [y, b, a]

    def in_a_tuple(n, a, b):
        x = a if n else None
        return x in (a, b)

    def counted(n, a, b):
        x = a if n else None
        return [a, b].count(x)

    def in_tuples(n, a, b):
        x = a if n else None
        pair = b if n > 1 else None, 1
        # Python 3.12 would put a shorter end of the function behind each branch, where one item is known to be None.
        is_same = (x, 1) == pair
        return bool(is_same)

    def outcome(function, *args):
        try:
            return function(*args)
        except ValueError as error:
            return str(error)

    several = [np.array([1, 2]), np.array([3]), np.zeros(0, int), np.array([1, 2])]
    for function in (in_a_list, among_such, in_a_tuple, counted, in_tuples):
        compiled = njit(function)
        for n in range(3):
            for a in several:
                for b in several:
                    assert outcome(compiled, n, a, b) == outcome(function, n, a, b), (function, n, a, b)


def test_round_to_digits_that_may_be_none():
    def rounded(a, x, n):
        digits = a if a else None
        return round(x, digits), round(n, digits)

    for a in range(3):
        assert njit(rounded)(a, 1.256, 15) == rounded(a, 1.256, 15)
    with pytest.raises(ValueError, match="NaN"):
        njit(rounded)(0, math.nan, 1)


def test_what_is_not_in_a_list():
    @njit
    def f(items, x, present):
        return items.index(x if present else None)

    assert f([1, 2], 2, True) == 1
    for args in ([1, 2], 3, True), ([1, 2], 1, False):
        with pytest.raises(ValueError) as expected:
            f.py_func(*args)
        with pytest.raises(ValueError) as found:
            f(*args)
        assert found.value.args == expected.value.args


def test_what_a_loop_makes_in_its_first_round_is_changed_in_the_next():
    def of_an_array(n):
        points = None
        for step in range(2):
            if step == 1:
                points[0] = n
                points[1:] += 2
                n = points.sum()
            if step == 0:
                points = np.ones(3)
        return points, n

    def of_a_dict(n):
        known = None
        for step in range(2):
            if step == 1:
                known["a"] = n
                del known["b"]
            if step == 0:
                known = {"b": 4}
        return len(known), known["a"]

    def never_made(n):
        points = None
        for step in range(2):
            if step == 1:
                points[0] = n
        return points

    (found, total), (wanted, expected) = njit(of_an_array)(5.0), of_an_array(5.0)
    assert found.tolist() == wanted.tolist() and total == expected
    assert njit(of_a_dict)(3) == of_a_dict(3)
    with pytest.raises(errors.UnsupportedError, match="assignment to an item"):
        njit(never_made)(1)


def test_none_goes_into_what_was_sorted_out_of_a_set():
    """A set that holds None is not supported, so the list is a copy. Compilation used to go on for ever."""
    @njit
    def f(p, q):
        v = sorted({p, 2})
        v.append(None if q else p)
        return v

    assert f(4, 0) == [2, 4, 4]
    assert f(4, 1) == [2, 4, None]


def deletes(n):
    items = ([n, 2] if n else None) or [3]
    if items:
        del items[0]
    return items


def replaces(n):
    items = ({n: 2} if n else None) or {3: 4}
    if items:
        items[5] = n
        del items[5]
    return sorted(items)


@pytest.mark.parametrize("function", [deletes, replaces])
def test_operators_of_what_is_tested_again(function):
    for n in (0, 1):
        assert outcome(njit(function), n) == outcome(function, n)


LIBRARY_CALLS = ["np.trace({})", "np.sort({})", "np.cumsum({})", "np.flip({})", "np.linalg.norm({})", "np.median({})", "np.unique({})", "len({})"]


@pytest.mark.parametrize("call", LIBRARY_CALLS)
def test_functions_take_what_may_be_none(call):
    space = {"np": np}
    exec(f"def function(a, there):\n    x = None\n    if there:\n        x = a\n    return {call.format('x')}", space)
    compiled = njit(space["function"])
    a = np.array([[3.0, 1.0], [2.0, 5.0]])
    np.testing.assert_array_equal(compiled(a, True), space["function"](a, True))
    with pytest.raises((TypeError, ValueError)):
        compiled(a, False)
