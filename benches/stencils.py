"""Stencils in Rumba and in Numba, in turns: the first call and every further one; beside them Rumba's loop that one would write by hand.

    .venv/bin/python benches/stencils.py [--rounds 5] [--docs]

A round is a process of each package, and the minima count. `--docs` writes the section of docs/benchmarks.md.
"""
import sys

import report
import rounds
from run import ensure_numba

CHILD = '''
import json, time
import numpy as np
import PACKAGE
from PACKAGE import njit, stencil

def three(a):
    return 0.3 * (a[-1] + a[0] + a[1])

def five(a):
    return 0.2 * (a[0, 0] + a[0, 1] + a[1, 0] + a[0, -1] + a[-1, 0])

def nine(a):
    return (a[-1, -1] + a[-1, 0] + a[-1, 1] + a[0, -1] + a[0, 0] + a[0, 1] + a[1, -1] + a[1, 0] + a[1, 1]) / 9.0

def laplace2(a):
    return a[0, 1] + a[1, 0] + a[0, -1] + a[-1, 0] - 4.0 * a[0, 0]

def laplace3(a):
    return (a[0, 0, 1] + a[0, 1, 0] + a[1, 0, 0] + a[0, 0, -1] + a[0, -1, 0] + a[-1, 0, 0]) - 6.0 * a[0, 0, 0]

def with_scalar(a, w):
    return w * (a[0, 1] + a[1, 0] + a[0, -1] + a[-1, 0]) + (1.0 - w) * a[0, 0]

def two_arrays(a, b):
    return a[0, 1] * b[0, 0] + a[0, -1] * b[-1, 0] + a[1, 0] * b[1, 0]

def window(a):
    total = 0.0
    for i in range(-10, 11):
        total += a[i]
    return total / 21.0

def largest(a):
    m = a[0, 0]
    for i in range(-1, 2):
        for j in range(-1, 2):
            m = max(m, a[i, j])
    return m

def life(a):
    n = a[-1, -1] + a[-1, 0] + a[-1, 1] + a[0, -1] + a[0, 1] + a[1, -1] + a[1, 0] + a[1, 1]
    return 1 if n == 3 or (n == 2 and a[0, 0] == 1) else 0

rng = np.random.default_rng(0)
line, plane, room = rng.random(1_000_000), rng.random((1000, 1000)), rng.random((100, 100, 100))
CASES = (
    (three, {}, (line,)),
    (five, {}, (plane,)),
    (nine, {}, (plane,)),
    (laplace2, {}, (plane,)),
    (laplace3, {}, (room,)),
    (with_scalar, {}, (plane, 0.1)),
    (two_arrays, {}, (plane, plane[::-1].copy())),
    (window, {"neighborhood": ((-10, 10),)}, (line,)),
    (largest, {"neighborhood": ((-1, 1), (-1, 1))}, (plane,)),
    (life, {}, ((plane > 0.6).astype(np.int64),)),
    (five, {}, (plane.astype(np.float32),)),
)

def over(made, count):
    """What calls a stencil in compiled code: from Python, Numba compiles one anew in each call."""
    def run_one(a, out):
        made(a, out=out)

    def run_two(a, b, out):
        made(a, b, out=out)

    return njit(run_one if count == 1 else run_two)

found = {}
njit(lambda x: x + 1)(1)
stencil(lambda a: a[0] + 1)(np.ones(3))
for function, options, args in CASES:
    name = function.__name__ + (" float32" if args[0].dtype == np.float32 else "")
    small = tuple(arg[tuple(slice(0, 30) for _ in arg.shape)].copy() if isinstance(arg, np.ndarray) else arg for arg in args)
    made = stencil(function, **options)
    started = time.perf_counter()
    made(*small)
    first = time.perf_counter() - started
    run = over(made, len(args))
    out = np.zeros(args[0].shape, made(*small).dtype)
    run(*args, out)
    best = 1e9
    for _ in range(30):
        started = time.perf_counter()
        run(*args, out)
        best = min(best, time.perf_counter() - started)
    found[name] = first, best
HAND
print(json.dumps(found))
'''

HAND = '''
def by_hand(a, out):
    for i in range(1, a.shape[0] - 1):
        for j in range(1, a.shape[1] - 1):
            out[i, j] = 0.2 * (a[i, j] + a[i, j + 1] + a[i + 1, j] + a[i, j - 1] + a[i - 1, j])

by_hand = njit(by_hand)
out = np.zeros(plane.shape)
by_hand(plane, out)
best = 1e9
for _ in range(30):
    started = time.perf_counter()
    by_hand(plane, out)
    best = min(best, time.perf_counter() - started)
found["five, the loop written by hand"] = None, best
'''
ABOUT = "Stencils of 10^6 items into an array that is there, called in compiled code; first calls are those from Python (`benches/stencils.py --docs` measures and writes this section)."


def sample(python, package):
    """First call and further ones in seconds, by name."""
    return rounds.figures(python, CHILD.replace("PACKAGE", package).replace("HAND", HAND if package == "rumba" else ""))


def main():
    """Measures, and prints the table."""
    args = rounds.parser(__doc__).parse_args()
    pythons = {"rumba": sys.executable, "numba": ensure_numba()}
    best = rounds.least(args.rounds, pythons, sample)
    lines, times, firsts = [("stencil", "Numba first call", "Rumba", "times", "Numba run", "Rumba", "times")], [], []
    for name, (first, run) in best["rumba"].items():
        theirs = best["numba"].get(name)
        if theirs is None:
            lines.append((name, "", "", "", "", f"{report.number(run * 1e3)} ms", ""))
            continue
        firsts.append(theirs[0] / first)
        times.append(theirs[1] / run)
        lines.append((name, f"{report.number(theirs[0] * 1e3)} ms", f"{report.number(first * 1e3)} ms", report.number(firsts[-1]),
                      f"{report.number(theirs[1] * 1e3)} ms", f"{report.number(run * 1e3)} ms", f"{times[-1]:.2f}"))
    say = (f"Geometric means: first calls {report.number(report.geometric_mean(firsts))} times, runs {report.geometric_mean(times):.2f} times; "
           f"the least of all {report.number(min(firsts))} and {min(times):.2f}. Minima of {args.rounds} rounds.")
    rounds.show("Stencils", ABOUT, lines, say, pythons["numba"], args.docs)


if __name__ == "__main__":
    main()
