"""What the command lines of both testers have in common: arguments, progress, summary."""
import argparse
import sys
import time


def parser(name, description, programs=None, jobs="worker processes"):
    """A parser with the arguments that say which programs run, and how."""
    made = argparse.ArgumentParser(prog=f"python -m {name}", description=description)
    made.add_argument("--programs", type=int, **({"default": programs} if programs else {"help": "500, or with --rows all of them"}))
    made.add_argument("--seed", type=int, default=1)
    made.add_argument("--first", type=int, default=0, help="number of the first program")
    made.add_argument("--jobs", type=int, default=1, help=jobs)
    made.add_argument("--seconds", type=float, default=0.0, help="stop after this time")
    made.add_argument("--no-shrink", action="store_true")
    made.add_argument("--fail-fast", action="store_true", help="stop soon after the first failure")
    made.add_argument("--show", action="store_true", help="print the programs, run nothing")
    made.add_argument("--worker", help=argparse.SUPPRESS)
    return made


class Progress:
    """Prints failures as they occur, and from time to time the progress of a campaign of a given number of programs."""

    def __init__(self, programs, every):
        self._programs, self._every = programs, every
        self._started, self._printed = time.monotonic(), 0

    def __call__(self, result):
        for text in result.failures[self._printed:]:
            print("\n" + "=" * 100 + "\n" + text, flush=True)
        self._printed = len(result.failures)
        if result.programs % self._every == 0 or result.programs == self._programs:
            count = sum(map(len, result.kinds.values()))
            line = f"{result.programs} programs, {count} failures, {time.monotonic() - self._started:.0f} s"
            is_terminal = sys.stderr.isatty()
            print(f"\r{line}" if is_terminal else line, end="" if is_terminal else "\n", file=sys.stderr, flush=True)


def summary(result, *lines):
    """What was run, as the lines say, and what was found."""
    found = []
    for kind, numbers in sorted(result.kinds.items(), key=lambda item: -len(item[1])):
        shown = ", ".join(map(str, numbers[:5])) + (" ..." if len(numbers) > 5 else "")
        found.append(f"FAILED {len(numbers)} times: {kind}  [programs {shown}]")
    return "\n".join([*lines, *(found or ["no difference found"])])
