"""Checks that are taken out of loops: the same items, the same exceptions at the same place, as without the compiler.

Random nests of loops over small arrays, with bounds that are often wrong, beside CPython on the same input.
"""
import random

import numpy as np
import pytest

from rumba import njit

STEPS = (1, 1, 1, 2, 3, -1, -2)


class Program:
    """A random function of arrays `a` (one dimension) and `b` (two) and numbers `n`, `m`, `k`."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.counters = []
        self.lines = ["def f(a, b, n, m, k):", "    s = 0"]
        self.block("    ", depth=0)
        self.lines.append("    return s")
        self.text = "\n".join(self.lines) + "\n"

    def function(self):
        namespace = {}
        exec(self.text, namespace)
        return namespace["f"]

    def place(self):
        """An index, mostly of counters."""
        pick = self.random.choice
        counters = self.counters or ["n"]
        one, other = pick(counters), pick(counters)
        number = self.random.randint(-2, 2)
        return pick([one, one, f"{one} + {number}", f"{one} - 1", f"{one} + 1", f"{one} + {other}", f"{one} - {other}",
                     f"n - 1 - {one}", f"2 * {one}", f"{one} * m + {other}", f"{one} + k", f"{one} - k", f"{one} * {other}",
                     "k", str(number), "-1", f"len(a) - 1 - {one}", f"a[{one}] & 3", f"np_uint8({one})"][:self.random.randint(4, 18)])

    def bound(self):
        number = self.random.randint(-1, 6)
        outer = self.counters[-1] if self.counters else "n"
        return self.random.choice(["n", "m", "len(a)", "a.shape[0]", "b.shape[0]", "b.shape[1]", "n - 1", "len(a) - 1",
                                   str(number), outer, f"{outer} + 1", "k"])

    def item(self):
        return self.random.choice([f"a[{self.place()}]", f"b[{self.place()}, {self.place()}]", f"b[{self.place()}][{self.place()}]"])

    def statement(self, indent):
        kind = self.random.randint(0, 5)
        if kind < 3:
            self.lines.append(f"{indent}s += {self.item()}")
        elif kind == 3:
            self.lines.append(f"{indent}{self.item()} += s & 7")
        else:
            self.lines.append(f"{indent}{self.item()} = {self.item()} + 1")

    def loop(self, indent, depth):
        counter = "ijl"[depth]
        start, stop, step = self.bound(), self.bound(), self.random.choice(STEPS)
        if self.random.random() < 0.6:
            head = f"range({stop})" if self.random.random() < 0.6 else f"range({self.random.randint(-1, 2)}, {stop})"
        elif step < 0:
            head = f"range({start}, {self.random.choice(['-1', '0', 'k'])}, {step})"
        else:
            head = f"range({start}, {stop}, {step})"
        if self.random.random() < 0.15:
            self.lines.append(f"{indent}{counter} = {self.random.randint(-1, 1)}")
            self.lines.append(f"{indent}while {counter} < {stop}:")
            self.lines.append(f"{indent}    {counter} += 1")
        else:
            self.lines.append(f"{indent}for {counter} in {head}:")
        self.counters.append(counter)
        self.block(indent + "    ", depth + 1)
        if self.random.random() < 0.3:
            self.condition(indent + "    ")
            self.lines.append(indent + "        " + self.random.choice(["break", "continue", "s += 1"]))
            self.statement(indent + "    ")
        self.counters.pop()
        if self.random.random() < 0.2:
            self.lines.append(f"{indent}s = s * 3 + 1")

    def condition(self, indent):
        test = self.random.choice([f"{self.place()} > 0", f"0 <= {self.place()} < n", f"{self.place()} < len(a)",
                                   f"{self.item()} > 2", f"{self.place()} >= 0", f"{self.place()} != k"])
        self.lines.append(f"{indent}if {test}:")

    def block(self, indent, depth):
        for _ in range(self.random.randint(1, 2)):
            if depth < 3 and (depth == 0 or self.random.random() < 0.45):
                self.loop(indent, depth)
            elif self.random.random() < 0.25:
                self.condition(indent)
                self.statement(indent + "    ")
            else:
                self.statement(indent)


def arguments(rng):
    """Small arrays and numbers; often too small for what the program does with them."""
    lengths = [rng.randint(0, 6) for _ in range(3)]
    a = np.arange(lengths[0] * 2, dtype=np.int64)[:: rng.choice([1, 1, 2])][: lengths[0]]
    b = np.arange(lengths[1] * lengths[2], dtype=np.int64).reshape(lengths[1], lengths[2])
    return a, b, rng.randint(-1, 6), rng.randint(-1, 6), rng.randint(-3, 6)


def outcome(function, args):
    """The result or the exception, and the arrays behind."""
    a, b, *numbers = args
    a, b = a.copy() if a.flags.c_contiguous else np.repeat(a, 2)[::2], b.copy()
    try:
        result = int(function(a, b, *numbers))
    except IndexError as error:
        result = str(error)
    return result, a.tolist(), b.tolist()


def check(seed, count=12):
    """A program beside CPython, on some inputs."""
    program = Program(seed)
    plain = program.function()
    plain.__globals__["np_uint8"] = np.uint8
    compiled = njit(plain)
    rng = random.Random(seed)
    raised = 0
    for _ in range(count):
        args = arguments(rng)
        with np.errstate(over="ignore"):
            try:
                expected = outcome(plain, args)
            except (OverflowError, ValueError):
                continue
        got = outcome(compiled, args)
        assert got == expected, f"seed {seed}, {args[2:]}, shapes {args[0].shape} {args[1].shape}\n{program.text}"
        raised += isinstance(expected[0], str)
    return raised


@pytest.mark.parametrize("first", range(0, 150, 10))
def test_random_nests_raise_and_compute_as_cpython_does(first):
    """Compiled with whatever versions of its loops the compiler makes."""
    assert sum(check(seed) for seed in range(first, first + 10)) > 0


@njit
def count_by_bin(x, counts):
    for value in x:
        counts[int(value)] += 1


@pytest.mark.parametrize("last", [1.5, -1.0, -4.0, -5.0, 4.0, 1e300, -1e300, -2.0 ** 63, np.nan, np.inf, -np.inf])
def test_float_that_becomes_a_place(last):
    """What is no integer of 64 bits says so; what is one, but no place, says that."""
    def outcome(function):
        counts = np.zeros(4, np.int64)
        try:
            function(np.array([0.0, 3.9, last]), counts)
        except (ValueError, OverflowError, IndexError) as error:
            return type(error), str(error), counts.tolist()
        return counts.tolist()

    mine, theirs = outcome(count_by_bin), outcome(count_by_bin.py_func)
    if last in (1e300, -1e300):
        # Python's integers have no end: there it is only a place that is far away.
        assert mine[:2] == (OverflowError, "float too large to convert to a 64-bit integer")
        assert theirs[0] is IndexError and mine[2] == theirs[2]
    else:
        assert mine == theirs
