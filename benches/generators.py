"""Generators in Rumba and, where `.venv-numba` is there, in Numba: consumed by a loop, kept in a frame, gone through by Python, first calls.

    .venv/bin/python benches/generators.py [--rounds 15]

A consumed generator is compared with the loop that one would write in its place. The minimum of the rounds counts; loops run at several
places of memory, as they are compiled anew in each process. First calls are in time of the processor.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
NUMBA = ROOT / ".venv-numba" / "bin" / "python"
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


def measure(python, module, rounds):
    """The smallest of each figure of several processes."""
    best = {}
    for _ in range(rounds):
        run = subprocess.run([python, "-c", PROGRAM.format(module=module, n=N)], capture_output=True, text=True, check=True)
        for name, value in json.loads(run.stdout.splitlines()[-1]).items():
            best[name] = min(best.get(name, value), value) if value is not None else None
    return best


def main():
    """Prints a line for each figure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    started = time.perf_counter()
    ours = measure(sys.executable, "rumba", rounds)
    theirs = measure(str(NUMBA), "numba", rounds) if NUMBA.exists() else {}
    for name, value in ours.items():
        unit = "ms" if name.startswith("first") else "ns"
        other = theirs.get(name)
        beside = f"{other:10.3f} {unit}{other / value:9.1f}x" if other is not None and value else ""
        print(f"{name:20}{value:10.3f} {unit}{beside}")
    for name in (name.removeprefix("consumed ") for name in ours if name.startswith("consumed ")):
        print(f"consumed / written, {name}: {ours['consumed ' + name] / ours['written ' + name]:.3f}")
    print(f"{time.perf_counter() - started:.0f} s")


if __name__ == "__main__":
    main()
