"""Schelling's model of segregation: people who want a few neighbors of their own kind end up among their own.

    python -m rumba examples/agent_model.py

Source: T. C. Schelling, "Dynamic models of segregation", 1971.
"""
import time

import numpy as np
from numba import njit


@njit
def alike(town, row, column, kind):
    """Which part of the neighbors is of a kind; 1 where there are none. The town wraps around."""
    size = len(town)
    same, neighbors = 0, 0
    for i in (-1, 0, 1):
        for j in (-1, 0, 1):
            if i == 0 and j == 0:
                continue
            other = town[(row + i) % size, (column + j) % size]
            if other != 0:
                neighbors += 1
                same += other == kind
    return same / neighbors if neighbors else 1.0


@njit
def live(town, wanted, dice):
    """One round: who is unhappy moves to an empty place that is drawn; how many moved."""
    size = len(town)
    empty = [(row, column) for row in range(size) for column in range(size) if town[row, column] == 0]
    moved = 0
    for row in range(size):
        for column in range(size):
            kind = town[row, column]
            if kind != 0 and alike(town, row, column, kind) < wanted:
                chosen = int(dice[moved % len(dice)] * len(empty))
                town[empty[chosen]] = kind
                town[row, column] = 0
                empty[chosen] = (row, column)
                moved += 1
    return moved


@njit
def mean_alike(town):
    """How alike neighbors are on average."""
    total, people = 0.0, 0
    for row in range(len(town)):
        for column in range(len(town)):
            if town[row, column] != 0:
                total += alike(town, row, column, town[row, column])
                people += 1
    return total / people


def simulate(size, rounds, step):
    """A town after some rounds of `step`: the town, how alike neighbors were and are, the rounds lived."""
    rng = np.random.default_rng(4)
    town = rng.choice(np.array([0, 1, 2]), size=(size, size), p=[0.1, 0.45, 0.45])
    before = mean_alike(town)
    for lived in range(1, rounds + 1):
        if step(town, 0.4, rng.uniform(size=size * size)) == 0:
            break
    return town, before, mean_alike(town), lived


def main():
    """A small town in both ways, then a large one."""
    started = time.perf_counter()
    small = simulate(12, 5, live)
    first = time.perf_counter() - started
    assert (small[0] == simulate(12, 5, live.py_func)[0]).all()

    started = time.perf_counter()
    town, before, after, rounds = simulate(200, 100, live)
    run = time.perf_counter() - started
    assert after > before + 0.2 and sorted(np.unique(town)) == [0, 1, 2]
    print(f"agents: a town of {town.size:,} places, {rounds} rounds; neighbors alike: {before:.0%} before, {after:.0%} after, "
          "though each asked for 40% only")
    print(f"first calls {first * 1000:.1f} ms, run {run * 1000:.1f} ms, the same as plain Python on 144 places")


if __name__ == "__main__":
    main()
