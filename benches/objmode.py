"""Python code in the midst of compiled code, and loops of functions in object mode, beside Numba's, in one run:
`benches/objmode.py [--numba PYTHON]`.

Each program runs in processes of its own, in turns; the smallest time of each counts.
"""
import argparse
import json
import subprocess
import sys

PROGRAM = """
import json, sys, time
import numpy as np
if sys.argv[1] == "rumba":
    import rumba.numba as numba
else:
    import numba
from {package} import njit, objmode, types

@njit
def scalars(n, x):
    total = 0.0
    for i in range(n):
        with objmode(y="float64"):
            y = x
        total += y + i
    return total

@njit
def arrays(n, a):
    total = 0.0
    for i in range(n):
        with objmode(b="float64[:]"):
            b = a
        total += b[0]
    return total

@njit
def mixed(n, a, s):
    total = 0
    for i in range(n):
        with objmode(t="unicode_type", k="int64"):
            t = s
            k = i
        total += len(t) + k
    return total

def plain(x, i):
    return x

@njit
def first(x):
    with objmode(y="float64"):
        y = x
    return y

begin = time.perf_counter()
first(1.0)
found = {{"first call": time.perf_counter() - begin}}
count = 500
cases = {{"two scalars": (scalars, 1.5), "an array": (arrays, np.ones(3)), "array and text": (mixed, np.ones(3), "text")}}
for name, (function, *args) in cases.items():
    function(3, *args)
    times = []
    for _ in range(200):
        begin = time.perf_counter()
        function(count, *args)
        times.append(time.perf_counter() - begin)
    found[name] = min(times) / count
times = []
for _ in range(200):
    begin = time.perf_counter()
    for i in range(count):
        plain(1.5, i)
    times.append(time.perf_counter() - begin)
found["a Python call"] = min(times) / count

def numbers(a, extra):
    extra.append(1)
    total = 0.0
    for i in range(a.size):
        if a[i] > 0.5:
            total += a[i] * 2.0
    extra.pop()
    return total

class Thing:
    def __init__(self, key):
        self.key = key

def objects(things, table):
    found = []
    for thing in things:
        if thing.key in table:
            found.append(table[thing.key])
    return found

def best(function, *args):
    times = []
    for _ in range(30):
        begin = time.perf_counter()
        function(*args)
        times.append(time.perf_counter() - begin)
    return min(times)

a, extra = np.random.rand(20000), [object()]
things = [Thing(f"k{{i % 50}}") for i in range(5000)]
table = {{f"k{{i}}": object() for i in range(40)}}
for name, function, args in (("lifted loop", numbers, (a, extra)), ("objects", objects, (things, table))):
    compiled = numba.jit(forceobj=True)(function)
    begin = time.perf_counter()
    compiled(*args)
    found[name + ", first"] = time.perf_counter() - begin
    found[name] = best(compiled, *args)
    found[name + ", CPython"] = best(function, *args)
print(json.dumps(found))
"""


def run(python, package):
    """What one process measures, in seconds."""
    program = PROGRAM.format(package="rumba.numba" if package == "rumba" else "numba")
    done = subprocess.run([python, "-c", program, package], capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def main():
    """Prints the times of both and their ratio."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--numba", default=".venv-numba/bin/python", help="the Python that has Numba")
    options.add_argument("--rounds", type=int, default=3)
    given = options.parse_args()
    pythons = {"rumba": sys.executable, "numba": given.numba}
    best = {}
    for _ in range(given.rounds):
        for package, python in pythons.items():
            for name, seconds in run(python, package).items():
                key = name, package
                best[key] = min(best.get(key, seconds), seconds)
    for name in dict.fromkeys(name for name, _ in best):
        ours, theirs = best[name, "rumba"], best[name, "numba"]
        print(f"{name:16} {ours * 1e6:12.3f} us {theirs * 1e6:12.3f} us   ratio {ours / theirs:.4f}")


if __name__ == "__main__":
    main()
