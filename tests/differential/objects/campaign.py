"""Which programs are run, in this process or in workers (`Campaign` of the package around this one)."""
import gc
import re
import time
from collections import Counter
from dataclasses import dataclass, field

from ..reread import STAGES
from . import shrink
from .generator import PROFILES, generate
from .outcome import Failure, check, emulate

SHOWN_PER_KIND = 2

# What `make test` runs, and what a seeded bug is to be found by: the seed and the number of programs of a kind.
IN_TESTS = {
    "containers": (41, 70),
    "handlers": (42, 55),
    "leaving": (43, 55),
    "options": (49, 45),
    "functions": (44, 55),
    "effects": (45, 55),
    "meetings": (46, 55),
    "arrays": (47, 55),
    "iterators": (48, 45),
    "counters": (50, 45),
    "generators": (20, 45),
    "classes": (2, 45),
}


class Seen:
    """How programs ended; stands where `coverage.Coverage` does."""

    def __init__(self):
        self.ends = Counter()

    def add(self, data):
        """Adds what a worker counted."""
        self.ends.update(data)

    def report(self, *_):
        """A line."""
        total = sum(self.ends.values()) or 1
        return "calls: " + ", ".join(f"{count} {name} ({100 * count // total}%)" for name, count in self.ends.most_common(12))


@dataclass
class Plan:
    """What to run. Program number n has the seed `seed * 1_000_000_007 + n`."""

    kind: str = "containers"
    seed: int = 1
    first: int = 0
    programs: int = 100
    shrink: bool = True
    seconds: float = 0.0
    fail_fast: bool = False
    # Programs that the compiler refuses are failures, too.
    refusals: bool = True
    # One in this many programs is compiled with optimizations, which take most of the time.
    optimized: int = 1

    MODULE, PATIENCE = "tests.differential.objects", 60.0
    # In one in this many programs the text of every stage is read again, and as many are run by the interpreter of each stage.
    reread: int = 6
    # The stage whose interpreter runs all programs; "some" for a few programs by each.
    interpreted: str | None = "some"

    def program(self, number):
        """The program of a number."""
        return generate(self.seed * 1_000_000_007 + number, self.kind)

    def options(self, number):
        """How a program is compiled."""
        options = {} if number % self.optimized == 0 else {"_opt_level": 0}
        return {**options, "stages": STAGES} if number % self.reread == self.reread // 2 else options

    def stage(self, number, source):
        """The stage whose interpreter runs a program; None for machine code."""
        if self.interpreted != "some":
            return self.interpreted
        stage = {0: "explicit", 2: "typed"}.get(number % self.reread)
        # There what `del` unbinds lives until its function is left, so that its generators are closed later.
        return None if stage == "typed" and self.kind == "generators" and re.search(r"\bdel\b", source) else stage

    def text(self, number):
        """What is printed where the program took its process down."""
        return self.program(number).text()

    def command(self, number):
        """The command line that runs one program again and shrinks it."""
        return f"python -m {self.MODULE} --kind '{self.kind}' --seed {self.seed} --first {number} --shrink"

    def environment(self):
        """Freed memory is overwritten, the compiler's verifiers run, hashes are the same in each run."""
        return {"MALLOC_PERTURB_": "165", "RUMBA_VERIFY": "1", "PYTHONHASHSEED": "0"}


def run_here(plan, on_event):
    """Runs the programs in this process; tells `on_event` what happens."""
    seen, ends = Counter(), Counter()
    deadline = time.monotonic() + plan.seconds if plan.seconds else None
    gc.collect()
    gc.freeze()
    for number in range(plan.first, plan.first + plan.programs):
        if deadline and time.monotonic() > deadline:
            break
        on_event({"begin": number})
        failure, program = run_one(plan, number, ends)
        event = {"end": number}
        if failure and (plan.refusals or failure.word != "refused"):
            kind = failure.signature
            seen[kind] += 1
            event["kind"] = kind
            # What is left of the time is for programs and for making them small.
            seconds = shrink.SECONDS if deadline is None else min(shrink.SECONDS, (deadline - time.monotonic()) / 4)
            event["text"] = report(plan, number, program, failure, on_event, seconds) if seen[kind] <= SHOWN_PER_KIND else ""
            deadline = 1.0 if plan.fail_fast else deadline
        elif failure:
            ends["refused"] += 1
        on_event(event)
    on_event({"coverage": dict(ends)})


def run_one(plan, number, ends):
    """The failure of a program, and the program."""
    program = plan.program(number)
    try:
        expected = emulate(program.source, program.calls, program.after)
    except SyntaxError as error:
        return Failure("generator", str(error), str(error)), program
    for one in expected:
        ends["too long" if one is None else "gives" if one[0][0] == "gives" else one[0][1]] += 1
    return check(program.source, program.calls, program.after, expected, plan.options(number), plan.stage(number, program.source)), program


def report(plan, number, program, failure, on_event, seconds):
    """The text of a failure, of a smaller program if one fails the same way."""
    if plan.shrink and failure.word != "generator":
        options, stage = plan.options(number), plan.stage(number, program.source)
        fails = lambda one: check(one.source, one.calls, one.after, options=options, stage=stage)  # noqa: E731
        program, failure = shrink.shrink(program, failure, lambda: on_event({"shrinking": number}), fails, seconds)
    lines = [f"program {number} of seed {plan.seed} ({plan.kind}): {failure.signature}", program.text().strip(), "", failure.details,
             f"once more: {plan.command(number)}"]
    return "\n".join(lines) + "\n"
