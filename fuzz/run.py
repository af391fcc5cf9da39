"""Random programs until a time limit: CPython, the reference interpreter and machine code must agree.

    make fuzz                               ten minutes, a new seed each round
    make fuzz ARGS="--minutes 120"          longer
    make fuzz ARGS="--seed 5 --minutes 1"   the rounds start at this seed

Failures are printed and appended to fuzz/failures.txt, each with the command that runs it again.
"""
import argparse
import os
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests.differential.campaign import Campaign, Plan, Result  # noqa: E402

# What the rounds take turns in.
KINDS = ({}, {"calls": True}, {"complexes": True}, {"calls": True, "complexes": True})
ROUND = 400


def main():
    """Runs rounds; the exit code is 1 if anything failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=int(time.time()) % 1_000_000)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--output", type=Path, default=ROOT / "fuzz" / "failures.txt")
    args = parser.parse_args()
    end = time.monotonic() + 60 * args.minutes
    programs, failures, round_number = 0, 0, 0
    print(f"seed {args.seed}, {args.minutes:g} minutes, {args.jobs} jobs", flush=True)
    total = Result()
    while (left := end - time.monotonic()) > 1:
        plan = Plan(seed=args.seed + round_number, programs=ROUND, seconds=left, **KINDS[round_number % len(KINDS)])
        result = Campaign(plan, args.jobs).run()
        write(result, args.output)
        programs += result.programs
        failures += sum(map(len, result.kinds.values()))
        total.coverage.add(result.coverage.data())
        round_number += 1
        print(f"{programs} programs, {failures} failures, {max(0, end - time.monotonic()):.0f} s left", flush=True)
    print(total.coverage.report(Plan(complexes=True).settings().groups))
    if failures:
        print(f"failures are in {args.output}")
    return 1 if failures else 0


def write(result, output):
    """Prints the failures of a round and keeps them."""
    for text in result.failures:
        print(f"\n{text}", flush=True)
        with output.open("a") as file:
            file.write(f"{text}\n{'=' * 100}\n")


if __name__ == "__main__":
    sys.exit(main())
