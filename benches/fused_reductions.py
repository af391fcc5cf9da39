"""Reductions of expressions of arrays in Rumba, in Numba with `parallel=True` on one thread, and in NumPy, in turns.

    .venv/bin/python benches/fused_reductions.py [--rounds 5] [--docs]

A round is a process of each package, and the minima count. `--docs` writes the section of docs/benchmarks.md.
"""
import sys

import report
import rounds
from run import ensure_numba

CHILD = '''
import json, sys, time
import numpy as np

if "PACKAGE" == "numpy":
    compiled = lambda function: function
else:
    import warnings
    from PACKAGE import njit
    warnings.simplefilter("ignore")
    compiled = njit(parallel=True) if "PACKAGE" == "numba" else njit

from kernels.reductions import (dot, distance, rows, mean_error, softmax, correlation, norm,
                                log_likelihood, inside, largest, none_over, weighted)

rng = np.random.default_rng(0)
a, b = rng.random(1_000_000), rng.random(1_000_000)
m, n = a.reshape(1000, 1000), b.reshape(1000, 1000)
found = {}
compiled(lambda a: np.sum(a))(a)
for function, args in ((dot, (a, b)), (distance, (a, b)), (rows, (m, n)), (mean_error, (a, b)), (softmax, (a,)), (correlation, (a, b)), (norm, (a,)),
                       (log_likelihood, (a, b)), (inside, (a, b)), (largest, (a, b)), (none_over, (a, b)), (weighted, (a, b))):
    run = compiled(function)
    started = time.perf_counter()
    run(*args)
    first = time.perf_counter() - started
    best = 1e9
    for _ in range(40):
        started = time.perf_counter()
        run(*args)
        best = min(best, time.perf_counter() - started)
    found[function.__name__] = first, best
print(json.dumps(found))
'''
ABOUT = ("Reductions of expressions over 10^6 doubles, beside NumPy and Numba with `parallel=True` on one thread "
         "(`benches/fused_reductions.py --docs` measures and writes this section).")


def sample(python, package):
    """First call and further ones in seconds, by name."""
    return rounds.figures(python, CHILD.replace("PACKAGE", package), NUMBA_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")


def main():
    """Measures, and prints the table."""
    args = rounds.parser(__doc__).parse_args()
    pythons = {"numba": ensure_numba(), "numpy": sys.executable, "rumba": sys.executable}
    best = rounds.least(args.rounds, pythons, sample)
    lines = [("program", "NumPy", "Numba", "Rumba", "NumPy / Rumba", "Numba / Rumba", "first calls: Numba", "Rumba")]
    beside = {"numpy": [], "numba": []}
    for name, (first, run) in best["rumba"].items():
        for package, times in beside.items():
            times.append(best[package][name][1] / run)
        lines.append((name, *(f"{best[package][name][1] * 1e3:.2f} ms" for package in ("numpy", "numba", "rumba")),
                      f"{beside['numpy'][-1]:.2f}", f"{beside['numba'][-1]:.2f}",
                      f"{report.number(best['numba'][name][0] * 1e3)} ms", f"{report.number(first * 1e3)} ms"))
    means = {package: report.geometric_mean(times) for package, times in beside.items()}
    say = (f"Geometric means: {means['numpy']:.2f} times NumPy, {means['numba']:.2f} times Numba; the least {min(beside['numpy']):.2f} and "
           f"{min(beside['numba']):.2f}. Minima of {args.rounds} rounds.")
    rounds.show("Reductions of expressions", ABOUT, lines, say, pythons["numba"], args.docs)


if __name__ == "__main__":
    main()
