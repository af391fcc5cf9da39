"""The command line: `python -m tests.differential.objects --kind containers --programs 500 --seed 1 --jobs 2`."""
import argparse
import json
import sys
import time

from ..campaign import Campaign
from . import isolated
from .campaign import PROFILES, Plan, Seen, run_here


def parse():
    """The arguments."""
    parser = argparse.ArgumentParser(prog="python -m tests.differential.objects", description=__doc__)
    parser.add_argument("--kind", choices=sorted(PROFILES), default="containers")
    parser.add_argument("--programs", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="number of the first program")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=0.0, help="stop after this time")
    parser.add_argument("--no-shrink", action="store_true")
    parser.add_argument("--fail-fast", action="store_true", help="stop soon after the first failure")
    parser.add_argument("--no-refusals", action="store_true", help="programs that the compiler refuses are no failures")
    parser.add_argument("--show", action="store_true", help="print the programs, run nothing")
    parser.add_argument("--shrink", action="store_true", help="make program FIRST small, also if it crashes, and print it as a test")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    return parser.parse_args()


def main():
    """Runs what the arguments say; the exit code is 1 if something failed."""
    args = parse()
    if args.worker:
        run_here(Plan(**json.loads(args.worker)), lambda event: print(json.dumps(event), flush=True))
        return 0
    plan = Plan(args.kind, args.seed, args.first, args.programs, not args.no_shrink, args.seconds, args.fail_fast,
                not args.no_refusals)
    if args.show:
        for number in range(plan.first, plan.first + plan.programs):
            print(f"# program {number}\n{plan.text(number)}")
        return 0
    if args.shrink:
        isolated.with_environment(plan.environment())
        return isolated.shrink_and_print(plan.program(args.first))
    started, printed = time.monotonic(), 0

    def progress(result):
        nonlocal printed
        for text in result.failures[printed:]:
            print("\n" + "=" * 100 + "\n" + text, flush=True)
        printed = len(result.failures)
        if result.programs % 50 == 0 or result.programs == plan.programs:
            count = sum(map(len, result.kinds.values()))
            print(f"{result.programs} programs, {count} failures, {time.monotonic() - started:.0f} s", file=sys.stderr, flush=True)

    campaign = Campaign(plan, args.jobs, progress)
    campaign.result.coverage = Seen()
    result = campaign.run()
    progress(result)
    print(summary(plan, result))
    return 1 if result.kinds else 0


def summary(plan, result):
    """What was run and found."""
    lines = [f"\n{result.programs} programs of seed {plan.seed}, {plan.kind}", result.coverage.report()]
    for kind, numbers in sorted(result.kinds.items(), key=lambda item: -len(item[1])):
        shown = ", ".join(map(str, numbers[:5])) + (" ..." if len(numbers) > 5 else "")
        lines.append(f"FAILED {len(numbers)} times: {kind}  [programs {shown}]")
    return "\n".join(lines if result.kinds else [*lines, "no difference found"])


if __name__ == "__main__":
    sys.exit(main())
