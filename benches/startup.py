"""From the start of a process to its result: twenty small scripts under Rumba and under Numba, in turns.

    .venv/bin/python benches/startup.py              7 rounds
    .venv/bin/python benches/startup.py --docs       and the section of docs/benchmarks.md
    .venv/bin/python benches/startup.py --rounds 3 add dict

What counts is the time of `python script.py` beyond that of `python -c "import numpy"` with the same interpreter. Reported are the
minima, their ratio for each script, and the geometric mean of the ratios. Both sides must print the same.
"""
import math
import pathlib
import subprocess
import sys
import tempfile
import time

import report
import rounds
from run import ensure_numba
from startup_scripts import SCRIPTS

EMPTY = "numpy alone"
ABOUT = """Twenty small scripts (`benches/startup_scripts.py`), from the start of the process to the printed result
(`benches/startup.py --docs` measures and writes this section)."""


def timed(python, path):
    """Seconds that a script takes from the start of its process to the end, and what it prints."""
    started = time.perf_counter()
    done = subprocess.run([python, str(path)], capture_output=True, text=True, cwd=path.parent)
    seconds = time.perf_counter() - started
    if done.returncode:
        raise SystemExit(f"{path.name} failed under {python}:\n{done.stderr[-2000:]}")
    return seconds, done.stdout


def write_scripts(folder, names):
    """The scripts of both packages, and the one that does nothing but import NumPy: paths by name and package."""
    paths = {}
    for package in ("rumba", "numba"):
        for name in names:
            paths[name, package] = folder / f"{name}_{package}.py"
            paths[name, package].write_text(SCRIPTS[name].replace("PACKAGE", package))
        paths[EMPTY, package] = folder / f"empty_{package}.py"
        paths[EMPTY, package].write_text("import numpy\n")
    return paths


def measure(names, count, pythons):
    """The least seconds by name and package."""
    best = {}
    with tempfile.TemporaryDirectory() as folder:
        paths = write_scripts(pathlib.Path(folder), names)
        for turn in range(-1, count):
            for name in [EMPTY, *names]:
                printed = []
                for package in ("rumba", "numba") if turn % 2 else ("numba", "rumba"):
                    seconds, text = timed(pythons[package], paths[name, package])
                    printed.append(text)
                    # The first round fills the page cache and the users' stores, and does not count.
                    if turn >= 0:
                        best[name, package] = min(best.get((name, package), math.inf), seconds)
                if printed[0] != printed[1]:
                    raise SystemExit(f"{name}: one side prints {printed[0]!r}, the other {printed[1]!r}")
            print(f"round {turn + 1} of {count}", file=sys.stderr, flush=True)
    return best


def main():
    """Measures, and prints the table."""
    parser = rounds.parser(__doc__, 7)
    parser.add_argument("scripts", nargs="*", metavar="SCRIPT", help=f"of {', '.join(SCRIPTS)}")
    args = parser.parse_args()
    if unknown := set(args.scripts) - set(SCRIPTS):
        parser.error(f"no script {', '.join(sorted(unknown))}; there are {', '.join(SCRIPTS)}")
    names = args.scripts or list(SCRIPTS)
    numba = ensure_numba()
    best = measure(names, args.rounds, {"rumba": sys.executable, "numba": numba})
    lines, ratios = [("script", "Numba", "Rumba", "times")], []
    for name in names:
        ours, theirs = (max(best[name, package] - best[EMPTY, package], 1e-4) * 1e3 for package in ("rumba", "numba"))
        ratios.append(theirs / ours)
        lines.append((name, f"{report.number(theirs)} ms", f"{report.number(ours)} ms", report.number(ratios[-1])))
    mean = report.geometric_mean(ratios)
    lines.append(("geometric mean", "", "", report.number(mean)))
    empty = ", ".join(f"{best[EMPTY, package] * 1e3:.0f} ms for {package}'s" for package in ("rumba", "numba"))
    say = f"Beyond `python -c \"import numpy\"`, which takes {empty} interpreter; minima of {args.rounds} rounds."
    rounds.show("Start-up", ABOUT, lines, say, numba, args.docs)
    rounds.keep("startup", {"mean": mean, "best": {" ".join(key): value for key, value in best.items()}})


if __name__ == "__main__":
    main()
