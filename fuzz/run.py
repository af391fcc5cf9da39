"""Random programs of all kinds in turns until a time limit: numbers against an emulation, everything else against CPython itself.

    make fuzz                                     ten minutes, a new seed each round
    make fuzz ARGS="--minutes 40"                 longer
    make fuzz ARGS="--seed 5 --minutes 1"         the rounds start at this seed
    make fuzz ARGS="--kinds arrays containers"    these kinds alone
    make fuzz ARGS="--minutes 40 --record"        what was run goes to fuzz/campaigns.json and to the table in docs/proof.md

Failures are made small, printed and appended to fuzz/failures.txt, each with the command that runs it again.
"""
import argparse
import os
import signal
import sys
import time
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from fuzz import campaigns  # noqa: E402
from tests.differential.campaign import Campaign, Plan, Result  # noqa: E402
from tests.differential.objects.campaign import Plan as ObjectPlan  # noqa: E402
from tests.differential.objects.campaign import Seen  # noqa: E402
from tests.differential.objects.generator import PROFILES  # noqa: E402

NUMBERS = {"numbers": {}, "numbers, several functions": {"calls": True}, "all number types": {"complexes": True},
           "all number types, several functions": {"calls": True, "complexes": True}}
# Programs of a round, of how many one is compiled with LLVM's optimizations, and seconds between lines of progress.
ROUND, OPTIMIZED, EVERY = 400, 10, 15.0


def plan(kind, seed, seconds):
    """What a round runs."""
    if kind in NUMBERS:
        return Plan(seed=seed, programs=ROUND, seconds=seconds, optimized=OPTIMIZED, looked_at=ROUND, **NUMBERS[kind])
    return ObjectPlan(kind, seed, programs=ROUND, seconds=seconds, optimized=OPTIMIZED)


def main():
    """Runs rounds; the exit code is 1 if anything failed, programs that are refused apart."""
    kinds = [*NUMBERS, *PROFILES]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=int(time.time()) % 1_000_000)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--kinds", nargs="+", choices=kinds, default=kinds, metavar="KIND", help=", ".join(kinds))
    parser.add_argument("--output", type=Path, default=ROOT / "fuzz" / "failures.txt")
    parser.add_argument("--record", action="store_true", help="enter the result in the table of campaigns")
    args = parser.parse_args()
    print(f"seed {args.seed}, {args.minutes:g} minutes, {args.jobs} jobs", flush=True)
    # What ends this process from outside ends the campaign early; what it ran by then counts.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    total = Total(args)
    try:
        total.run()
    except KeyboardInterrupt:
        print("\nended early", flush=True)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    print("\n" + summary(total.programs, total.failures, total.ends))
    if args.record:
        args.minutes = round(total.seconds() / 60, 1)
        campaigns.record(args, total.programs, total.failures)
    failed, refused = campaigns.split(total.found())
    if failed or refused:
        print(f"{failed} failures and {refused} refused programs are in {args.output}")
    return 1 if failed else 0


class Total:
    """Rounds, with the programs and failures of each kind, and how calls ended."""

    def __init__(self, args):
        self.args = args
        self.programs, self.failures, self.ends = Counter(), {kind: Counter() for kind in args.kinds}, Seen()
        self.started = self.told = time.monotonic()

    def seconds(self):
        """How long it has run."""
        return time.monotonic() - self.started

    def found(self):
        """Failures and refusals of all kinds, by signature."""
        return sum(self.failures.values(), Counter())

    def run(self):
        """Rounds of all kinds in turns until the time is over, which is shared by the kinds that are left in a turn."""
        number, count = 0, len(self.args.kinds)
        while (left := 60 * self.args.minutes - self.seconds()) > 1:
            self.round(self.args.kinds[number % count], self.args.seed + number, left / (count - number % count))
            number += 1

    def round(self, kind, seed, left):
        """Programs of a kind."""
        campaign = Campaign(plan(kind, seed, left), self.args.jobs, lambda result: self.tell(kind, result))
        if kind not in NUMBERS:
            campaign.result.coverage = Seen()
        result = campaign.result
        try:
            campaign.run()
        finally:
            write(result, self.args.output)
            self.programs[kind] += result.programs
            self.failures[kind].update({signature: len(numbers) for signature, numbers in result.kinds.items()})
            if kind not in NUMBERS:
                self.ends.add(result.coverage.ends)

    def tell(self, kind, result):
        """A line of progress, now and then."""
        if time.monotonic() - self.told < EVERY:
            return
        self.told = time.monotonic()
        found = self.found() + Counter({signature: len(numbers) for signature, numbers in result.kinds.items()})
        failed, refused = campaigns.split(found)
        print(f"{self.seconds():5.0f} s: {self.programs.total() + result.programs} programs, {failed} failures, {refused} refused ({kind})",
              flush=True)


def summary(programs, failures, ends):
    """Lines of a table: kinds, programs, failures by kind, of which what the compiler refuses is counted apart."""
    lines = [ends.report()]
    for kind, count in programs.items():
        failed, refused = campaigns.split(failures[kind])
        lines.append(f"{count:8} {kind}: {failed} failures, {refused} refused")
        lines += [f"         {times:4} {signature}" for signature, times in failures[kind].most_common()]
    return "\n".join([*lines, f"{sum(programs.values()):8} programs"])


def write(result: Result, output):
    """Prints the failures of a round and keeps them."""
    for text in result.failures:
        print(f"\n{text}", flush=True)
        with output.open("a") as file:
            file.write(f"{text}\n{'=' * 100}\n")


if __name__ == "__main__":
    sys.exit(main())
