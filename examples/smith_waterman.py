"""The best local alignment of two strings of DNA.

    python -m rumba examples/smith_waterman.py

Source: T. F. Smith, M. S. Waterman, "Identification of common molecular subsequences", 1981.
"""
import random
import time

import numpy as np
from numba import njit

MATCH, MISMATCH, GAP = 3, -3, -2


@njit
def score_table(first, second):
    """The best score of an alignment that ends at each pair of places; where the best of all ends."""
    score = np.zeros((len(first) + 1, len(second) + 1), np.int64)
    best, row, column = 0, 0, 0
    for i in range(1, len(first) + 1):
        for j in range(1, len(second) + 1):
            same = MATCH if first[i - 1] == second[j - 1] else MISMATCH
            here = max(0, score[i - 1, j - 1] + same, score[i - 1, j] + GAP, score[i, j - 1] + GAP)
            score[i, j] = here
            if here > best:
                best, row, column = here, i, j
    return score, row, column


@njit
def align(first, second):
    """The score, and the aligned parts of both strings with `-` for gaps."""
    score, i, j = score_table(first, second)
    best = score[i, j]
    above, below = "", ""
    while score[i, j] > 0:
        same = MATCH if first[i - 1] == second[j - 1] else MISMATCH
        if score[i, j] == score[i - 1, j - 1] + same:
            i, j = i - 1, j - 1
            above, below = first[i] + above, second[j] + below
        elif score[i, j] == score[i - 1, j] + GAP:
            i -= 1
            above, below = first[i] + above, "-" + below
        else:
            j -= 1
            above, below = "-" + above, second[j] + below
    return best, above, below


def mutated(sequence, rate, rng):
    """The sequence with some letters changed, lost and added."""
    letters = []
    for letter in sequence:
        dice = rng.random()
        if dice > rate:
            letters.append(letter)
        elif dice < rate / 2:
            letters.append(rng.choice("ACGT"))
    return "".join(letters)


def main():
    """Aligns a small pair and two relatives of some length."""
    started = time.perf_counter()
    small = align("TGTTACGG", "GGTTGACTA")
    first = time.perf_counter() - started
    assert small == (13, "GTT-AC", "GTTGAC") == align.py_func("TGTTACGG", "GGTTGACTA")

    rng = random.Random(5)
    ancestor = "".join(rng.choice("ACGT") for _ in range(2_000))
    one, other = mutated(ancestor, 0.1, rng), mutated(ancestor, 0.1, rng)
    started = time.perf_counter()
    score, above, below = align(one, other)
    run = time.perf_counter() - started
    assert above.replace("-", "") in one and below.replace("-", "") in other and len(above) == len(below)
    same = sum(a == b for a, b in zip(above, below))
    print(f"Smith-Waterman: {len(one)} beside {len(other)} letters, score {score}, {same / len(above):.0%} the same")
    print(f"  {above[:60]}\n  {''.join('|' if a == b else ' ' for a, b in zip(above[:60], below))}\n  {below[:60]}")
    print(f"first call {first * 1000:.1f} ms, run {run * 1000:.1f} ms, the same as plain Python on a small pair")


if __name__ == "__main__":
    main()
