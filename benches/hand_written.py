"""Hand-written loops, by category, compared with Numba.

    .venv/bin/python benches/hand_written.py [CLASS or KERNEL ...] [--rounds 12] [--docs] [--unchecked]

Each side has one process; they run every kernel alternately for a moment, so that a busy machine affects both alike; the minimum
time of a call counts. Results of both sides are compared. First calls are those of a process that has compiled before. With
`--unchecked`, Rumba with `boundscheck=False` takes the place of Numba, which shows the cost of bounds checks.
"""
import importlib
import json
import math
import subprocess
import sys
import time

import report
import rounds
from run import ROOT, ensure_numba

MODULES = ("constant_loops", "arithmetic", "programs", "recipes", "everyday", "library_rows", "mixed_comparisons")

# Seconds for which a kernel runs before the other side has its turn.
MOMENT = 0.004


def kernels():
    """Class, function and how its arguments are made, by name."""
    found = {}
    for module in MODULES:
        for group, members in importlib.import_module(f"kernels.{module}").CLASSES.items():
            for function, args in members.items():
                found[function.__name__] = (group, function, args)
    return found


def serve(package, options):
    """One side: reads names of kernels, answers with seconds; the first time with those of the first call and a sum of the results."""
    from child import made

    njit = importlib.import_module(package).njit
    known, ready, clock = kernels(), {}, time.perf_counter
    njit(lambda x: x + 1)(1)
    for line in sys.stdin:
        name = line.strip()
        if name not in ready:
            _, function, args = known[name]
            args = made(args)
            started = clock()
            compiled = njit(function, **options)
            result = compiled(*args)
            answer = [clock() - started, checksum(result, args)]
            ready[name] = compiled, args
        else:
            compiled, args = ready[name]
            answer = least(compiled, args, clock)
        print(json.dumps(answer), flush=True)


def checksum(result, args):
    """A number that differs where results do."""
    import numpy

    total = 0.0
    for part in (result, *args):
        if isinstance(part, (int, float, numpy.ndarray, numpy.generic)):
            values = numpy.asarray(part)
            if values.dtype.kind not in "biufc":
                continue
            values = values.astype(numpy.complex128).ravel()
            total += abs(complex((values * numpy.cos(numpy.arange(values.size))).sum()))
    return float(total)


def least(function, args, clock):
    """Seconds of the fastest call within a moment."""
    best, end, count = float("inf"), clock() + MOMENT, 0
    while count < 3 or clock() < end:
        started = clock()
        function(*args)
        best = min(best, clock() - started)
        count += 1
    return best


class Side:
    """A process that runs kernels of one package."""

    def __init__(self, python, package, options=()):
        self.process = subprocess.Popen([python, __file__, "--serve", package, *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True, cwd=ROOT / "benches")

    def ask(self, name):
        """What it answers to a kernel's name."""
        self.process.stdin.write(f"{name}\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"{name} failed")
        return json.loads(line)

    def close(self):
        """Ends the process."""
        self.process.stdin.close()
        self.process.wait()


def measured(names, sides, turns):
    """First calls and least times of both sides, by name."""
    found = {}
    for name in names:
        (first, result), (their_first, expected) = (side.ask(name) for side in sides)
        if not math.isclose(result, expected, rel_tol=1e-6, abs_tol=1e-9):
            print(f"{name}: results differ: {result} and {expected}", file=sys.stderr)
        found[name] = [first, their_first, float("inf"), float("inf")]
    for turn in range(turns):
        for name in names:
            row = found[name]
            for at in (0, 1) if turn % 2 else (1, 0):
                row[2 + at] = min(row[2 + at], sides[at].ask(name))
    return found


def listing(found, groups):
    """Rows of the table, sorted by ratio, and the ratios by class."""
    ordered = sorted(found, key=lambda name: found[name][3] / found[name][2])
    by_class = {}
    for name in ordered:
        by_class.setdefault(groups[name], []).append(found[name][3] / found[name][2])
    lines = [("loop", "class", "first: Numba", "Rumba", "run: Numba", "Rumba", "times")]
    for name in ordered:
        first, their_first, ours, theirs = found[name]
        lines.append((name, groups[name], f"{their_first * 1e3:.0f} ms", f"{first * 1e3:.1f} ms", f"{theirs * 1e6:.1f} us",
                      f"{ours * 1e6:.1f} us", f"{theirs / ours:.2f}"))
    return lines, by_class


def main():
    """Measures, prints, and writes the section of the page."""
    parser = rounds.parser(__doc__, 12)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--unchecked", action="store_true")
    args = parser.parse_args()
    numba = ensure_numba()
    known = kernels()
    names = [name for name, (group, *_) in known.items() if not args.names or {name, group} & set(args.names)]
    theirs = Side(sys.executable, "rumba", ["--unchecked"]) if args.unchecked else Side(numba, "numba")
    sides = (Side(sys.executable, "rumba"), theirs)
    found = measured(names, sides, args.rounds)
    for side in sides:
        side.close()
    lines, by_class = listing(found, {name: known[name][0] for name in names})
    mean = report.geometric_mean
    means = [("class", "loops", "geometric mean", "worst"),
             *((group, str(len(ratios)), f"{mean(ratios):.2f}", f"{min(ratios):.2f}") for group, ratios in by_class.items())]
    every = [ratio for ratios in by_class.values() for ratio in ratios]
    below = sum(ratio < 0.95 for ratio in every)
    first = [row[1] / row[0] for row in found.values()]
    say = (f"{report.aligned(means)}\n\nAll {len(every)}: geometric mean {mean(every):.2f}, the worst {min(every):.2f}, {below} below 0.95. "
           f"First calls: {mean(first):.0f} times as fast, {min(first):.0f} at the worst.")
    rounds.keep("hand_written", found)
    about = ("Hand-written loops, by category. `benches/hand_written.py --docs` writes this section: both sides run alternately on one "
             "machine, and the minimum of each counts. The ratio is Numba's time divided by Rumba's; Rumba checks bounds, Numba does not. First calls are "
             "measured once, in wall-clock time: on a busy machine both sides take several times as long.")
    rounds.show("Loops written by hand", about, lines, say, numba, args.docs)
    if args.docs:
        import plots

        plots.renew()


if __name__ == "__main__":
    if sys.argv[1:2] == ["--serve"]:
        serve(sys.argv[2], {"boundscheck": False} if "--unchecked" in sys.argv else {})
    else:
        main()
