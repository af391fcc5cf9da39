"""A script of fifty functions with `cache=True` in a new process: Rumba with and without cache, and Numba's warm cache.

    .venv/bin/python benches/cache.py              5 rounds
    .venv/bin/python benches/cache.py --rounds 2

What counts is the time inside the process from behind the imports to the last result: decorating, loading or compiling, calling.
Reported are the minima. Each package has a folder of its own, which the first, uncounted round fills.
"""
import argparse
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

import report
from run import ensure_numba

COUNT = 50
# Of ten kinds, each five times with other constants.
KINDS = [
    ("a + b * {k}", "3, 4.5"),
    ("(a - b) // {k} + (a + b) % 7", "30, 4"),
    ("math.sqrt(a * a + b * b) + {k}", "3.0, 4.0"),
    ("total(a, {k})", "100, 0"),
    ("(v * {k}.0 + 1.0).sum()", "v, 0"),
    ("np.where(v > {k}.0, v, 0.0).max()", "v, 0"),
    ("len([x for x in range(a) if x % {k1} == 0])", "50, 0"),
    ("sorted([a, b, {k}])[1]", "5, 2"),
    ("{{1: a, 2: b}}.get({k}, 7)", "5, 2"),
    ("fib(a) + {k}", "9, 0"),
]
HEAD = """
import json, math, time
import numpy as np
from PACKAGE import njit
v = np.arange(40.0)

@njit
def total(n, k):
    s = 0
    for i in range(n):
        s += i & k
    return s

@njit
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)

started = time.perf_counter()
results = []
"""


def script(package, cache):
    """The text of the script."""
    parts = [HEAD.replace("PACKAGE", package)]
    for number in range(COUNT):
        text, args = KINDS[number % len(KINDS)]
        first = "v" if args.startswith("v") else "a"
        body = text.format(k=number // len(KINDS) + 2, k1=number // len(KINDS) + 2)
        parts.append(f"@njit(cache={cache})\ndef f{number}({first}, b):\n    return {body}\n\nresults.append(float(f{number}({args})))\n")
    parts.append("print(json.dumps([time.perf_counter() - started, results]))\n")
    return "\n".join(parts)


SIDES = {"Rumba without cache": ("rumba", False), "Rumba": ("rumba", True), "Numba": ("numba", True)}


def measure(rounds, pythons):
    """The least seconds of each side."""
    best, expected = dict.fromkeys(SIDES, math.inf), None
    with tempfile.TemporaryDirectory() as folder:
        for turn in range(-1, rounds):
            for side, (package, cache) in SIDES.items():
                path = pathlib.Path(folder, f"{package}_{cache}.py")
                if turn < 0:
                    path.write_text(script(package, cache))
                space = {**os.environ, "RUMBA_CACHE_DIR": f"{folder}/rumba", "NUMBA_CACHE_DIR": f"{folder}/numba" if package == "numba" else ""}
                done = subprocess.run([pythons[package], str(path)], capture_output=True, text=True, env=space)
                if done.returncode:
                    raise SystemExit(f"{side} failed:\n{done.stderr[-2000:]}")
                seconds, results = json.loads(done.stdout)
                expected = expected or results
                if results != expected:
                    raise SystemExit(f"{side} gives {results}, not {expected}")
                if turn >= 0:
                    best[side] = min(best[side], seconds)
            print(f"round {turn + 1} of {rounds}", file=sys.stderr, flush=True)
    return best


def main():
    """Measures, and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args()
    best = measure(args.rounds, {"rumba": sys.executable, "numba": ensure_numba()})
    lines = [("side", "ms for 50 functions", "ms each", "beside Rumba with cache")]
    for side, seconds in best.items():
        lines.append((side, report.number(seconds * 1e3), report.number(seconds / COUNT * 1e3), report.number(seconds / best["Rumba"])))
    print(report.aligned(lines))


if __name__ == "__main__":
    main()
