"""Loops that write to arrays which the same function made: earlier arrays do not alias them, arrays carried to the next iteration do."""
import random

import numpy as np
import pytest
from leaks import nothing_leaks  # noqa: F401  the fixture

from rumba import njit


def last_of_each_round(a, rounds):
    """The array of a round is what the next one reads."""
    for _ in range(rounds):
        b = np.empty(a.size)
        for i in range(a.size):
            b[i] = a[a.size - 1 - i] + 1
        a = b
    return a


def two_that_change_places(a, rounds):
    x, y = np.zeros(a.size), np.zeros(a.size)
    for k in range(rounds):
        for i in range(1, a.size):
            y[i] = x[i - 1] + a[i] + k
        x, y = y, x
    return x, y


def through_a_view(a, rounds):
    x = np.zeros(a.size)
    y = x[1:]
    for _ in range(rounds):
        for i in range(y.size):
            y[i] = x[i] + a[i]
    return x


def chosen(a, rounds):
    """Which array it is that is read is known when it runs."""
    x = np.ones(a.size)
    y = x if rounds % 2 else a
    for i in range(1, a.size):
        x[i] = y[i - 1] * 2
    return x


def kept_in_a_list(a, rounds):
    kept = [a]
    for k in range(rounds):
        x = np.empty(a.size)
        for i in range(a.size):
            x[i] = kept[k][i] + i
        kept.append(x)
        for i in range(a.size):
            kept[k + 1][i] += x[i]
    return kept[-1]


def of_itself(a, rounds):
    x = np.arange(a.size) * 1.0
    for _ in range(rounds):
        x = x + x[::-1] * a
        x[1:] += x[:-1]
    return x


@pytest.mark.parametrize("function", [last_of_each_round, two_that_change_places, through_a_view, chosen, kept_in_a_list, of_itself])
@pytest.mark.parametrize("size", [1, 7, 100])
def test_as_python_does_it(function, size):
    for rounds in range(5):
        a = np.random.default_rng(size).random(size)
        mine, theirs = njit(function)(a, rounds), function(a.copy(), rounds)
        for one, other in zip(mine if isinstance(mine, tuple) else [mine], theirs if isinstance(theirs, tuple) else [theirs]):
            assert one.tolist() == other.tolist()


class Program:
    """Random loops over arrays `a` (given), and `x`, `y`, `z`, which are made, swapped, viewed and made anew in loops."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines = ["def f(a, n):", "    x, y, z = np.zeros(n), a, np.ones(n)"]
        for _ in range(self.random.randint(1, 3)):
            self.statement("    ", 2)
        self.lines.append("    return x.sum() + 3 * y.sum() + 7 * z.sum()")
        self.text = "\n".join(self.lines) + "\n"

    def item(self):
        return f"{self.random.choice('axyz')}[{self.random.choice(['i', 'n - 1 - i', 'i // 2', '0'])}]"

    def statement(self, indent, depth):
        pick, name = self.random.choice, self.random.choice("xyz")
        kind = self.random.randint(0, 6 if depth else 4)
        if kind == 0:
            self.lines.append(f"{indent}{name} = {pick(['np.zeros(n)', 'np.full(n, 0.5)', 'a.copy()', 'x + y', 'z * 2 - x', 'y[::-1]', 'x', 'z'])}")
        elif kind == 1:
            one, other = self.random.sample("xyz", 2)
            self.lines.append(f"{indent}{one}, {other} = {other}, {one}")
        elif kind < 5:
            self.lines.append(f"{indent}for i in range(n):")
            for _ in range(self.random.randint(1, 2)):
                self.lines.append(f"{indent}    {self.random.choice('xyz')}[{pick(['i', 'n - 1 - i'])}] = {self.item()} * 0.5 + {self.item()}")
        else:
            self.lines.append(f"{indent}for k in range({self.random.randint(1, 3)}):")
            for _ in range(self.random.randint(1, 3)):
                self.statement(indent + "    ", depth - 1)


@pytest.mark.parametrize("seed", range(60))
def test_random_programs(seed):
    program = Program(seed)
    space = {"np": np}
    exec(program.text, space)
    for size in (1, 9, 40):
        results = []
        for function in (njit(space["f"]), space["f"]):
            a = np.random.default_rng(size).random(size)
            results.append((function(a, size), a.tolist()))
        assert results[0] == results[1], program.text


def test_what_a_freed_array_held_is_not_seen():
    """Memory of large arrays is used again: `zeros` of the size of an array that was just freed are zeros."""
    def fill(n):
        a = np.empty(n)
        a[:] = 7.0
        return a.sum()

    def zeros(n):
        return np.zeros(n)

    for n in (9_000, 200_000, 700_000):
        assert njit(fill)(n) == 7.0 * n
        assert not njit(zeros)(n).any()
