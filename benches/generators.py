"""Generators: consumed by a loop, kept in a frame, gone through by Python, first calls; under Rumba and under Numba, in turns.

    .venv/bin/python benches/generators.py              5 rounds
    .venv/bin/python benches/generators.py --docs       and the section of docs/benchmarks.md

A round is a process of each package. A consumed generator is compared with the loop that one would write in its place. The minimum of the rounds
counts; loops run at several places of memory, as they are compiled anew in each process. First calls are in time of the processor.
"""
import sys

import report
import rounds
from run import ensure_numba

ABOUT = ("Per item, and first calls in time of the processor (`benches/generators.py --docs` measures and writes this section). Functions of Numba\n"
         "take no generators as arguments.")
WHAT = {
    "consumed": "consumed in the function: `{}`", "frame": "argument of a compiled function", "python": "consumed by Python",
    "first": "first call: `{}`",
}
N = 2_000_000

PROGRAM = '''
import json, time
import numpy as np
from {module} import njit

N = {n}

@njit
def evens(n):
    for i in range(n):
        if i % 2 == 0:
            yield i

@njit
def scaled(array):
    for x in array:
        yield x * 2.0

@njit
def counts(n):
    for i in range(n):
        yield i

def consumed_evens(n):
    total = 0
    for x in evens(n):
        total += x
    return total

def written_evens(n):
    total = 0
    for i in range(n):
        if i % 2 == 0:
            total += i
    return total

def consumed_scaled(array):
    total = 0.0
    for x in scaled(array):
        total += x
    return total

def written_scaled(array):
    total = 0.0
    for x in array:
        total += x * 2.0
    return total

def consumed_counts(n):
    total = 0
    for x in counts(n):
        total += x ^ 3
    return total

def written_counts(n):
    total = 0
    for x in range(n):
        total += x ^ 3
    return total

@njit
def large(items):
    for i in range(len(items)):
        if items[i] < 3:
            continue
        yield items[i]

@njit
def halves(n):
    i = 0
    while i < n:
        yield i
        i += 2

@njit
def grid(n):
    for i in range(n // 1000):
        for j in range(1000):
            if (i ^ j) & 1:
                yield i * j

@njit
def twice(n):
    for i in range(n):
        yield i ^ 5
        yield i * 3

@njit
def signs(n):
    for i in range(n):
        if i & 1:
            yield i
        else:
            yield -i

@njit
def neighbours(items):
    for i in range(len(items) - 1):
        yield items[i], items[i + 1]

@njit
def sums(items):
    total = 0
    for x in items:
        total += x
        yield total

def consumed_large(items):
    total = 0
    for x in large(items):
        total += x
    return total

def written_large(items):
    total = 0
    for i in range(len(items)):
        if items[i] < 3:
            continue
        total += items[i]
    return total

def consumed_halves(n):
    total = 0
    for x in halves(n):
        total += x ^ 5
    return total

def written_halves(n):
    total = 0
    i = 0
    while i < n:
        total += i ^ 5
        i += 2
    return total

def consumed_grid(n):
    total = 0
    for x in grid(n):
        total += x
    return total

def written_grid(n):
    total = 0
    for i in range(n // 1000):
        for j in range(1000):
            if (i ^ j) & 1:
                total += i * j
    return total

def consumed_twice(n):
    total = 0
    for x in twice(n):
        total += x
    return total

def written_twice(n):
    total = 0
    for i in range(n):
        total += i ^ 5
        total += i * 3
    return total

def consumed_signs(n):
    total = 0
    for x in signs(n):
        if x > 1_999_990:
            break
        total += x
    return total

def written_signs(n):
    total = 0
    for i in range(n):
        x = i if i & 1 else -i
        if x > 1_999_990:
            break
        total += x
    return total

def consumed_neighbours(items):
    total = 0
    for x, y in neighbours(items):
        total += x * y
    return total

def written_neighbours(items):
    total = 0
    for i in range(len(items) - 1):
        total += items[i] * items[i + 1]
    return total

def consumed_sums(items):
    found = 0
    for x in sums(items):
        found ^= x
    return found

def written_sums(items):
    found = 0
    total = 0
    for x in items:
        total += x
        found ^= total
    return found

def through(items):
    total = 0
    for x in items:
        total += x
    return total

def words(text):
    for word in text.split():
        yield word

def running(items):
    total = 0
    for x in items:
        total += x
        yield total

def pairs(n):
    for i in range(n):
        for j in range(i):
            yield i, j

def fibonacci(n):
    a, b = 0, 1
    for _ in range(n):
        yield a
        a, b = b, a + b

def rows(array):
    for i in range(array.shape[0]):
        yield array[i].sum()

def shortest(call, rounds=7):
    best = float("inf")
    for _ in range(rounds):
        start = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - start)
    return best

array = np.arange(float(N))
items = np.arange(N) % 7
figures = {{}}
for name, argument in (("evens", N), ("scaled", array), ("counts", N), ("large", items), ("halves", N), ("grid", N), ("twice", N),
                       ("signs", N), ("neighbours", items), ("sums", items)):
    written, consumed = globals()["written_" + name], globals()["consumed_" + name]
    one, other = njit(written), njit(consumed)
    assert one(argument) == other(argument)
    times = [shortest(lambda: function(argument), 1) for _ in range(15) for function in (one, other)]
    figures["written " + name] = min(times[::2]) / N * 1e9
    figures["consumed " + name] = min(times[1::2]) / N * 1e9
try:
    compiled = njit(through)
    compiled(counts(3))
    figures["frame"] = shortest(lambda: compiled(counts(N))) / N * 1e9
except Exception:
    # Numba takes no generators as arguments.
    figures["frame"] = None
def drain():
    for _ in counts(N // 10):
        pass
figures["python"] = shortest(drain) / (N // 10) * 1e9
for function, args in ((words, ("a b c",)), (running, (np.arange(5),)), (pairs, (4,)), (fibonacci, (10,)), (rows, (np.ones((3, 3)),))):
    function = njit(function)
    start = time.process_time()
    try:
        list(function(*args))
        figures["first " + function.__name__] = (time.process_time() - start) * 1e3
    except Exception:
        figures["first " + function.__name__] = None
print(json.dumps(figures))
'''


def sample(python, package):
    """The figures of one process."""
    return rounds.figures(python, PROGRAM.format(module=package, n=N))


def main():
    """Measures, and prints the table."""
    args = rounds.parser(__doc__).parse_args()
    pythons = {"rumba": sys.executable, "numba": ensure_numba()}
    best = rounds.least(args.rounds, pythons, sample)
    ours, theirs = best["rumba"], best["numba"]
    lines = [("what", "Numba", "Rumba", "times", "to the loop by hand")]
    for name, value in ours.items():
        kind, _, one = name.partition(" ")
        if kind == "written":
            continue
        what = WHAT[kind].format(one)
        unit, other = "ms" if kind == "first" else "ns", theirs[name]
        shown = ("", "") if other is None else (f"{report.number(other)} {unit}", report.number(other / value))
        by_hand = f"{value / ours['written ' + one]:.3f}" if kind == "consumed" else ""
        lines.append((what, shown[0], f"{report.number(value)} {unit}", shown[1], by_hand))
    firsts = [theirs[name] / value for name, value in ours.items() if name.startswith("first")]
    say = f"First calls: {report.number(report.geometric_mean(firsts))} times, the geometric mean. Minima of {args.rounds} rounds."
    rounds.show("Generators", ABOUT, lines, say, pythons["numba"], args.docs)
    rounds.keep("generators", best)


if __name__ == "__main__":
    main()
