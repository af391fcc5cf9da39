#!/usr/bin/env python3
"""Lists the calls of NumPy's functions (tests/python/library_cases.py) that compiled code refuses or answers otherwise.

    .venv/bin/python tools/library_gaps.py             all
    .venv/bin/python tools/library_gaps.py take sort   those of the named functions
    ... --numba PYTHON                                 beside what Numba does, run by that Python
"""
import argparse
import json
import pathlib
import subprocess
import sys
import warnings

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "python"))


def plain(value):
    """A value as text that compares; the last two digits of floats are left out."""
    if isinstance(value, (tuple, list)):
        return "(" + ", ".join(map(plain, value)) + ")"
    if isinstance(value, np.ndarray):
        return f"{value.dtype} {value.shape} {[format(item, '.13g') if value.dtype.kind in 'fc' else item for item in value.ravel()]}"
    value = value.item() if isinstance(value, np.generic) else value
    return f"{value:.13g}" if isinstance(value, (float, complex)) else repr(value)


def outcome(function, args):
    try:
        return "value", plain(function(*args))
    except Exception as error:
        return type(error).__name__, str(error)


def look(names, njit):
    import library_cases

    pool = library_cases.inputs()
    for name, call in [*library_cases.expressions(), *library_cases.expressions(library_cases.GAPS)]:
        if names and name not in names:
            continue
        code = compile(call, call, "eval")
        used = [one for one in pool if one in code.co_names]
        function = eval(f"lambda {', '.join(used)}: {call}", {"np": np})
        args = [pool[one] for one in used]
        yield name, call, outcome(function, args), outcome(njit(function), args)


def verdict(expected, got):
    if got == expected:
        return "ok"
    if got[0] in ("TypingError", "UnsupportedError", "LoweringError", "NumbaTypeError", "NumbaValueError", "UnsupportedRewriteError"):
        return "both" if expected[0] == "TypeError" else "refused"
    return "differs"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--numba", help="a Python that has Numba")
    parser.add_argument("--json", action="store_true", help="with --numba's own: print verdicts alone")
    parser.add_argument("--why", action="store_true", help="with the whole message of what is refused")
    parser.add_argument("--all", action="store_true", help="also what agrees")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    if options.json:
        from numba import njit
        print(json.dumps({call: verdict(*both) for _, call, *both in look(options.names, njit)}))
        return
    from rumba import njit
    theirs = {}
    if options.numba:
        text = subprocess.run([options.numba, __file__, "--json", *options.names], capture_output=True, text=True).stdout
        theirs = json.loads(text.splitlines()[-1])
    counts = {}
    for name, call, expected, got in look(options.names, njit):
        found = verdict(expected, got)
        counts[found] = counts.get(found, 0) + 1
        if found in ("ok", "both") and not options.all:
            continue
        print(f"{found:8} {theirs.get(call, ''):8} {call}")
        if options.why and found == "refused":
            print(got[1])
        if found == "differs":
            print(f"         NumPy {expected}\n         Rumba {got}"[:1500])
    print(counts)


if __name__ == "__main__":
    main()
