"""Operations on Python objects in compiled code, each against the same function in CPython: results, exceptions, references."""
import gc
import math
import operator
import random
import reprlib
import sys

import numpy as np
import pytest

from leaks import nothing_leaks  # noqa: F401
from rumba import errors, njit, objmode, types


class Thing:
    """An object with everything that an operation may ask for."""

    def __init__(self, x):
        self.x, self.items = x, [1, 2, 3]

    def __eq__(self, other):
        return isinstance(other, Thing) and self.x == other.x

    def __hash__(self):
        return hash(self.x)

    def __repr__(self):
        return f"Thing({self.x})"

    def __len__(self):
        return len(self.items)

    def __call__(self, *args, **names):
        return self.x, args, names

    def __matmul__(self, other):
        return ("@", self.x, other)

    def __rmatmul__(self, other):
        return ("r@", self.x, other)

    def __iadd__(self, other):
        self.x += other
        return self

    def __format__(self, spec):
        return f"<{self.x}:{spec}>"

    def double(self, by=2):
        return self.x * by

    def fail(self):
        raise KeyError(self.x)


def shown(value):
    """A value as text; of values that share their parts many times over no more than a few levels."""
    text = reprlib.Repr()
    text.maxlevel, text.maxtuple, text.maxlist, text.maxdict, text.maxset, text.maxstring, text.maxother = 5, 9, 9, 9, 9, 400, 400
    return text.repr(value)


def outcome(function, *args):
    """A result as text, or an exception with its message and the line in the function."""
    try:
        return shown(function(*args))
    except Exception as error:
        lines, traceback = [], error.__traceback__
        while traceback is not None:
            if traceback.tb_frame.f_code.co_name == function.__name__:
                lines.append(traceback.tb_lineno)
            traceback = traceback.tb_next
        return type(error), str(error)[:400], lines


def compiled(function, count):
    return njit(types.pyobject(*[types.pyobject] * count))(function)


def same(function, make):
    """Compares a function with its compiled form on the arguments that each call of `make` gives anew, with what they are after it."""
    args = make()
    fast = compiled(function, len(args))
    expected = outcome(function, *args), repr(args)
    args = make()
    assert (outcome(fast, *args), repr(args)) == expected
    # Others count small integers, None and the like.
    own = [arg for arg in args if isinstance(arg, (list, dict, Thing))]
    counts = [sys.getrefcount(arg) for arg in own]
    outcome(fast, *args)
    gc.collect()
    assert [sys.getrefcount(arg) for arg in own] == counts


VALUES = [
    lambda: 3, lambda: -7, lambda: 2**80, lambda: 2.5, lambda: True, lambda: None, lambda: "ab", lambda: b"ab", lambda: [1, 2],
    lambda: (1, "x"), lambda: {"a": 1}, lambda: {1, 2}, lambda: Thing(3), lambda: np.arange(3), lambda: 1 + 2j,
]

BINARY = "+ - * / // % @ & | ^ < <= == != > >= is in".split()


@pytest.mark.parametrize("symbol", BINARY)
def test_operators(symbol):
    namespace = {}
    exec(f"def f(a, b):\n  return a {symbol} b\ndef g(a, b):\n  a {symbol}= b\n  return a" if symbol in "+-*@&|^" else
         f"def f(a, b):\n  return a {symbol} b", namespace)
    for name in [name for name in "fg" if name in namespace]:
        function = namespace[name]
        fast = compiled(function, 2)
        for left in VALUES:
            for right in VALUES:
                args, plain = (left(), right()), (left(), right())
                assert repr(outcome(fast, *args)) == repr(outcome(function, *plain)), (symbol, args)
                assert repr(args) == repr(plain)


@pytest.mark.parametrize("text", ["-a", "+a", "~a", "not a", "bool(a)", "len(a)", "str(a)", "repr(a)", "f'{a}'", "f'{a!r:>12}'",
                                  "a is None", "a is not None", "a.x", "a.double()", "a.double(by=3)", "a(1, k=2)", "a[0]", "a[0:2]",
                                  "1 if a else 2", "[a, 1]", "{a: 1}", "{a}", "(a, a)", "list(a)", "tuple(a)", "abs(a)", "hash(a)",
                                  "isinstance(a, (int, str))", "a ** 2", "a << 1", "a.fail()", "[i for i in a]",
                                  "{i: i for i in a}", "{i for i in a}", "sum(a)", "sorted(a)", "a and 1", "a or 2", "type(a)",
                                  "max(a, a)", "float(a)", "int(a)", "complex(a)", "iter(a)", "a @ 2", "2 @ a", "math.sqrt(a)",
                                  "np.sum(a)", "operator.neg(a)", "print", "'%s' % a", "a == a", "(*a, 1)", "a.items[-1]"])
def test_expressions(text):
    namespace = {"math": math, "np": np, "operator": operator}
    exec(f"def f(a):\n  return {text}", namespace)
    function = namespace["f"]
    fast = compiled(function, 1)
    for value in VALUES:
        if text == "iter(a)":
            found, expected = outcome(fast, value()), outcome(function, value())
            assert str(found).split(" at ")[0] == str(expected).split(" at ")[0]
            continue
        assert outcome(fast, value()) == outcome(function, value()), (text, value())


def test_statements():
    def loops(a, b):
        total, seen = 0, []
        for item in a:
            if item == b:
                continue
            total = total + item
            seen.append(item)
            if total > 100:
                break
        else:
            seen.append("end")
        return total, seen

    for values in ([1, 2, 3], (1.5, 2), range(50), {5: 1}, "ab", 7, [1, "a"]):
        same(loops, lambda: (values, 2))

    def attributes(a):
        a.y = a.x + 1
        a.items[0] = a.y
        del a.items[1]
        a.items += [5]
        a += 2
        return a, a.y, a.items

    same(attributes, lambda: (Thing(4),))
    same(attributes, lambda: (3,))

    def unpacking(a):
        x, y = a
        first, *rest = a
        *start, last = a
        return x, y, first, rest, start, last

    for values in ([1, 2], "ab", (1, 2, 3), [1], 5, {"a": 1, "b": 2}):
        same(unpacking, lambda: (values,))

    def several(a, b):
        first, *middle, last = a
        return first, middle, last, [*a, *b], (*a, b), {**b}

    same(several, lambda: ([1, 2, 3], {"k": 1}))
    same(several, lambda: ([1], {}))

    def calls(a, b):
        return a(*b), a(1, *b, key=3), a(**{"x": 1})

    same(calls, lambda: (Thing(1), [1, 2]))
    same(calls, lambda: (Thing(1), 7))
    same(calls, lambda: (7, [1]))

    def nested(a, b):
        table = {}
        for item in a:
            table.setdefault(item, []).append(b)
        return table, len(table), b in table

    same(nested, lambda: ("abca", Thing(1)))


def test_calls_whose_arguments_become_objects():
    def largest(a, b):
        found = (a, b)
        for item in tuple("abc"):
            found = str(item)
        return max(found, "abc"), sorted(found)

    with pytest.warns(errors.NumbaPerformanceWarning):
        fast = njit("pyobject(pyobject, pyobject)", fallback=True)(largest)
    assert fast(1, 2) == largest(1, 2)


def test_exceptions():
    def caught(a, b):
        kinds = []
        try:
            a.fail()
        except KeyError as error:
            kinds.append(str(error))
        except AttributeError:
            kinds.append("no attribute")
        finally:
            kinds.append("finally")
        try:
            kinds.append(a[b])
        except (IndexError, TypeError):
            kinds.append(a)
        return kinds

    for first in VALUES:
        same(caught, lambda: (first(), 0))

    def raised(a):
        if a > 1:
            raise ValueError(a)
        raise TypeError("small")

    same(raised, lambda: (5,))
    same(raised, lambda: (0,))
    same(raised, lambda: ("a",))


def test_values_with_types_meet_objects():
    @njit
    def mean(o, values):
        total = 0.0
        for i in range(len(o)):
            values[i] = o[i]
            total += values[i]
        return total / len(o)

    @njit("float64(pyobject, float64[:])")
    def f(o, values):
        return mean(o, values) + float(o[0]) * 2 + int(o[1])

    values = np.zeros(3)
    assert f([1, 2.5, np.float32(4)], values) == 2.5 + 2 + 2 and values.tolist() == [1, 2.5, 4]
    with pytest.raises(ValueError, match="could not convert string to float: 'a'"):
        f(["a", 1, 2], values)

    @njit("int64(pyobject)")
    def number(o):
        return o

    assert number(3) == 3 and number(True) == 1
    with pytest.raises(TypeError, match="expected int64, got str"):
        number("a")
    with pytest.raises(OverflowError):
        number(2**70)

    def arrays(o, a, n):
        b = a * o
        a[n] = o
        a[1:] += o
        c = np.full(n, o)
        return b, o * a, c, a[o], float(a.sum()) * o, a.reshape(o, -1), np.concatenate((a, b))

    fast = njit("pyobject(pyobject, float64[:], int64)")(arrays)
    assert repr(fast(2, np.arange(4.0), 1)) == repr(arrays(2, np.arange(4.0), 1))


def test_objects_of_blocks():
    @njit
    def f(n):
        with objmode(o="pyobject"):
            o = Thing(n)
        o.x += 1
        kept = [o]
        kept.append(o.double())
        return o, kept, o.x > n

    thing, kept, larger = f(3)
    assert thing.x == 4 and kept[0] is thing and kept[1] == 8 and larger is True


def test_functions_that_get_objects():
    @njit
    def area(o, factor):
        if o is None:
            return None
        return o.x * factor

    @njit("pyobject(pyobject)")
    def f(o):
        add = lambda value: value + o.x  # noqa: E731
        return area(o, 2), area(None, 2), add(1), add("a") if o.x == "b" else 0

    assert f(Thing(3)) == (6, None, 4, 0)
    with pytest.raises(TypeError, match="unsupported operand"):
        f(Thing("b"))

    @njit("pyobject(pyobject, int64)")
    def factorial(o, n):
        return o if n <= 1 else factorial(o, n - 1) * n

    assert factorial(1, 30) == math.factorial(30)


STATEMENTS = [
    "x = y + z", "y = x * 2", "z = [x, y]", "x = len(z) if z else 0", "y = {n: x}", "z = (y, z)", "x = x - 1", "y = z[n]", "y = str(x)",
    "z.append(x)", "x = x[1:]", "y = sorted(z)", "z = list(y)", "x = [y is z]", "y = [v for v in z]", "x = x.upper()", "z = {x: y}",
    "y = [not x]", "x = (y, *z)", "y = z.get(n)", "x = n", "y = n * 3", "z = f'{x}-{y}'", "z[n] = y", "x, y = z", "del z[0]", "z = 'abc'",
    "z = x if y else n", "y = (y == x, n)", "x = max(y, z)", "y = (*z, n)", "z = z * n",
]


def random_program(rng):
    lines, depth, loops = [], 1, 0
    for _ in range(rng.randrange(3, 12)):
        pad = "    " * depth
        kind = rng.random()
        # Texts and lists that double in nested loops would fill the memory.
        if kind < 0.12 and loops == 0:
            loops += 1
            lines.append(f"{pad}for x in {rng.choice(['tuple(z)', 'range(n)', '(y, z)'])}:")
            depth += 1
            pad = "    " * depth
        elif kind < 0.24 and depth < 4:
            lines.append(f"{pad}if {rng.choice(['x', 'y == z', 'n > 1', 'z is None', 'x in z'])}:")
            depth += 1
            pad = "    " * depth
        elif kind < 0.34 and depth < 4:
            lines += [f"{pad}try:", f"{pad}    {rng.choice(STATEMENTS)}", f"{pad}except {rng.choice(['Exception', 'TypeError', 'KeyError'])}:"]
            depth += 1
            pad = "    " * depth
        lines.append(pad + rng.choice(STATEMENTS))
        if depth > 1 and rng.random() < 0.4:
            depth -= 1
    body = "\n".join(lines)
    return f"def f(x, y, z, n):\n{body}\n    return x, y, z, n\n"


STARTS = [lambda: (1, 2, [3, 4], 1), lambda: ("a", "b", {1: 2}, 2), lambda: ([1], (2, "c"), [5, "d", 2.5], 0),
          lambda: (None, 1.5, ("e", [2]), 3), lambda: (Thing(2), Thing(3), [Thing(4)], 1)]


def counts_after(function, start):
    """By how much a call changes the reference counts of arguments that nobody else has, once its result is gone."""
    args = start()
    own = [arg for arg in args if isinstance(arg, (list, dict, Thing))]
    before = [sys.getrefcount(arg) for arg in own]
    outcome(function, *args)
    gc.collect()
    return [sys.getrefcount(arg) - count for arg, count in zip(own, before)]


def check_program(seed):
    text = random_program(random.Random(seed))
    namespace = {}
    exec(compile(text, f"<program {seed}>", "exec"), namespace)
    function = namespace["f"]
    fast = njit("pyobject(pyobject, pyobject, pyobject, int64)", fallback=True)(function)
    for start in STARTS:
        args, plain = start(), start()
        assert (outcome(fast, *args), shown(args)) == (outcome(function, *plain), shown(plain)), text
        del args, plain
        assert counts_after(fast, start) == counts_after(function, start), text


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", range(60))
def test_random_programs(seed):
    check_program(seed)
