"""The command line: `python -m tests.differential --programs 2000 --seed 1 --jobs 2`."""
import json
import sys

from . import command_line, tiers
from .campaign import Campaign, Plan, Result, run_here
from .grammar import ROWS


def parse():
    """The arguments."""
    parser = command_line.parser("tests.differential", __doc__, jobs="worker processes; 0 runs in this one")
    parser.add_argument("--calls", action="store_true", help="several functions, calls and recursion")
    parser.add_argument("--complex", action="store_true", help="complex numbers, too")
    parser.add_argument("--rows", action="store_true",
                        help="not random programs, but each row of the grammar with every pair of extreme values")
    parser.add_argument("--tiers", default=",".join(tiers.USUAL), help=f"of {', '.join(tiers.TIERS)}")
    parser.add_argument("--coverage", action="store_true", help="list every row of the grammar with its count")
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
    progress = command_line.Progress(plan.programs, 20)
    result = Campaign(plan, args.jobs, progress).run() if args.jobs else in_process(plan, progress)
    progress(result)
    print(command_line.summary(
        result, f"\n{result.programs} programs of seed {plan.seed}, tiers: CPython, {', '.join(plan.tiers)}",
        result.coverage.report(plan.settings().groups, args.coverage)))
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


if __name__ == "__main__":
    sys.exit(main())
