"""What benchmarks share that run rounds of processes: the processes, the least figures of all rounds, the table and its section of the page."""
import argparse
import json
import os
import subprocess
import sys
import time

import report
import sections
from run import ROOT


def parser(doc, rounds=5):
    """The command line: `--rounds` and `--docs`."""
    made = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--rounds", type=int, default=rounds)
    made.add_argument("--docs", action="store_true", help="write the section of docs/benchmarks.md")
    return made


def figures(python, text, **variables):
    """What a text prints last, as JSON, in a process of its own, perhaps with further variables of the environment. Its functions have a
    source, as those of a file."""
    source = (f"import linecache\ntext = {text!r}\nlinecache.cache['<bench>'] = (len(text), None, text.splitlines(True), '<bench>')\n"
              "exec(compile(text, '<bench>', 'exec'), {'__name__': 'bench'})\n")
    done = subprocess.run([python, "-c", source], capture_output=True, text=True, cwd=ROOT / "benches", env={**os.environ, **variables})
    if done.returncode:
        raise SystemExit(f"failed under {python}:\n{done.stderr[-2000:]}")
    return json.loads(done.stdout.splitlines()[-1])


def least(rounds, pythons, sample):
    """The least of each figure by package and name. `sample(python, package)` gives a figure, or a list of them, by name; the packages
    come first in turns."""
    best = {package: {} for package in pythons}
    for turn in range(rounds):
        for package in pythons if turn % 2 else reversed(pythons):
            for name, found in sample(pythons[package], package).items():
                best[package][name] = _smaller(best[package].get(name, found), found)
        print(f"round {turn + 1} of {rounds}", file=sys.stderr, flush=True)
    return best


def _smaller(known, found):
    if isinstance(found, list):
        return [_smaller(*both) for both in zip(known, found)]
    return None if found is None else min(known, found)


def show(heading, about, lines, say, numba, docs):
    """Prints a table with what is to be said of it; with `docs`, that becomes the section of docs/benchmarks.md."""
    table = report.aligned(lines)
    say = f"{say}\n{report.machine_line(report.machine(numba))}"
    print(f"{table}\n\n{say}")
    if docs:
        page = ROOT / "docs" / "benchmarks.md"
        page.write_text(sections.with_body(page.read_text(), heading, f"{about}\n\n{table}\n\n{say}", "Machine"))


def keep(name, data):
    """Writes figures to a file of this moment in benches/results."""
    folder = ROOT / "benches" / "results"
    folder.mkdir(exist_ok=True)
    (folder / time.strftime(f"{name}-%Y%m%d-%H%M%S.json")).write_text(json.dumps(data, indent=1))
