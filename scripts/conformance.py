"""The reference implementation's own tests: the page docs/conformance.md, and the tests that have to go on passing.

    scripts/conformance.py            run them all (six minutes on two cores) and write docs/conformance.md
    scripts/conformance.py --bless    the same, and rewrite tests/conformance/passing.txt
    scripts/conformance.py --check    run the modules of tests/conformance/passing.txt; a test there that fails is an error

The runner (CONFORMANCE, or ../shared/conformance/run.py) is no part of the repository: where it is not, --check says so and
does nothing. Tests that cannot pass, because Rumba decided otherwise, stand in tests/conformance/decided.txt with the reason.
"""
import argparse
import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
SITE = ROOT / "scripts" / "conformance_site"
RUNNER = pathlib.Path(os.environ.get("CONFORMANCE", ROOT.parent / "shared" / "conformance" / "run.py"))
FOLDER = ROOT / "tests" / "conformance"
PASSING, DECIDED = FOLDER / "passing.txt", FOLDER / "decided.txt"
# Modules that take long, or whose tests depend on the machine's load: not checked every time.
SLOW = {"test_sets", "test_fancy_indexing", "test_generators", "test_dyn_array", "test_np_functions", "test_unicode",
        "test_threadsafety", "test_gil", "test_parallel_backend", "test_mixed_tuple_unroller", "test_dictobject",
        "test_obj_lifetime", "test_func_lifetime", "test_linalg", "test_array_methods", "test_num_threads",
        "test_array_reductions", "test_parfors", "test_polynomial", "test_usecases", "test_deprecations",
        "test_sort", "test_random", "test_boundscheck"}


def _runner_module():
    spec = importlib.util.spec_from_file_location("runner", RUNNER)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run(modules, jobs):
    """module -> test -> [outcome, seconds, message]."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "outcomes.json")
        # Some tests start processes of their own, which are to find the same as the runner's: Rumba, and the reference's tests.
        reference = pathlib.Path(_runner_module().reference_dir())
        environment = {**os.environ, "RUMBA_AS_NUMBA": "1", "PYTHONPATH": os.pathsep.join((str(reference), str(SITE)))}
        # Tests of the cache expect that it is empty at first.
        environment.setdefault("RUMBA_CACHE_DIR", os.path.join(folder, "cache"))
        subprocess.run([sys.executable, str(RUNNER), *modules, "-j", str(jobs), "--json", str(path)], check=True, env=environment)
        return json.loads(path.read_text())


def modules_by_group():
    """(group, module), in the order of priority."""
    lines = ((RUNNER.parent / "modules.txt").read_text()).splitlines()
    return [tuple(words) for words in (line.split("#")[0].split() for line in lines) if len(words) == 2]


def decided():
    """test -> why it cannot pass."""
    lines = DECIDED.read_text().splitlines()
    return dict(line.split(": ", 1) for line in lines if line and not line.startswith("#"))


# The version of Python with which the lists of tests were made.
OF_THE_LISTS = 3, 11


def passes(outcomes):
    """The tests that pass."""
    return {test for test, (outcome, *_) in outcomes.items() if outcome == "pass"}


def describe(everything):
    """docs/conformance.md."""
    reference = json.loads((RUNNER.parent / "reference.json").read_text())
    lines = ["# Numba's own tests", "",
             "How many of the tests that pass on Numba 0.68.1 itself pass on `rumba.numba`, by module. Written by "
             "`make conformance`.", ""]
    groups = {}
    for group, module in modules_by_group():
        if module in everything:
            groups.setdefault(group, []).append(module)
    detail, crashes, different, missing, known = [], 0, 0, [], decided()
    lines += ["| group | modules | mean of the modules' shares | tests |", "|---|---|---|---|"]
    for group, modules in groups.items():
        shares, got_all, wanted_all, rows = [], 0, 0, []
        for module in modules:
            wanted = set(reference.get(module, ()))
            crashes += sum(outcome in ("crash", "timeout") for outcome, *_ in everything[module].values())
            if not wanted:
                continue
            failing = sorted(wanted - passes(everything[module]))
            missing += [test for test in failing if test not in known]
            different += sum(test in known for test in failing)
            got = len(wanted) - len(failing)
            shares.append(got / len(wanted))
            got_all, wanted_all = got_all + got, wanted_all + len(wanted)
            rows.append(f"| {module} | {got} | {len(wanted)} |")
        if shares:
            lines.append(f"| {group} | {len(shares)} | {100 * sum(shares) / len(shares):.1f} % | {got_all} of {wanted_all} |")
            detail += ["", f"## {group}", "", "| module | pass | of |", "|---|---|---|", *rows]
    lines += ["", f"Of the others, {different} fail because Rumba decided otherwise or because they are about the inside of Numba, and "
              f"{len(missing)} need what Rumba does not have. Tests that crashed or did not end: {crashes}.", "", "## Missing", "",
              *(f"- {test}" for test in missing), "", "## Different by decision", "", "| test | why |", "|---|---|",
              *(f"| {test} | {why} |" for test, why in known.items())]
    (ROOT / "docs" / "conformance.md").write_text("\n".join(lines + detail) + "\n")


def wanted():
    """module -> tests that have to pass."""
    found, module = {}, None
    for line in PASSING.read_text().splitlines():
        if line.startswith("#") or not line:
            continue
        if line.startswith(" "):
            found[module].add(f"numba.tests.{module}.{line.strip()}")
        else:
            module = line
            found[module] = set()
    return found


def module_of(test):
    """The module of a test: without the class and the method."""
    return test.removeprefix("numba.tests.").rsplit(".", 2)[0]


def check(jobs):
    """The exit status."""
    due = wanted()
    everything = run(sorted(due), jobs)
    lost = sorted(test for module, tests in due.items() for test in tests - passes(everything[module]))
    if lost:
        # Once more, alone: a machine under load makes tests late.
        again = run(sorted({module for module in due if due[module] & set(lost)}), 1)
        lost = [test for test in lost if not any(test in passes(outcomes) for outcomes in again.values())]
    count = sum(map(len, due.values()))
    if sys.version_info[:2] != OF_THE_LISTS:
        # Numba's suite leaves some out under other versions of Python. What crashes is not among them.
        absent = [test for test in lost if not any(test in outcomes for outcomes in everything.values())
                  and not any(outcome in ("crash", "timeout") for outcome, *_ in everything[module_of(test)].values())]
        print(f"{len(absent)} tests do not exist under Python {sys.version_info[0]}.{sys.version_info[1]}")
        lost, count = [test for test in lost if test not in absent], count - len(absent)
    print(f"{count - len(lost)} of {count} tests pass that passed before")
    for test in lost:
        print("  lost:", test)
    return 1 if lost else 0


def bless(everything):
    """Rewrites the list of tests that have to pass."""
    lines = ["# Tests of the reference implementation that pass, by module. Written by `scripts/conformance.py --bless`."]
    for _, module in modules_by_group():
        names = sorted(test.removeprefix(f"numba.tests.{module}.") for test in passes(everything.get(module, {})))
        if names and module not in SLOW:
            lines += [module, *(f" {name}" for name in names)]
    PASSING.write_text("\n".join(lines) + "\n")


def main():
    """The exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--bless", action="store_true")
    parser.add_argument("-j", type=int, default=2)
    parser.add_argument("--outcomes", help="a file that the runner wrote (--json), instead of running")
    given = parser.parse_args()
    if not RUNNER.is_file():
        print(f"the runner of the reference implementation's tests is not at {RUNNER}: "
              f"{'they are skipped' if given.check else 'there is nothing to run'}")
        return 0 if given.check else 1
    if given.check:
        return check(given.j)
    everything = json.loads(pathlib.Path(given.outcomes).read_text()) if given.outcomes else run([], given.j)
    describe(everything)
    if given.bless:
        bless(everything)
    return 0


if __name__ == "__main__":
    sys.exit(main())
