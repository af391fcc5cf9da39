"""Rumba beside Numba: import, first calls, call overhead; kernels over scalars and arrays beside Numba and C.

    make bench                           all, 15 pairs each
    make bench ARGS="--pairs 40 first"   one of them, more often
    make bench ARGS="--docs"             writes docs/benchmarks.md and its plots, too

Each bench runs in processes of its own, ours and theirs in turns. Reported are the minima, their ratio and
a bootstrap interval of it. A limit counts as missed only if the interval of our minimum excludes it.
Numba runs in `.venv-numba`, made from benches/requirements.txt when it is missing.
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import plots
import report
import sections
from statistics_of_minima import Row

ROOT = Path(__file__).resolve().parents[1]
NUMBA = ROOT / ".venv-numba"

# Name, what is measured, the unit as a factor and its name, the limit in that unit.
BENCHES = (
    ("import", "`import rumba` beyond NumPy's own import", 1e3, "ms", 12.0),
    ("first", "first call of `add(1, 2)` in a fresh process", 1e3, "ms", 8.0),
    ("import_first", "import and first call together", 1e3, "ms", 20.0),
    ("next", "next new function of that size, warm process", 1e3, "ms", 2.5),
    ("loop", "warm first call of a summing loop", 1e3, "ms", 8.0),
    ("call_int", "call overhead, two ints", 1e9, "ns", 35.0),
    ("call_float", "call overhead, two floats", 1e9, "ns", None),
    ("call_arrays", "call overhead, two arrays", 1e9, "ns", 45.0),
    ("new_array", "call that returns a new array", 1e9, "ns", None),
    ("three_containers", "warm first call over a str, a list and a dict", 1e3, "ms", 25.0),
    ("list_in_out", "a Python list of 1,000,000 floats in and back", 1e3, "ms", None),
    ("dict_in", "a Python dict of 100,000 items in (Numba: `typed.Dict` filled)", 1e3, "ms", None),
)

# Of Rumba alone, in a process that has compiled before: name, what, factor, unit, limit; which bench, whether image and store are empty, and
# which of its figures.
LIBRARY = (
    ("library", "first call with three library functions", 1e3, "ms", 10.0, "library", False, None),
    ("library_miss", "the same with image and cache empty", 1e3, "ms", 60.0, "library", True, None),
    ("first_median", "first calls of 57 functions over arrays, the median", 1e3, "ms", 15.0, "first_calls", False, 0),
    ("first_worst", "the worst", 1e3, "ms", 60.0, "first_calls", False, 1),
    ("miss_median", "the median with image and cache empty", 1e3, "ms", None, "first_calls", True, 0),
    ("miss_worst", "the worst with image and cache empty", 1e3, "ms", None, "first_calls", True, 1),
)

# Modules of kernels: one process of each side gives every kernel's first call and run time.
MODULES = ("scalar", "arrays", "expressions", "long_expressions", "mathematics", "array_library", "containers", "text",
           "draws")

# Those that stand beside Rust's own libraries.
IN_RUST = ("containers", "text")


# Those that stand beside NumPy, which runs the same text.
IN_NUMPY = ("array_library",)


# Numba compiles functions over containers, of its array library and of long expressions for seconds each.
MOST_PAIRS = {"containers": 2, "text": 2, "array_library": 5, "long_expressions": 3}


def ensure_numba():
    """The Python of the environment that has Numba."""
    python = NUMBA / "bin" / "python"
    wanted = ROOT / "benches" / "requirements.txt"
    stamp = NUMBA / "requirements.txt"
    if not python.exists() or not stamp.exists() or stamp.read_text() != wanted.read_text():
        print("==> installing Numba into .venv-numba", file=sys.stderr, flush=True)
        base = getattr(sys, "_base_executable", sys.executable)
        subprocess.run([base, "-m", "venv", str(NUMBA)], check=True)
        subprocess.run([str(python), "-m", "pip", "install", "-q", "-r", str(wanted)], check=True)
        stamp.write_text(wanted.read_text())
    return str(python)


def measure(python, package, bench, variables=None):
    """Seconds, of a fresh process, perhaps with further variables of the environment. BLAS runs on one thread: its threads
    wait for each other where the machine is busy."""
    command = [python, str(ROOT / "benches" / "child.py"), package, bench]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env={**os.environ, "OPENBLAS_NUM_THREADS": "1", **(variables or {})})
    if done.returncode:
        raise SystemExit(f"{package} failed in {bench}:\n{done.stderr[-2000:]}")
    return json.loads(done.stdout)


def run(bench, pairs, theirs_python):
    """The row of a bench: pairs of processes, each side first in every other pair."""
    name, what, factor, unit, limit = bench
    ours, theirs = [], []
    sides = [(ours, sys.executable, "rumba"), (theirs, theirs_python, "numba")]
    # The first process of each side fills the page cache and does not count.
    for _, python, package in sides:
        measure(python, package, name)
    for pair in range(pairs):
        for samples, python, package in sides if pair % 2 else reversed(sides):
            samples.append(measure(python, package, name) * factor)
    return Row(name, what, unit, limit, ours, theirs)


def run_library(pairs):
    """The rows of the library, each beside the other: with image and store, and where they are empty."""
    samples = {(name, missed): [] for name in ("library", "first_calls") for missed in (False, True)}
    with tempfile.TemporaryDirectory() as folder:
        # The package without the image: links to all else.
        ours = ROOT / "python" / "rumba"
        package = Path(folder) / "rumba"
        (package / "stdlib").mkdir(parents=True)
        for parent, kept in (ours, package), (ours / "stdlib", package / "stdlib"):
            for item in parent.iterdir():
                if item.name != "stdlib" and item.suffix != ".image":
                    (kept / item.name).symlink_to(item)
        measure(sys.executable, "rumba", "library")
        for pair in range(pairs):
            for name, missed in samples if pair % 2 else reversed(samples):
                variables = {"RUMBA_CACHE_DIR": str(Path(folder) / f"{pair}{name}{missed}")}
                if missed:
                    variables["PYTHONPATH"] = folder
                samples[name, missed].append(measure(sys.executable, "rumba", name, variables))

    def row(name, what, factor, unit, limit, source, missed, at):
        ours, others = ([(sample if at is None else sample[at]) * factor for sample in samples[source, side]]
                        for side in (missed, not missed))
        return Row(name, what, unit, limit, ours, others)

    return [row(*bench) for bench in LIBRARY]


def build_c(module):
    """The C file of a module of kernels as a shared library, or None where there is no clang."""
    clang = shutil.which("clang-19") or shutil.which("clang")
    if clang is None:
        print("==> no clang here: the kernels are not compared with C", file=sys.stderr, flush=True)
        return None
    library = ROOT / "benches" / "results" / f"{module}.so"
    source = ROOT / "benches" / "kernels" / f"{module}.c"
    subprocess.run([clang, "-O3", "-march=native", "-ffp-contract=off", "-shared", "-fPIC", str(source), "-o",
                    str(library), "-lm"], check=True)
    return str(library)


def build_rust():
    """The kernels in Rust as a shared library."""
    target = ROOT / "target" / "benches"
    subprocess.run(["cargo", "build", "--release", "--quiet", "--locked", "--manifest-path",
                    str(ROOT / "benches" / "rust" / "Cargo.toml"), "--target-dir", str(target)],
                   check=True, env={**os.environ, "RUSTFLAGS": "-C target-cpu=native"})
    return str(target / "release" / "libkernels.so")


def run_kernels(pairs, theirs_python, module):
    """Rows of each kernel by name: of its first call and its run time beside Numba, and where there is one beside C, Rust or
    NumPy.

    Loops over arrays have a row more, of their run time with bounds checks beside the one without.
    """
    library = build_c(module) if (ROOT / "benches" / "kernels" / f"{module}.c").exists() else None
    sides = {"rumba": (sys.executable, "rumba", module), "numba": (theirs_python, "numba", module)}
    if library:
        sides["c"] = (sys.executable, "c", f"{library}:{module}")
    if module in IN_RUST:
        sides["rust"] = (sys.executable, "c", f"{build_rust()}:{module}")
    if module in IN_NUMPY:
        sides["numpy"] = (sys.executable, "numpy", module)
    if module == "arrays":
        sides["unchecked"] = (sys.executable, "rumba", "unchecked")
    samples = {side: [] for side in sides}
    for pair in range(pairs):
        for side in sides if pair % 2 else reversed(sides):
            samples[side].append(measure(*sides[side]))
        print(f"{module}: {pair + 1} of {pairs}", file=sys.stderr, flush=True)

    def row(name, kind, what, theirs):
        ours, others = ([sample[name][kind] * 1e3 for sample in samples[side]] for side in ("rumba", theirs))
        return Row(f"{what}_{name}", name, "ms", None, ours, others)

    return [{"first": row(name, 0, "first", "numba"), "run": row(name, 1, "run", "numba"),
             **{side: row(name, 1, side, side) for side in ("c", "rust", "numpy", "unchecked") if side in sides}}
            for name in samples["rumba"][0]]


def write_page(text):
    """Writes docs/benchmarks.md and its plots; what benches/startup.py wrote there stays."""
    path = ROOT / "docs" / "benchmarks.md"
    startup = sections.body(path.read_text(), "Start-up")
    path.write_text(sections.with_body(text, "Start-up", startup, "Machine") if startup else text)
    plots.renew(path)


def main():
    """Runs the benches that are named, or all; the exit code is 1 if a limit is missed."""
    names = [*(bench[0] for bench in BENCHES), "library", *MODULES]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("benches", nargs="*", metavar="BENCH", help=f"of {', '.join(names)}")
    parser.add_argument("--pairs", type=int, default=15)
    parser.add_argument("--docs", action="store_true", help="write docs/benchmarks.md")
    args = parser.parse_args()
    if unknown := set(args.benches) - set(names):
        parser.error(f"no bench {', '.join(sorted(unknown))}; there are {', '.join(names)}")
    python = ensure_numba()
    rows = []
    for bench in BENCHES:
        if not args.benches or bench[0] in args.benches:
            rows.append(run(bench, args.pairs, python))
            print(report.line(rows[-1]), flush=True)
    library = run_library(args.pairs) if not args.benches or "library" in args.benches else []
    folder = ROOT / "benches" / "results"
    folder.mkdir(exist_ok=True)
    kernels = {module: run_kernels(min(args.pairs, MOST_PAIRS.get(module, args.pairs)), python, module)
               for module in MODULES if not args.benches or module in args.benches}
    machine = report.machine(python)
    all_rows = [*rows, *library, *(row for groups in kernels.values() for group in groups for row in group.values())]
    path = folder / time.strftime("%Y%m%d-%H%M%S.json")
    path.write_text(json.dumps({"machine": machine, "rows": [row.data() for row in all_rows]}, indent=1))
    tables = [report.table(rows) if rows else "", report.library_table(library), *map(report.kernel_table, kernels.values())]
    print("\n" + "\n\n".join(filter(None, tables)) + f"\n\n{report.machine_line(machine)}\n"
          f"load {os.getloadavg()[0]:.1f}; all samples: {path.relative_to(ROOT)}")
    if args.docs:
        write_page(report.page(rows, library, kernels, machine, args.pairs))
    return 1 if any(row.verdict == "missed" for row in [*rows, *library]) else 0


if __name__ == "__main__":
    sys.exit(main())
