"""Exceptions: `try` without one, raised and caught in compiled code, raised to Python, first calls; under Rumba and under Numba, in turns.

    .venv/bin/python benches/exceptions.py              5 rounds
    .venv/bin/python benches/exceptions.py --docs       and the section of docs/benchmarks.md

A round is a process of each package. Reported are the minima and their ratio; the cost of a `try` whose body does not raise is the
ratio of two loops of the same package. Numba binds no exception to a name: those rows are Rumba's alone.
"""
import sys

import report
import rounds
from run import ensure_numba

CHILD = '''
import json, sys, time
import numpy as np
from PACKAGE import njit
FOUND = {}

def least(name, function, count, repeats=25):
    """The least seconds for one of `count` things that a call does."""
    best = 1e9
    for _ in range(repeats):
        started = time.perf_counter()
        function()
        best = min(best, time.perf_counter() - started)
    FOUND[name] = best / count

@njit
def plain(values):
    total = 0.0
    for i in range(len(values)):
        total += values[i] * 2.0
    return total

@njit
def guarded(values):
    total = 0.0
    try:
        for i in range(len(values)):
            total += values[i] * 2.0
    except Exception:
        total = -1.0
    return total

@njit
def caught(values):
    total = 0.0
    for x in values:
        try:
            if x > 0.5:
                raise ValueError("text")
            total += x
        except Exception:
            total -= 1.0
    return total

@njit
def check(x):
    if x > 0.5:
        raise ValueError("text")
    return x

@njit
def caught_from_call(values):
    total = 0.0
    for x in values:
        try:
            total += check(x)
        except Exception:
            total -= 1.0
    return total

@njit
def raises(x):
    if x > 0:
        raise ValueError("text")
    return x

@njit
def raises_argument(x):
    if x > 0:
        raise ValueError(x)
    return x

def to_python(function):
    def loop():
        for _ in range(2000):
            try:
                function(1)
            except ValueError:
                pass
    return loop

values = np.ones(100_000)
for function in (plain, guarded, caught, caught_from_call):
    function(values)
    least(function.__name__, lambda: function(values), len(values))
for function in (raises, raises_argument):
    function(0)
    least(function.__name__, to_python(function), 2000, 10)

def first_division(x, y):
    try:
        return x // y
    except Exception:
        return 0

def first_loop(values, limit):
    count = 0
    for i in range(len(values)):
        try:
            if values[i] > limit:
                raise ValueError("large")
            count += 1
        except Exception:
            count -= 1
    return count

def first_finally(x):
    total = 0
    try:
        if x > 3:
            raise KeyError("x")
        total += x
    except Exception:
        total -= 1
    finally:
        total += 10
    return total

def first_nested(x):
    try:
        try:
            if x > 3:
                raise ValueError("inner")
            return x
        except Exception:
            raise KeyError("outer")
    except Exception:
        return -x

def first_call(values):
    total = 0.0
    for value in values:
        try:
            total += check(value)
        except Exception:
            total += 0.5
    return total

for function, args in ((first_division, (7, 0)), (first_loop, (values, 0.5)), (first_finally, (5,)), (first_nested, (5,)),
                       (first_call, (values[:10],))):
    compiled = njit(function)
    started = time.process_time()
    compiled(*args)
    FOUND[function.__name__] = time.process_time() - started
OURS
print(json.dumps(FOUND))
'''

OURS = '''
@njit
def check_number(x):
    if x >= 0:
        raise ValueError(x)
    return x

@njit
def bound(n):
    count = 0
    for i in range(n):
        try:
            if i >= 0:
                raise ValueError(i)
        except ValueError as error:
            count += error.args[0]
    return count

@njit
def bound_from_call(n):
    count = 0
    for i in range(n):
        try:
            check_number(i)
        except ValueError as error:
            count += error.args[0]
    return count

for function in (bound, bound_from_call):
    function(10)
    least(function.__name__, lambda: function(20_000), 20_000)
'''

ROWS = (
    ("caught", "raised and caught, in one function", 1e9, "ns"),
    ("caught_from_call", "raised in a function that is called, caught", 1e9, "ns"),
    ("bound", "raised with an argument, caught `as e`, `e.args[0]` read", 1e9, "ns"),
    ("bound_from_call", "the same, raised in a function that is called", 1e9, "ns"),
    ("raises", "raised to Python with a constant text, and caught there", 1e9, "ns"),
    ("raises_argument", "the same with an argument", 1e9, "ns"),
    ("first_division", "first call: a division in a `try`", 1e3, "ms"),
    ("first_loop", "first call: a `try` in a loop over an array", 1e3, "ms"),
    ("first_finally", "first call: `finally`", 1e3, "ms"),
    ("first_nested", "first call: nested, raised in a handler", 1e3, "ms"),
    ("first_call", "first call: around a compiled function", 1e3, "ms"),
)
ABOUT = "`try`, `except` and `raise` (`benches/exceptions.py --docs` measures and writes this section)."


def sample(python, package):
    """Seconds by name."""
    return rounds.figures(python, CHILD.replace("PACKAGE", package).replace("OURS", OURS if package == "rumba" else ""))


def main():
    """Measures, and prints the table."""
    args = rounds.parser(__doc__).parse_args()
    pythons = {"rumba": sys.executable, "numba": ensure_numba()}
    best = rounds.least(args.rounds, pythons, sample)
    lines = [("what", "Numba", "Rumba", "times")]
    for name, what, factor, unit in ROWS:
        ours, theirs = best["rumba"][name], best["numba"].get(name)
        shown = "" if theirs is None else f"{report.number(theirs * factor)} {unit}"
        times = "" if theirs is None else report.number(theirs / ours)
        lines.append((what, shown, f"{report.number(ours * factor)} {unit}", times))
    costs = [f"{100 * (best[package]['guarded'] / best[package]['plain'] - 1):.1f} %" for package in ("numba", "rumba")]
    lines.append(("time that a `try` adds to a loop in it that does not raise", *costs, ""))
    firsts = [best["numba"][name] / best["rumba"][name] for name, *_ in ROWS if name.startswith("first")]
    say = f"First calls: {report.number(report.geometric_mean(firsts))} times, the geometric mean. Minima of {args.rounds} rounds."
    rounds.show("Exceptions", ABOUT, lines, say, pythons["numba"], args.docs)
    rounds.keep("exceptions", best)


if __name__ == "__main__":
    main()
