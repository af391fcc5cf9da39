"""Every function of arrays and numbers against NumPy: the bits of values, dtypes, shapes, classes of exceptions.

    python -m tests.differential.ufunc_table --minutes 20            rounds over all subjects, new cases in each
    python -m tests.differential.ufunc_table --only "np.add" --seed 3 --show

A case is a subject (`ufunc_subjects`) with a dtype, a layout and values for each parameter (`ufunc_values`). What is decided
otherwise than in NumPy stands with its reason in `ufunc_decided`. Workers are processes of their own, so that a crash is a
failure of the case that they began.
"""
import argparse
import json
import os
import subprocess
import sys
import time
import warnings
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np

from . import ufunc_decided as decided
from .ufunc_subjects import subjects
from .ufunc_values import DTYPES, LAYOUTS, parameter

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 120.0


class Case:
    """A subject with dtypes, layouts and a seed for the values."""

    def __init__(self, subject, dtypes, layouts, ndim, tame, seed):
        self.subject, self.dtypes, self.layouts, self.ndim, self.tame, self.seed = subject, dtypes, layouts, ndim, tame, seed
        self.decision = None

    @classmethod
    def drawn(cls, subject, seed):
        """A case by chance."""
        rng = np.random.default_rng(seed)
        count = len(subject.params)
        dtypes = [DTYPES[at] for at in rng.integers(0, len(DTYPES), count)]
        if count > 1 and rng.integers(0, 3) == 0:
            dtypes = [dtypes[0]] * count
        plain = rng.integers(0, 3) == 0
        layouts = ["C"] * count if plain else [LAYOUTS[at] for at in rng.integers(0, len(LAYOUTS), count)]
        return cls(subject, dtypes, layouts, int(rng.integers(1, 3)), bool(rng.integers(0, 2)), seed)

    def arguments(self):
        """The arguments, new ones each time."""
        rng = np.random.default_rng([self.seed, 1])
        made = zip(self.subject.params, self.dtypes, self.layouts)
        return [parameter(kind, rng, dtype, layout, self.ndim, self.tame) for kind, dtype, layout in made]

    def function(self):
        """The function of the subject's expression or statement."""
        names = ", ".join("abcd"[:len(self.subject.params)])
        source = self.subject.source
        inside = f" return {source}" if _is_expression(source) else f" {source}\n return a"
        scope = {"np": np}
        exec(f"def f({names}):\n{inside}\n", scope)
        return scope["f"]

    def __str__(self):
        given = ", ".join(f"{dtype} {layout}" for dtype, layout in zip(self.dtypes, self.layouts))
        return f"{self.subject.name} ({given}; {self.ndim}d, seed {self.seed})"


def _is_expression(source):
    try:
        compile(source, "", "eval")
    except SyntaxError:
        return False
    return True


def _outcome(function, args):
    """What a call gives: a value, or the exception."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return function(*args), None
        except Exception as error:
            return None, error


def compare(case):
    """Nothing, or the kind of difference and what is to be said about it."""
    import rumba
    from rumba.errors import TypingError

    args = case.arguments()
    function = case.function()
    expected, error = _outcome(decided.oracle(case.subject, function), case.arguments())
    if decided.is_beyond(case, expected):
        return None
    compiled = rumba.njit(function)
    found, failure = _outcome(compiled, args)
    if error or failure:
        return _compare_errors(case, expected, error, found, failure, TypingError)
    difference = _difference(expected, found, decided.ulps(case.subject))
    if difference is None and not isinstance(expected, (np.ndarray, tuple, list)):
        difference = _compare_type(expected, compiled)
    if difference:
        return _unless_decided(case, difference[0], f"{difference[1]}\n      NumPy {expected!r}\n      found {found!r}")
    return None


def _unless_decided(case, kind, text):
    case.decision = decided.decision(case, kind, text)
    return None if case.decision else (kind, text)


def _compare_errors(case, expected, error, found, failure, typing_error):
    """What NumPy refuses for its types, the compiler refuses when it compiles."""
    if failure is not None and type(failure).__name__ == "InternalError":
        return ("internal error", str(failure)[:300])
    if error and failure:
        if isinstance(failure, type(error)) or isinstance(error, type(failure)):
            return None
        if isinstance(failure, typing_error) and isinstance(error, (TypeError, ValueError, IndexError, AttributeError)):
            return None
        kind, text = ("class", f"NumPy {type(error).__name__}: {str(error)[:150]}\n      found {type(failure).__name__}: {_brief(failure)}")
    elif failure:
        kind = "refused" if isinstance(failure, typing_error) else "raises"
        text = (f"NumPy {expected!r}\n      found {type(failure).__name__}: {_brief(failure)}")
    else:
        kind, text = ("accepted", f"NumPy {type(error).__name__}: {str(error)[:150]}\n      found {found!r}")
    return _unless_decided(case, kind, text)


def _brief(failure):
    text = [line for line in str(failure).split("\n") if line.strip()]
    return " ".join(text[:6])[:300]


def _difference(expected, found, ulps):
    if isinstance(expected, (tuple, list)):
        if type(found) is not type(expected) and not isinstance(found, (tuple, list)) or len(found) != len(expected):
            return ("value", "another number of items")
        for one, other in zip(expected, found):
            difference = _difference(one, other, ulps)
            if difference:
                return difference
        return None
    if isinstance(expected, np.ndarray) != isinstance(found, np.ndarray):
        return ("kind", f"{type(expected).__name__} and {type(found).__name__}")
    if isinstance(expected, np.ndarray):
        if expected.dtype != found.dtype:
            return ("dtype", f"{expected.dtype} and {found.dtype}")
        if expected.shape != found.shape:
            return ("shape", f"{expected.shape} and {found.shape}")
    elif isinstance(expected, (np.generic, int, float, complex)):
        wide = np.asarray(found)
        if np.asarray(expected).dtype.kind != wide.dtype.kind and {np.asarray(expected).dtype.kind, wide.dtype.kind} != {"i", "u"}:
            return ("dtype", f"{np.asarray(expected).dtype} and {wide.dtype}")
        expected = np.asarray(expected)
        # Boxed as Python's numbers, singles have more digits.
        with np.errstate(all="ignore"):
            found = wide.astype(expected.dtype)
    elif isinstance(expected, (str, bytes, type(None))):
        return None if found == expected else ("value", "other values")
    else:
        return None
    return None if _same_bits(expected, found, ulps) else ("value", "other values")


def _compare_type(expected, compiled):
    """The dtype of a NumPy number is the type of what is returned."""
    if not isinstance(expected, np.generic) or expected.dtype.kind not in "biufc":
        return None
    found = str(compiled.nopython_signatures[-1].return_type)
    return None if found == expected.dtype.name or found.startswith("Literal") else (
        "dtype", f"{expected.dtype.name} and {found}")


def _same_bits(expected, found, ulps):
    kind = expected.dtype.kind
    if kind == "c":
        if ulps:
            with np.errstate(all="ignore"):
                near = abs(expected - found) <= 8 * ulps * np.finfo(expected.dtype).eps * abs(expected)
                special = ~(np.isfinite(expected) & np.isfinite(found))
            return bool(np.all(near | special & (_special(expected) == _special(found))))
        return all(_same_bits(part(expected), part(found), ulps) for part in (np.real, np.imag))
    if kind == "f":
        both_nan = np.isnan(expected) & np.isnan(found)
        equal = (expected == found) & (np.signbit(expected) == np.signbit(found))
        if ulps:
            with np.errstate(all="ignore"):
                equal |= abs(expected - found) <= ulps * abs(np.spacing(expected))
        return bool(np.all(both_nan | equal))
    if kind in "mM":
        return bool(np.all(expected.view("i8") == found.view("i8"))) if expected.dtype == found.dtype else False
    return bool(np.all(expected == found))


def _special(numbers):
    """Which numbers are infinite or NaN."""
    return np.isnan(numbers) | np.isinf(numbers)


# Rounds.

def case_of(number, seed, chosen):
    """The case of a number: its subject takes turns."""
    return Case.drawn(chosen[number % len(chosen)], seed * 1_000_003 + number)


def run_here(first, count, seed, only, tell):
    """Runs cases in this process; `tell` hears what happens."""
    chosen = [subject for subject in subjects() if only in (None, subject.name)]
    for number in range(first, first + count):
        case = case_of(number, seed, chosen)
        tell({"begin": number})
        difference = compare(case)
        event = {"end": number, "decided": case.decision and case.decision.reason}
        if difference:
            event |= {"kind": difference[0], "subject": case.subject.name, "text": f"{case}\n      {difference[1]}",
                      "dtypes": case.dtypes}
        tell(event)


def campaign(seed, count, first=0, only=None, jobs=1, seconds=None, share=400):
    """Runs cases in processes: how many were run, the failures by subject and kind, and how many differences each decision
    explained."""
    end = time.monotonic() + seconds if seconds else None
    failures, explained, done, at = defaultdict(list), Counter(), 0, first
    limit = first + count
    while at < limit and not (end and time.monotonic() > end):
        groups = []
        for _ in range(jobs):
            size = min(share, limit - at)
            if size > 0:
                groups.append((_start(at, size, seed, only), at, size))
                at += size
        for process, begin, size in groups:
            while size > 0:
                last, events = _listen(process)
                for event in events:
                    if event["decided"]:
                        explained[event["decided"]] += 1
                    if "kind" in event:
                        failures[event["subject"], event["kind"]].append(event["text"])
                if last is None:
                    break
                chosen = [subject for subject in subjects() if only in (None, subject.name)]
                case = case_of(last, seed, chosen)
                failures[case.subject.name, "crash"].append(str(case))
                size -= last + 1 - begin
                begin = last + 1
                if size > 0:
                    process = _start(begin, size, seed, only)
        done = at - first
    return done, failures, explained


def _start(first, count, seed, only):
    plan = json.dumps([first, count, seed, only])
    return subprocess.Popen([sys.executable, "-m", "tests.differential.ufunc_table", "--worker", plan], cwd=ROOT,
                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                            env=dict(os.environ, PYTHONPATH=str(ROOT)))


def _listen(process):
    """What a worker said, and the case in which it ended too early, or nothing."""
    begun, events = None, []
    try:
        said, _ = process.communicate(timeout=PATIENCE * 10)
    except subprocess.TimeoutExpired:
        process.kill()
        said, _ = process.communicate()
    for line in said.splitlines():
        if not line.startswith("{"):
            continue
        event = json.loads(line)
        if "begin" in event:
            begun = event["begin"]
        elif "end" in event:
            begun = None
            events.append(event)
    return (begun if process.returncode else None), events


def report(failures, texts=1):
    """Failures in groups, the largest first."""
    lines = []
    for (subject, kind), found in sorted(failures.items(), key=lambda item: (item[0][1], -len(item[1]))):
        lines.append(f"{kind}: {subject}, {len(found)} times")
        lines += [f"    {text}" for text in found[:texts]]
    return "\n".join(lines)


def main():
    """The command line; the exit code is 1 if something differed."""
    parser = argparse.ArgumentParser(prog="python -m tests.differential.ufunc_table", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float)
    parser.add_argument("--cases", type=int, default=10**9)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--only", help="the name of one subject")
    parser.add_argument("--texts", type=int, default=1, help="how many failures of a group are shown")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.worker:
        run_here(*json.loads(args.worker), lambda event: print(json.dumps(event), flush=True))
        return 0
    if args.minutes is None and args.cases == 10**9:
        args.cases = 5000
    done, failures, explained = campaign(args.seed, args.cases, args.first, args.only, args.jobs,
                              args.minutes and 60 * args.minutes)
    print(report(failures, args.texts))
    for reason, times in explained.most_common():
        print(f"decided {times} times: {reason}")
    print(f"{done} cases of seed {args.seed}, {sum(map(len, failures.values()))} failures in {len(failures)} groups")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
