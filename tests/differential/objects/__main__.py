"""The command line: `python -m tests.differential.objects --kind containers --programs 500 --seed 1 --jobs 2`."""
import json
import sys

from .. import command_line
from ..campaign import Campaign
from . import isolated
from .campaign import PROFILES, Plan, Seen, run_here


def parse():
    """The arguments."""
    parser = command_line.parser("tests.differential.objects", __doc__, programs=500)
    parser.add_argument("--kind", choices=sorted(PROFILES), default="containers")
    parser.add_argument("--no-refusals", action="store_true", help="programs that the compiler refuses are no failures")
    parser.add_argument("--shrink", action="store_true", help="make program FIRST small, also if it crashes, and print it as a test")
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
        program = plan.program(args.first)
        return isolated.shrink_and_print(program, plan.options(args.first), plan.stage(args.first, program.source))
    progress = command_line.Progress(plan.programs, 50)
    campaign = Campaign(plan, args.jobs, progress)
    campaign.result.coverage = Seen()
    result = campaign.run()
    progress(result)
    print(command_line.summary(
        result, f"\n{result.programs} programs of seed {plan.seed}, {plan.kind}", result.coverage.report()))
    return 1 if result.kinds else 0


if __name__ == "__main__":
    sys.exit(main())
