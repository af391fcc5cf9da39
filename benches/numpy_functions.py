"""Functions of NumPy that Numba lacks, over 10^6 items beside NumPy, and their first calls.

    .venv/bin/python benches/numpy_functions.py              2 rounds
    .venv/bin/python benches/numpy_functions.py --docs       and the section of docs/benchmarks.md

Run times are those of one process of a round, in which NumPy and Rumba take turns. A first call is made in a process of its own with an empty user
cache, over 1,600 items, so that it is hardly more than compiling; the process has compiled another function before. The minimum of the rounds counts.
"""
import json
import sys
import tempfile

import report
import rounds
from run import ensure_numba

ABOUT = ("Functions that Numba lacks, or lacks with these arguments, over 10^6 items in times of NumPy, and first calls with an empty user cache\n"
         "(`benches/numpy_functions.py --docs` measures and writes this section).")

EXPRESSIONS = """
np.pad(a, 3) | np.pad(m, 2, mode="edge") | np.pad(m, 2, mode="reflect") | np.einsum("ij,jk->ik", s, s) | np.einsum("ij,ij->i", m, m)
np.einsum("i,i->", a, a) | np.tensordot(s, s, axes=1) | np.tensordot(m, m, axes=([0, 1], [0, 1])) | np.inner(a, a) | np.inner(s, s)
np.apply_along_axis(np.sum, 0, m) | np.ravel_multi_index((i, i), (1000, 1000)) | np.unravel_index(i, (50, 20))[0]
np.histogram2d(a, a, 20)[0] | np.histogramdd(m[:, :2], (3, 3))[0] | np.lexsort((a, i)) | np.compress(b, a) | np.block([[m, m], [m, m]])
np.ix_(i, i)[0] | np.polyfit(a, a, 3) | np.packbits(b) | np.unpackbits(u) | np.choose(i % 3, (a, a, a)) | np.modf(a)[0] | np.frexp(a)[0]
np.vecdot(m, m) | np.bitwise_count(i) | np.heaviside(a, 0.5) | np.unique(i, return_inverse=True)[1] | np.unique(i, return_counts=True)[1]
np.unique(a, return_index=True)[1] | np.unique(m[:, :2], axis=0) | np.take_along_axis(m, n, axis=1) | np.isin(i, i[:100])
np.sum(m, axis=0, keepdims=True) | np.sum(m, axis=1, where=b2) | np.sum(m, axis=0, initial=1.0) | np.mean(m, axis=(0, 1))
np.max(m, axis=1, keepdims=True) | np.std(m, axis=0, ddof=1) | np.linalg.norm(m, axis=1) | np.linalg.norm(m, axis=1, keepdims=True)
np.any(b2, axis=0) | np.all(b2, axis=1) | np.argmax(b2, axis=0) | np.count_nonzero(b2, axis=0) | np.all(m > 0.5, axis=1)
np.median(m, axis=0) | np.percentile(m, 50.0, axis=1) | np.quantile(a, [0.1, 0.5]) | np.median(c) | np.take(a, i, mode="wrap")
np.cumsum(m, axis=0) | np.diff(m, axis=0) | np.roll(m, 3, axis=1) | np.repeat(m, 3, axis=1) | np.sort(m, axis=1) | np.argsort(m, axis=0)
np.concatenate((m, m), axis=1) | np.kron(s[:30], s[:30]) | np.cross(m[:, :3], m[:, :3]) | np.trapezoid(m, axis=1) | np.gradient(a)
np.fft.fft(c[:2**18]) | np.fft.rfft(a[:2**18]) | np.fft.fft2(m) | np.fft.fft(m, axis=0) | np.fft.fftshift(a) | h * h
"""

PROGRAM = '''
import json, os, time, warnings
import numpy as np
from rumba import njit

warnings.simplefilter("ignore")
SIDE = int(os.environ["SIDE"])
rng = np.random.default_rng(0)
a = rng.random(SIDE * SIDE)
i = rng.integers(0, SIDE - 1, SIDE * SIDE)
m = a.reshape(SIDE, SIDE).copy()
n = np.argsort(m, axis=1)
b = a > 0.5
b2 = m > 0.5
c = a + 1j * a[::-1]
u = (a * 255).astype(np.uint8)
h = a.astype(np.float16)
s = rng.random((min(SIDE, 200),) * 2)
GIVEN = a, i, m, n, b, b2, c, u, h, s
figures = {}
njit(lambda x: x + 1)(1)
for text in json.loads(os.environ["TEXTS"]):
    space = {"np": np}
    exec(f"def function(a, i, m, n, b, b2, c, u, h, s):\\n    return {text}", space)
    function = space["function"]
    compiled = njit(function)
    start = time.perf_counter()
    compiled(*GIVEN)
    first = time.perf_counter() - start
    best = [1e9, 1e9]
    end = time.perf_counter() + float(os.environ["SECONDS"])
    while time.perf_counter() < end:
        for at, one in enumerate((function, compiled)):
            start = time.perf_counter()
            one(*GIVEN)
            best[at] = min(best[at], time.perf_counter() - start)
    figures[text] = [first * 1e3, best[0] * 1e3, best[1] * 1e3]
print(json.dumps(figures))
'''


def run(python, texts, side, seconds):
    """(first call, time of NumPy, time of Rumba) of each expression, in milliseconds, from one process with an empty user cache."""
    with tempfile.TemporaryDirectory() as cache:
        return rounds.figures(python, PROGRAM, TEXTS=json.dumps(texts), SIDE=str(side), SECONDS=str(seconds), RUMBA_CACHE_DIR=cache)


def sample(python, _):
    """The figures of a round: those of long arrays, and first calls."""
    texts = [text.strip() for line in EXPRESSIONS.strip().splitlines() for text in line.split(" | ")]
    figures = run(python, texts, 1000, 1.0)
    for text in texts:
        figures[text][0] = run(python, [text], 40, 0)[text][0]
    return figures


def main():
    """Measures, and prints the table."""
    args = rounds.parser(__doc__, rounds=2).parse_args()
    best = rounds.least(args.rounds, {"rumba": sys.executable}, sample)["rumba"]
    lines = [("expression", "NumPy", "Rumba", "in NumPy's time", "first call")]
    for text, (first, numpy, rumba) in best.items():
        shown = f"`{text}`".replace("|", "\\|")
        lines.append((shown, f"{report.number(numpy)} ms", f"{report.number(rumba)} ms", f"{rumba / numpy:.2f}", f"{report.number(first)} ms"))
    times, firsts = [rumba / numpy for _, numpy, rumba in best.values()], [first for first, _, _ in best.values()]
    say = (f"{len(best)} expressions: {report.number(report.geometric_mean(times))} of NumPy's time in the geometric mean,\n"
           f"{sum(one > 1.1 for one in times)} above 1.1; {sum(one > 25 for one in firsts)} first calls above 25 ms. Minima of {args.rounds} rounds.")
    rounds.show("Functions of NumPy that Numba lacks", ABOUT, lines, say, ensure_numba(), args.docs)
    rounds.keep("numpy_functions", best)


if __name__ == "__main__":
    main()
