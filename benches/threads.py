"""Threads in Rumba and in Numba, in turns: what a launch costs, and what the second thread gains.

    .venv/bin/python benches/threads.py [--rounds 5] [--docs]

A round is a process of each package, and the minima count; Numba has the best of its threading layers that is there. `--docs` writes
the section of docs/benchmarks.md.
"""
import sys

import report
import rounds
from run import ensure_numba

CHILD = '''
import json, sys, time
import numpy as np
import warnings
warnings.simplefilter("ignore")
import PACKAGE as package
if "PACKAGE" == "rumba":
    import rumba.numba as package
from PACKAGE import njit, prange

@njit(parallel=True)
def empty(x):
    for i in prange(len(x)):
        for k in range(x[i]):
            x[i] += k

@njit(parallel=True)
def mandelbrot(width, height, most):
    counts = np.zeros((height, width), np.int64)
    for y in prange(height):
        for x in range(width):
            c = complex(-2.0 + 3.0 * x / width, -1.0 + 2.0 * y / height)
            z = 0j
            n = 0
            while n < most and z.real * z.real + z.imag * z.imag <= 4.0:
                z = z * z + c
                n += 1
            counts[y, x] = n
    return counts

@njit(parallel=True)
def triangle(n):
    found = np.zeros(n)
    for i in prange(n):
        for k in range(i):
            found[i] += 1.0 / (1.0 + k * i)
    return found

@njit(parallel=True)
def nbody(place, mass):
    n = len(mass)
    force = np.zeros((n, 3))
    for i in prange(n):
        for k in range(n):
            x, y, z = place[k, 0] - place[i, 0], place[k, 1] - place[i, 1], place[k, 2] - place[i, 2]
            r = x * x + y * y + z * z + 1e-3
            w = mass[k] / (r * np.sqrt(r))
            force[i, 0] += w * x
            force[i, 1] += w * y
            force[i, 2] += w * z
    return force

@njit(parallel=True)
def total(x):
    found = 0.0
    for i in prange(len(x)):
        found += np.sin(x[i]) * np.exp(-x[i])
    return found

@package.vectorize(["float64(float64, float64)"], target="parallel")
def wave(x, decay):
    return np.sin(x) * np.exp(-decay * x)

def least(call, times, *args, pause=0):
    call(*args)
    best = []
    for _ in range(times):
        if pause:
            time.sleep(pause)
        started = time.perf_counter()
        call(*args)
        best.append(time.perf_counter() - started)
    best.sort()
    return best[0], best[len(best) // 2]

rng = np.random.default_rng(0)
nothing, x = np.zeros(2, np.int64), rng.random(2_000_000)
place, mass = rng.random((700, 3)), rng.random(700)
found = {
    "empty loop of 2 iterations": least(empty, 5000, nothing),
    "the same after a pause of 2 ms": least(empty, 200, nothing, pause=0.002),
}
for name, call, args in (("mandelbrot, a row an iteration", mandelbrot, (300, 200, 1000)), ("triangle", triangle, (1500,)),
                         ("n-body", nbody, (place, mass)), ("sum of sin and exp", total, (x,)),
                         ("vectorize(target='parallel')", wave, (x, 0.5))):
    package.set_num_threads(1)
    one = least(call, 10, *args)[0]
    package.set_num_threads(2)
    found[name] = least(call, 20, *args)[0], one
print(json.dumps(found))
'''
ABOUT = ("Launches of parallel loops and what the second thread gains, with two threads (`benches/threads.py --docs` measures and writes this "
         "section). Of empty loops the columns are the minimum and the median.")


def sample(python, package):
    """Seconds with two threads and with one, by name; of launches the minimum and the median."""
    return rounds.figures(python, CHILD.replace("PACKAGE", package), NUMBA_NUM_THREADS="2")


def main():
    """Measures, and prints the table."""
    args = rounds.parser(__doc__).parse_args()
    pythons = {"numba": ensure_numba(), "rumba": sys.executable}
    best = rounds.least(args.rounds, pythons, sample)
    lines = [("program", "Numba", "on one thread", "Rumba", "on one thread", "Numba / Rumba", "speed-up of the second thread: Numba", "Rumba")]
    for name, (two, one) in best["rumba"].items():
        other, other_one = best["numba"][name]
        is_launch = two < 1e-4
        show = (lambda seconds: f"{seconds * 1e6:.1f} us") if is_launch else (lambda seconds: f"{seconds * 1e3:.2f} ms")
        gains = ("", "") if is_launch else (f"{other_one / other:.2f}", f"{one / two:.2f}")
        lines.append((name, show(other), show(other_one), show(two), show(one), f"{other / two:.2f}", *gains))
    times = [best["numba"][name][0] / two for name, (two, _) in best["rumba"].items()]
    say = f"Geometric mean: {report.geometric_mean(times):.2f} times Numba. Minima of {args.rounds} rounds."
    rounds.show("Threads", ABOUT, lines, say, pythons["numba"], args.docs)


if __name__ == "__main__":
    main()
