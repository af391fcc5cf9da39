"""Tables of benchmark rows for people: on the terminal and as docs/benchmarks.md."""
import json
import math
import os
import platform
import subprocess
import sys

PAGE = """# Benchmarks

Rumba and Numba on the same machine, in one run. `make bench ARGS=--docs` measures and writes this page.

{table}

All figures are minima; *times* is Numba's minimum divided by Rumba's, with a 95% bootstrap interval.
A limit is a goal of the project; it counts as missed only if the interval of Rumba's minimum is above it.

## The library

A function that calls `sorted`, `statistics.median` and `bisect.bisect_left` on a tuple, in a process that has compiled before; then the array
expressions and the uses of the array library below, each for the first time in its process. With the library image, and with
image and user cache empty.

{library}

## Kernels

Fifteen functions over scalars and tuples (`benches/kernels/scalar.py`): the first call in a process that has compiled
before, including the decorator, and the run time, compared with Numba and with the same in C with Python's checks
(`benches/kernels/scalar.c`, clang -O3 -march=native). Ratios above 1 mean that Rumba is faster.

{scalar}

## Loops over arrays

Twenty-one loops over arrays of one to three dimensions (`benches/kernels/arrays.py`), in the same way. Rumba checks every index, Numba
does not, and C (`benches/kernels/arrays.c`) does not even handle negative indices. The last columns are Rumba's own
run times with `boundscheck=False`.

{arrays}

## Array expressions

Seventeen expressions over whole arrays (`benches/kernels/expressions.py`), in the same way; most over 10^6 items.

{expressions}

## Long expressions

Expressions of many operators (`benches/kernels/long_expressions.py`, over four arrays of 10^4 items): compile time should grow linearly with
their number.

{long_expressions}

## Mathematical functions

Loops and expressions over 10^6 doubles and singles (`benches/kernels/mathematics.py`), in the same way. [Mathematics](mathematics.md) describes
their accuracy.

{mathematics}

## The array library

Forty uses of NumPy's functions over 10^6 items and of linear algebra over matrices of 200 rows
(`benches/kernels/array_library.py`), in the same way, with at most five pairs of processes; compared with NumPy's own time for
the same code. The goals are 0.75 of Numba's time in the geometric mean (1.33 *times*), at most 1.05 of it (0.95
*times*), and at most 1.2 of NumPy's (0.83 *times*).

{array_library}

## Containers

Loops over lists, dicts and sets created in compiled code (`benches/kernels/containers.py`), in the same
way, with at most two pairs of processes; compared with Rust's `Vec`, `indexmap` and `hashbrown` (`benches/rust`).

{containers}

## Text

Operations on strings in loops (`benches/kernels/text.py`), at most two pairs of processes; compared with Rust's `str`.

{text}

## Random numbers

A million numbers of `np.random`, `random` and Generators (`benches/kernels/draws.py`), in loops and as arrays.

{draws}

## Machine

{machine}

## Method

- Every sample comes from a separate process; processes of Rumba and Numba alternate ({pairs} pairs for each row),
  and each side starts every other pair. One process of each side before the first pair is not counted.
- Time is measured inside the process with `time.perf_counter`: starting Python and importing NumPy do not count.
- *Import*: NumPy is imported before; only `import rumba` or `import numba` is measured.
  Rumba loads its compiler when the first function is decorated, so compare the row of both together.
- *First call*: decorating and calling `add(1, 2)` after the import. *Next function*: the same for further functions
  in the same process, the fastest of five. *Summing loop*: the same for functions with a loop, the fastest of five.
- *Call overhead*: one call from a plain Python loop with twenty calls in its body, including the interpreter's own work for
  the call; the fastest of 60 runs of 40,000 calls.
- *Kernels*: all in one process of each side per pair; first calls are the fastest of three new functions, run times
  the fastest of nine calls, or of as many as fit into a twentieth of a second.
- The minimum is reported because other work on the machine only adds to a sample.
  Source of the intervals: B. Efron, "Bootstrap methods: another look at the jackknife", 1979; pairs are resampled.
"""


def machine(numba_python):
    """Processor and versions."""
    code = ("import json, platform, numba, llvmlite, numpy; print(json.dumps({'numba': numba.__version__, "
            "'llvmlite': llvmlite.__version__, 'numba_numpy': numpy.__version__, "
            "'numba_python': platform.python_version()}))")
    theirs = json.loads(subprocess.run([numba_python, "-c", code], capture_output=True, text=True, check=True).stdout)
    import numpy
    import rumba

    return {"processor": processor(), "cores": os.cpu_count(), "system": system(), "rumba": rumba.__version__,
            "python": platform.python_version(), "numpy": numpy.__version__, **theirs}


def processor():
    """The processor's name."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            names = [line.split(":", 1)[1].strip() for line in file if line.startswith("model name")]
    except OSError:
        names = []
    return names[0] if names else platform.processor() or platform.machine()


def system():
    """The system's name and version."""
    try:
        return platform.freedesktop_os_release()["PRETTY_NAME"]
    except OSError:
        return f"{platform.system()} {platform.release()}" if sys.platform != "linux" else "Linux"


def machine_line(data):
    """The machine in a sentence."""
    return (f"{data['processor']}, {data['cores']} cores, {data['system']}; Rumba {data['rumba']} on CPython "
            f"{data['python']} with NumPy {data['numpy']}; Numba {data['numba']} (llvmlite {data['llvmlite']}) on "
            f"CPython {data['numba_python']} with NumPy {data['numba_numpy']}.")


def number(value):
    """Three significant digits."""
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def line(row):
    """A row as soon as it is measured."""
    return f"{row.name:12} {number(row.best):>8} {row.unit}   Numba {number(row.their_best):>8} {row.unit}   {row.verdict}"


def cells(row):
    """The columns of a row."""
    low, high = row.ratio_interval
    limit = "-" if row.limit is None else f"{row.limit:g} {row.unit}"
    return (row.what, f"{number(row.their_best)} {row.unit}", f"{number(row.best)} {row.unit}",
            f"{number(row.ratio)} ({number(low)} to {number(high)})", limit, row.verdict)


def table(rows):
    """A Markdown table, aligned so that it reads well on a terminal."""
    return aligned([("what", "Numba", "Rumba", "times (95% interval)", "limit", "verdict"), *map(cells, rows)])


def aligned(lines):
    """Rows of texts as a Markdown table, the first as its head."""
    widths = [max(map(len, column)) for column in zip(*lines)]
    texts = ["| " + " | ".join(f"{cell:{width}}" for cell, width in zip(entry, widths)) + " |" for entry in lines]
    texts.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join(texts)


def library_table(rows):
    """First calls with functions of the library, which are Rumba's alone."""
    lines = [(row.what, f"{number(row.best)} {row.unit}", "-" if row.limit is None else f"{row.limit:g} {row.unit}", row.verdict)
             for row in rows]
    return aligned([("what", "Rumba", "limit", "verdict"), *lines]) if rows else ""


def geometric_mean(values):
    """Of positive numbers."""
    return math.exp(sum(map(math.log, values)) / len(values))


def kernel_table(kernels):
    """First calls and run times of the kernels, and their geometric means."""
    if not kernels:
        return ""
    others = [side for side in OTHERS if side in kernels[0]]
    lines = [("kernel", "first: Numba", "Rumba", "times", "run: Numba", "Rumba", "times",
              *(cell for side in others for cell in (OTHERS[side], "times")))]
    for rows in kernels:
        lines.append((rows["run"].what, *compared(rows["first"]), *compared(rows["run"]),
                      *(cell for side in others for cell in compared(rows[side])[::2])))
    means = {side: number(geometric_mean([rows[side].ratio for rows in kernels])) for side in kernels[0]}
    lines.append(("geometric mean", "", "", means["first"], "", "", means["run"],
                  *(cell for side in others for cell in ("", means[side]))))
    if "numpy" in kernels[0]:
        least = {side: number(min(rows[side].ratio for rows in kernels)) for side in kernels[0]}
        lines.append(("worst", "", "", least["first"], "", "", least["run"],
                      *(cell for side in others for cell in ("", least[side]))))
    return aligned(lines)


# The columns that stand beside Numba's.
OTHERS = {"c": "C", "rust": "Rust", "numpy": "NumPy", "unchecked": "unchecked"}


def compared(row):
    """Their time, ours, and the ratio."""
    return f"{number(row.their_best)} ms", f"{number(row.best)} ms", f"{row.ratio:.2f}" if row.ratio < 5 else f"{row.ratio:.1f}"


def page(rows, library, kernels, data, pairs):
    """docs/benchmarks.md."""
    tables = {module: kernel_table(groups) for module, groups in kernels.items()}
    return PAGE.format(table=table(rows), library=library_table(library), machine=machine_line(data), pairs=pairs, **tables)
