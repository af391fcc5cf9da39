"""Generators in Rumba and, where `.venv-numba` is there, in Numba: consumed by a loop, kept in a frame, gone through by Python, first calls.

    .venv/bin/python benches/generators.py [--rounds 15]

A consumed generator is compared with the loop that one would write in its place. The minimum of the rounds counts; loops run at several
places of memory, as they are compiled anew in each process.
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
figures = {{}}
for name, written, consumed, argument in (("evens", written_evens, consumed_evens, N), ("scaled", written_scaled, consumed_scaled, array),
                                          ("counts", written_counts, consumed_counts, N)):
    one, other = njit(written), njit(consumed)
    assert one(argument) == other(argument)
    figures["written " + name] = shortest(lambda: one(argument)) / N * 1e9
    figures["consumed " + name] = shortest(lambda: other(argument)) / N * 1e9
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
    start = time.perf_counter()
    try:
        list(function(*args))
        figures["first " + function.__name__] = (time.perf_counter() - start) * 1e3
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
    for name in ("evens", "scaled", "counts"):
        print(f"consumed / written, {name}: {ours['consumed ' + name] / ours['written ' + name]:.3f}")
    print(f"{time.perf_counter() - started:.0f} s")


if __name__ == "__main__":
    main()
