"""The command line: `python -m tests.differential --programs 2000 --seed 1 --jobs 2`."""
import argparse
import json
import sys
import time

from . import tiers
from .campaign import Campaign, Plan, Result, run_here
from .grammar import ROWS


def parse():
    """The arguments."""
    parser = argparse.ArgumentParser(prog="python -m tests.differential", description=__doc__)
    parser.add_argument("--programs", type=int, help="500, or with --rows all of them")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="number of the first program")
    parser.add_argument("--jobs", type=int, default=1, help="worker processes; 0 runs in this one")
    parser.add_argument("--seconds", type=float, default=0.0, help="stop after this time")
    parser.add_argument("--calls", action="store_true", help="several functions, calls and recursion")
    parser.add_argument("--complex", action="store_true", help="complex numbers, too")
    parser.add_argument("--rows", action="store_true",
                        help="not random programs, but each row of the grammar with every pair of extreme values")
    parser.add_argument("--tiers", default=",".join(tiers.USUAL), help=f"of {', '.join(tiers.TIERS)}")
    parser.add_argument("--no-shrink", action="store_true")
    parser.add_argument("--fail-fast", action="store_true", help="stop soon after the first failure")
    parser.add_argument("--coverage", action="store_true", help="list every row of the grammar with its count")
    parser.add_argument("--show", action="store_true", help="print the programs, run nothing")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    args = parser.parse_args()
    args.programs = args.programs or (len(ROWS) if args.rows else 500)
    return args


def main():
    """Runs what the arguments say; the exit code is 1 if something differed."""
    args = parse()
    if args.worker:
        run_here(Plan(**json.loads(args.worker)), lambda event: print(json.dumps(event), flush=True))
        return 0
    plan = Plan(args.seed, args.first, args.programs, args.calls, args.complex, tuple(args.tiers.split(",")),
                not args.no_shrink, args.seconds, args.fail_fast, args.rows)
    if args.show:
        for number in range(plan.first, plan.first + plan.programs):
            program = plan.program(number)
            print(f"# program {number}\n{program.source()}\n# inputs: {program.inputs}\n")
        return 0
    started = time.monotonic()
    printed = 0

    def progress(result):
        nonlocal printed
        for text in result.failures[printed:]:
            print("\n" + "=" * 100 + "\n" + text, flush=True)
        printed = len(result.failures)
        if result.programs % 20 == 0 or result.programs == plan.programs:
            count = sum(map(len, result.kinds.values()))
            line = f"{result.programs} programs, {count} failures, {time.monotonic() - started:.0f} s"
            print(f"\r{line}", end="" if sys.stderr.isatty() else "\n", file=sys.stderr, flush=True)

    result = Campaign(plan, args.jobs, progress).run() if args.jobs else in_process(plan, progress)
    progress(result)
    print(summary(plan, result, args.coverage))
    return 1 if result.kinds else 0


def in_process(plan, progress):
    """The campaign without workers: for a debugger."""
    result = Result()

    def on_event(event):
        if "end" in event:
            result.programs += 1
            if "kind" in event:
                result.note(event["kind"], event["text"], event["end"])
            progress(result)
        if "coverage" in event:
            result.coverage.add(event["coverage"])

    run_here(plan, on_event)
    return result


def summary(plan, result, full):
    """What was run and found."""
    lines = [f"\n{result.programs} programs of seed {plan.seed}, tiers: CPython, {', '.join(plan.tiers)}"]
    lines.append(result.coverage.report(plan.settings().groups, full))
    for kind, numbers in sorted(result.kinds.items(), key=lambda item: -len(item[1])):
        shown = ", ".join(map(str, numbers[:5])) + (" ..." if len(numbers) > 5 else "")
        lines.append(f"FAILED {len(numbers)} times: {kind}  [programs {shown}]")
    if not result.kinds:
        lines.append("no difference found")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
