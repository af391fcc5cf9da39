"""Short functions whose answers were once wrong, or came from the wrong memory: value or exception beside CPython and NumPy."""
import copy
import heapq
import math
import random
from collections import namedtuple

import numpy as np
import pytest

from rumba import njit

Point = namedtuple("Point", "x y")
RECORDS = np.array([(1, 2), (1, 2), (3, 4)], dtype=[("a", "i8"), ("b", "i8")])
FAR = np.timedelta64(2**62, "s"), np.timedelta64(13, "ns")
FOUR = np.arange(4)

# What may be None: the parameters are whether it is not, and what it is then.
MAYBE = "a = x if c else None"
EITHER = [(True, 1), (False, 1)]

# The names of a function's parameters, the lines of its body, and the arguments of calls.
SAME = [
    # Constant strings in the tuples that iterators go through.
    ("", "sum(n for w, n in {'a': 1, 'b': 2}.items())", [()]),
    ("", "list(enumerate([('a',)]))", [()]),
    ("", "','.join(w for w, n in [('ab', 1), ('c', 2)])", [()]),
    ("", "[100, sum(y for x, y in (('a', 1), ('b', 2)))]", [()]),
    # Inner containers that are changed and leave.
    ("p", ["p[1].append(4)", "p[1] = p[0]", "p"], [([[1], [2, 3]],)]),
    ("p", ["p[1].append(4)", "p[:] = [[7]]", "p"], [([[1], [2, 3]],)]),
    ("p", ["p[1].append(4)", "del p[1]", "p"], [([[1], [2, 3]],)]),
    ("p", ["p[0].add(4)", "p[0] = p[1]", "p"], [([{1}, {2}],)]),
    # Array expressions and what is done to them in place.
    ("a, b", ["t = a + b", "t -= b", "t"], [(FOUR, FOUR)]),
    # Containers of one type and of none.
    ("k", "{1: [2]}.get(k, [])", [(1,), (3,)]),
    ("k", ["d = {1: [2]}", "d.pop(k, [])"], [(1,), (3,)]),
    ("n", "{0: [1], 1: [], 2: [0]}[n]", [(1,), (0,)]),
    ("n", "[[1], [], [0]][n]", [(1,), (0,)]),
    ("i", ["l = [[1, 2]]", "l.append([i, 3])", "l"], [(1,)]),
    ("x, y", ["h = [x]", "heapq.heappush(h, y)", "h"], [(2.0, 1.0)]),
    ("", "[3, 2] + sorted([3, 5])", [()]),
    ("", ["def change(items):", "    items.remove(1)", "a = sorted((3, 1, 2))", "change(a)", "a"], [()]),
    ("", ["def change(items):", "    items[0] = 7", "a = sorted((3, 1, 2))", "change(a)", "a"], [()]),
    # Keys of bytes.
    ("k", "{b'a': 1, b'bcd': 2}[k]", [(b"a",), (b"bcd",), (b"bc",), (b"a\0",)]),
    ("k", "k in {b'a': 1}, {b'a': 1}.get(k), {b'a': 1}.get(b'abc', 3), k in {b'a', b'bc'}", [(b"a",), (b"bcd",), (b"",)]),
    ("k", "{(b'a', 1): 2}[(k, 1)]", [(b"a",), (b"ab",)]),
    ("k", ["d = {k: 1 for k in (b'a', b'bcd')}", "d[b'efghi'] = 2", "d[k], len(d)"], [(b"bcd",), (b"b",)]),
    # Arrays.
    ("", "np.arange(4)[np.zeros(0, np.bool_)]", [()]),
    ("a, b", "a * b", [(np.array([1.1 + 2.3j, 3.7 - 1j, 1e200 + 1e200j]), np.array([0.3 + 0.7j, 1e-5 + 3j, 1e200 - 1j]))]),
    ("a, b", "a / b", [(np.array([1.1 + 2.3j, 3.7 - 1j, 1e200 + 1e200j]), np.array([0.3 + 0.7j, 1e-5 + 3j, 1e200 - 1j]))]),
    ("a, b", "np.lcm(a, b)", [(np.array([2**62, 2**63 - 1]), np.array([3, 2]))]),
    ("x", "np.conj(x)", [(np.array([True, False]),)]),
    ("x", "np.reciprocal(x)", [(np.array([True]),), (np.array([2, 3]),)]),
    ("x", "np.bool_(x)", [(np.array([0, 2, 3]),), (np.array([1]),), ([1, 0],), ((1, 0),)]),
    ("x", "bool(x)", [(np.array([0, 2, 3]),), (np.array([1]),), ([0],), ([],), ((0,),)]),
    ("z", "1 if z else 0", [(np.array(3),), (np.array(0.0),)]),
    ("z", "int(z)", [(np.array(3),), (np.array(2.5),)]),
    ("a, b", "max(a, b)", [(FOUR, FOUR + 1)]),
    ("x, y", "(x,) < (y,)", [(FOUR, FOUR + 1)]),
    ("x, y", "(x,) == (y,)", [(FOUR, FOUR + 1), (FOUR, FOUR)]),
    ("x, y", "y in (x, y)", [(FOUR, FOUR + 1)]),
    ("a", "a == 1", [(FOUR,), (None,)]),
    ("", "np.linalg.norm(np.zeros((0, 0)), 1)", [()]),
    ("r", "r[['b', 'a']]", [(np.array([(1, 2)], dtype=[("a", "i4"), ("b", "f8")]),)]),
    ("r", ["r[0] = (7, 8)", "r"], [(RECORDS,)]),
    ("r", "r[0] == r[1], r[0] == r[2], r[0] != r[2]", [(RECORDS,)]),
    # Numbers.
    # What is known of a size says nothing of the sign.
    ("x", "(x if abs(x) > 0.0 else 0.0) < 0.0, (x if 0.0 <= abs(x) else 1.0) < 0.0, (x if 0.0 < abs(x) else 0.0) > 0.0",
     [(-2.5,), (2.5,), (0.0,), (-0.0,), (math.nan,), (-math.inf,)]),
    ("x", "round(x, -1)", [(2**63 - 8,), (15,), (25,), (-25,)]),
    ("x, n", "round(x, n)", [(25, -1), (12345, -25), (5 * 10**18, -19), (2**63 - 1, -18)]),
    ("x, y", "math.lcm(x, y)", [(4, 6), (-(2**62), 1)]),
    ("", "complex('1+2j')", [()]),
    ("x", "str(x)", [(Point(1, 2.0),), (Point(1, "a"),)]),
    # Points and spans of time whose units are far apart.
    ("a, b", "a < b, a == b", [FAR]),
    ("a, b", "a + b", [FAR]),
    ("a, b", "a == b", [(np.datetime64(2**62, "s"), np.datetime64(3, "ns"))]),
    # What may be None.
    ("c, x", [MAYBE, "type(a) is int, type(a) is type(None), type(a) is not int, type(a) is float"], EITHER),
    ("a, b", "type(a) is list, type(a) is tuple, type(b) is np.ndarray, type({a[0]}) is set, type(a[:1]) == list, type(slice(1)) is slice",
     [([1, 2], np.ones(2))]),
    ("a, b", "type(a).__name__, a[0].__class__.__name__, (1, 2).__class__ is tuple, type('').__qualname__, int.__name__, type(a)((3, 4))",
     [([1, 2], np.ones(2))]),
    ("c, x", [MAYBE, "type(a) == int, type(a) == type(None), type(None) != type(a), type(a) == type(x), type(a) == float"], EITHER),
    ("c, x", [MAYBE, "1 if a else 0", ], EITHER),
    ("c, x", [MAYBE, "(a,) == (1,), a in (1, 2), a in [1, 2], a == None, a is None, not a"], EITHER),
    ("c, x", [MAYBE, "round(x, a)"], EITHER),
    ("c", ["p = [1] if c else None", "not p"], [(True,), (False,)]),
    ("c", ["p = 'x' if c else None", "1 if p else 0"], [(True,), (False,)]),
    ("c, x", ["a = [x if c else None]", "b = [x]", "a if c else b"], EITHER),
    ("c, x", ["a = [3, x] if c else None", "a.extend(a)", "a.remove(3)", "a.index(x), a.count(3), a.copy()"], EITHER),
    ("c, x", ["a = [3, x] if c else None", "a.reverse()", "list(reversed(a))"], EITHER),
    ("c, x", ["a = [x, 3] if c else None", "a.sort(key=lambda item: x - item)", "a"], [(True, 1)]),
    ("c, x", ["a = {x: 2} if c else None", "list(dict(a).items())"], [(True, 1)]),
    ("c, x", ["a = {x: 2} if c else None", "list({**a, x: 3}.items())"], [(True, 1)]),
    ("c, x", ["a = {x: 2} if c else None", "a.pop(x)"], EITHER),
    ("c, x", ["a = {x: 2} if c else None", "b = {5: 6}", "b.update(a)", "list(b.items())"], [(True, 1)]),
    ("c, x", ["a = {(x, 'k'): 2} if c else None", "b = {(5, 'j'): 6}", "b.update(a)", "list(b.items())"], [(True, 1)]),
    ("c, x", ["a = {} if c else None", "a == {'k': x}, a in [{'k': x}]"], EITHER),
    ("c, x", ["a = {x, 2} if c else None", "a.discard(x)", "a.union({5})"], EITHER),
    ("c, x", ["a = (x, 2) if c else None", "tuple(a)"], [(True, 1)]),
    ("c, x", ["a = 'ab' if c else None", "','.join([a, 'c'])"], EITHER),
    ("c", ["a = FOUR if c else None", "np.any(a < 2)"], [(True,)]),
    ("c", ["a = 2 if c else None", "FOUR == a, a == FOUR, FOUR != a, a != FOUR"], [(True,), (False,)]),
    # Keys that stand twice, and dicts in tuples that are indexed by what is known late.
    ("", "[{1: ({'b': None, 'b': 'c'}['b'],)}[1]]", [()]),
    ("c", ["a = (None, ({'x': 0}, 5))[c]", "a[0]['x'] if a is not None else -1"], [(True,), (False,)]),
    # Parameters of distributions are looked at, even where nothing is drawn.
    ("", "np.random.normal(0, -1, 0)", [()]),
    ("", "np.random.gamma(-1, 1, 0)", [()]),
    ("", "np.random.poisson(-1, 0)", [()]),
    ("", "np.random.hypergeometric(-1, 1, 1, 0)", [()]),
    ("", "random.lognormvariate(1e10, 1.5)", [()]),
    # Iterators that are kept while others are made at their place.
    ("", ["r = []", "p = iter(range(1))", "for i in range(4):", "    c = iter(range(i * 10, i * 10 + 3))", "    r.append(next(c))",
          "    r.append(next(p, -5))", "    p = c", "r"], [()]),
    ("", "list(reversed([]))", [()]),
    ("", "sum(len([i for i in range(j)]) for j in range(4))", [()]),
    ("a", ["try:", "    b = [6 // x for x in a]", "except ZeroDivisionError:", "    b = [-1]", "b"], [([1, 2],), ([0],)]),
    ("", "sorted([3.0, math.nan, 1.0, 2.0], reverse=True)", [()]),
    ("i", "b'ab'[i]", [(5,), (1,)]),
    ("x, a, b", "x in (a, b)", [([1], [1], [2]), ([1], [2], [3])]),
]

# Items of a list that may be None are changed; where it is None the exception has words of its own.
CHANGED = ["a[1:] = [x, 9]", "del a[0]", "del a[1:]", "a[0] = 7"]

# What compiled code says no to, where Python does something that it has no type for.
OTHERWISE = [
    ("x, y", "math.lcm(x, y)", (2**62, 3), "OverflowError"),
    ("x", "round(x, -1)", (2**63 - 1,), "OverflowError"),
    ("a, b", "sorted([a, b])", FAR, "OverflowError"),
    ("x", "list(range(x))", (2.7,), "TypeError"),
    ("x", "list(range(x))", (2j,), "TypingError"),
    ("a, b", "np.equal(a, b)", (np.datetime64(1, "s"), np.timedelta64(1, "s")), "TypingError"),
]


def made(params, lines):
    """The function: its last line is what it returns."""
    *before, last = [lines] if isinstance(lines, str) else lines
    space = {"FOUR": FOUR, "np": np, "math": math, "heapq": heapq, "random": random}
    exec("\n    ".join([f"def f({params}):", *before, f"return {last}"]), space)
    return space["f"]


def shown(value):
    """The value with its type. Compiled code has no scalars of NumPy's but those of time."""
    if isinstance(value, np.ndarray):
        return "array", value.dtype, value.tolist()
    if isinstance(value, (tuple, list)) and type(value) in (tuple, list):
        return type(value).__name__, [shown(item) for item in value]
    if isinstance(value, np.generic) and value.dtype.kind not in "mM":
        value = value.item()
    return type(value).__name__, repr(value)


def outcome(function, args):
    try:
        return shown(function(*copy.deepcopy(args)))
    except Exception as error:
        return type(error).__name__, str(error)


def test_lists_that_may_be_none_are_changed():
    for line in CHANGED:
        function = made("c, x", ["a = [4, 5, 6] if c else None", line, "a"])
        compiled = njit(function)
        assert outcome(compiled, (True, 1)) == outcome(function, (True, 1)), line
        assert outcome(compiled, (False, 1))[0] == outcome(function, (False, 1))[0] == "TypeError", line


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_answers_are_those_of_python():
    wrong = []
    for params, lines, calls in SAME:
        function = made(params, lines)
        compiled = njit(function)
        for args in calls:
            expected, found = outcome(function, args), outcome(compiled, args)
            if found != expected:
                wrong.append(f"{lines} {args}: {found}, in Python {expected}")
    assert not wrong, "\n".join(wrong)


def test_what_has_no_answer_is_refused():
    for params, lines, args, error in OTHERWISE:
        assert outcome(njit(made(params, lines)), args)[0] == error, lines
