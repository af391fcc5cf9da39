"""Programs over arrays with `parallel=True` in Rumba and in Numba, in turns, with as many threads, and Rumba on one thread.

    .venv/bin/python benches/parallel.py [--rounds 5] [--docs]

A round is a process of each, and the minima count. `--docs` writes the section of docs/benchmarks.md. `THREADS` in the environment is the
number of threads, 2 if it is not set.
"""
import os
import sys

import report
import rounds
from run import ensure_numba

THREADS = os.environ.get("THREADS", "2")
CHILD = '''
import json, math, sys, time
import warnings
import numpy as np
from PACKAGE import njit
if "PACKAGE" == "numba":
    from numba import prange
else:
    from rumba import prange
from kernels.reductions import dot, rows
warnings.simplefilter("ignore")
compiled = njit(parallel=True)

def black_scholes(price, strike, rate, volatility, years):
    root = volatility * np.sqrt(years)
    d1 = (np.log(price / strike) + (rate + 0.5 * volatility ** 2) * years) / root
    d2 = d1 - root
    n1 = 1.0 / (1.0 + np.exp(-1.702 * d1))
    n2 = 1.0 / (1.0 + np.exp(-1.702 * d2))
    return price * n1 - strike * np.exp(-rate * years) * n2

def logistic_regression(y, x, w, steps):
    for _ in range(steps):
        w = w - 0.001 * np.dot((1.0 / (1.0 + np.exp(-y * np.dot(x, w))) - 1.0) * y, x)
    return w

def k_means(points, centers):
    labels = np.empty(points.shape[0], np.int64)
    for i in prange(points.shape[0]):
        best, at = 1e300, 0
        for k in range(centers.shape[0]):
            d = 0.0
            for j in range(points.shape[1]):
                d += (points[i, j] - centers[k, j]) ** 2
            if d < best:
                best = d
                at = k
        labels[i] = at
    return labels

def n_body(p, a):
    for i in prange(p.shape[0]):
        x = y = z = 0.0
        for j in range(p.shape[0]):
            dx, dy, dz = p[j, 0] - p[i, 0], p[j, 1] - p[i, 1], p[j, 2] - p[i, 2]
            r = dx * dx + dy * dy + dz * dz + 0.01
            f = 1.0 / (r * math.sqrt(r))
            x += dx * f
            y += dy * f
            z += dz * f
        a[i, 0], a[i, 1], a[i, 2] = x, y, z

def jacobi(a, b, steps):
    for _ in range(steps):
        for i in prange(1, a.shape[0] - 1):
            for j in range(1, a.shape[1] - 1):
                b[i, j] = 0.25 * (a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1])
        a, b = b, a
    return a

def nine_points(a, b):
    for i in prange(1, a.shape[0] - 1):
        for j in range(1, a.shape[1] - 1):
            b[i, j] = (a[i - 1, j - 1] + a[i - 1, j] + a[i - 1, j + 1] + a[i, j - 1] + a[i, j] + a[i, j + 1]
                       + a[i + 1, j - 1] + a[i + 1, j] + a[i + 1, j + 1]) / 9.0

def histogram(x, bins):
    parts = np.zeros((16, bins), np.int64)
    for part in prange(16):
        for i in range(part * len(x) // 16, (part + 1) * len(x) // 16):
            parts[part, int(x[i] * bins)] += 1
    return parts.sum(axis=0)

def mandelbrot(out):
    h, w = out.shape
    for y in prange(h):
        for x in range(w):
            a, b = -2.0 + 3.0 * x / w, -1.5 + 3.0 * y / h
            u = v = 0.0
            k = 0
            while k < 200 and u * u + v * v < 4.0:
                u, v = u * u - v * v + a, 2.0 * u * v + b
                k += 1
            out[y, x] = k

def masks(x, y):
    return np.where((x > 0.2) & (y < 0.9), x * y, x - y)

def matrices(a, b, c):
    return (a + b) * c - a / (b + 1.0)

def loop_sum(a, b):
    s = 0.0
    for i in prange(len(a)):
        s += a[i] * b[i]
    return s

rng = np.random.default_rng(0)
x, y = rng.random(1_000_000), rng.random(1_000_000)
m, n, o = (rng.random((1000, 1000)) for _ in range(3))
points = rng.random((20_000, 8))
cases = (
    (black_scholes, (x + 1, y + 1, 0.05, 0.2, x + 0.5)), (logistic_regression, (np.sign(y[:20000] - 0.5), points, np.zeros(8), 10)),
    (k_means, (points, points[:16].copy())), (n_body, (rng.random((2000, 3)), np.zeros((2000, 3)))),
    (jacobi, (m, n.copy(), 10)), (nine_points, (m, n.copy())), (histogram, (x, 100)), (mandelbrot, (np.zeros((400, 400), np.int64),)),
    (masks, (x, y)), (matrices, (m, n, o)), (dot, (x, y)), (loop_sum, (x, y)), (rows, (m, n)))
found = {}
compiled(lambda a: a * 2)(x)
for function, args in cases:
    run = compiled(function)
    started = time.perf_counter()
    run(*args)
    first = time.perf_counter() - started
    best = 1e9
    for _ in range(20):
        started = time.perf_counter()
        run(*args)
        best = min(best, time.perf_counter() - started)
    found[function.__name__] = first, best
print(json.dumps(found))
'''
ABOUT = (f"Programs with `parallel=True` and {THREADS} threads, beside Numba with as many and Rumba with one "
         "(`benches/parallel.py --docs` measures and writes this section).")


def sample(python, package):
    """First call and further ones in seconds, by name."""
    threads = "1" if package == "rumba, one thread" else THREADS
    return rounds.figures(python, CHILD.replace("PACKAGE", package.split(",")[0]), NUMBA_NUM_THREADS=threads, OPENBLAS_NUM_THREADS="1")


def main():
    """Measures, and prints the table."""
    args = rounds.parser(__doc__).parse_args()
    pythons = {"numba": ensure_numba(), "rumba, one thread": sys.executable, "rumba": sys.executable}
    best = rounds.least(args.rounds, pythons, sample)
    lines = [("program", "Numba", "Rumba", "Numba / Rumba", "Rumba, one thread / Rumba", "first calls: Numba", "Rumba")]
    beside, gains, firsts = [], [], []
    for name, (first, run) in best["rumba"].items():
        beside.append(best["numba"][name][1] / run)
        gains.append(best["rumba, one thread"][name][1] / run)
        firsts.append(best["numba"][name][0] / first)
        lines.append((name, f"{best['numba'][name][1] * 1e3:.2f} ms", f"{run * 1e3:.2f} ms", f"{beside[-1]:.2f}", f"{gains[-1]:.2f}",
                      f"{report.number(best['numba'][name][0] * 1e3)} ms", f"{report.number(first * 1e3)} ms"))
    say = (f"Geometric means: {report.geometric_mean(beside):.2f} times Numba, the least {min(beside):.2f}; {report.geometric_mean(gains):.2f} by "
           f"{THREADS} threads; first calls {report.geometric_mean(firsts):.1f} times faster. Minima of {args.rounds} rounds.")
    rounds.show("Parallel loops", ABOUT, lines, say, pythons["numba"], args.docs)


if __name__ == "__main__":
    main()
