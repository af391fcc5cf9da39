"""Runs libraries' own tests, once with Numba and once with Rumba under the name of numba, and compares test by test.

    .venv/bin/python clients/suites.py                  make .venv-suites, run all, write the section of docs/clients.md
    .venv/bin/python clients/suites.py resampy stumpy   these suites, with Rumba alone where Numba's outcomes are on file
    .venv/bin/python clients/suites.py --lost stumpy    runs nothing: what was lost in the last run, by cause
    .venv/bin/python clients/suites.py --whole stumpy   all tests of the library with Rumba, and with Numba those that fail

`clients/suites.toml` says where the tests of a library are and which of them run; `clients/suites-requirements.txt` pins
what is installed. Outcomes are kept in .venv-suites/outcomes. Caches are empty when a suite begins. The exit status is
1 if a test that passes with Numba does not pass with Rumba.
"""
import argparse
import collections
import datetime
import html
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import time
import tomllib
import urllib.parse
import urllib.request

from run import reason

ROOT = pathlib.Path(__file__).resolve().parent.parent
HERE = ROOT / "clients"
VENV = ROOT / ".venv-suites"
PYTHON = VENV / "bin" / "python"
OUTCOMES = VENV / "outcomes"
PAGE = ROOT / "docs" / "clients.md"
HEADING = "## Their own tests"
LIMIT = 120
WHOLE_LIMIT = 1500


def install(suites):
    """Makes .venv-suites with the packages and the tests of source distributions, unless they are there."""
    wanted = (HERE / "suites-requirements.txt").read_text()
    marker = VENV / ".requirements"
    pip = [str(PYTHON), "-m", "pip"]
    if not marker.exists() or marker.read_text() != wanted:
        subprocess.run([sys.executable, "-m", "venv", str(VENV)], check=True)
        subprocess.run([*pip, "install", "-q", "--no-cache-dir", "--no-deps", "-r", str(HERE / "suites-requirements.txt")],
                       check=True)
        marker.write_text(wanted)
    for name, suite in suites.items():
        place = VENV / "sources" / name
        if "sdist" in suite and not place.exists():
            with tempfile.TemporaryDirectory() as folder:
                with tarfile.open(source_distribution(name, folder)) as archive:
                    archive.extractall(folder, filter="data")
                unpacked = next(path for path in pathlib.Path(folder).iterdir() if path.is_dir())
                place.mkdir(parents=True)
                for part in [*suite["sdist"], "pyproject.toml", "setup.cfg", "pytest.ini"]:
                    if (unpacked / part).exists():
                        (place / part).parent.mkdir(parents=True, exist_ok=True)
                        (shutil.copytree if (unpacked / part).is_dir() else shutil.copy)(unpacked / part, place / part)
    hook = (ROOT / "python" / "rumba.data" / "purelib" / "rumba_as_numba.pth").read_text()
    (site_packages() / "rumba.pth").write_text(f"{ROOT / 'python'}\n{hook}")


def source_distribution(name, folder):
    """Downloads a source distribution and returns its path. `pip download` would run its build scripts to learn its metadata."""
    asked = subprocess.run([str(PYTHON), "-m", "pip", "config", "get", "global.index-url"], capture_output=True, text=True)
    index = asked.stdout.strip() or "https://pypi.org/simple"
    page = f"{index.rstrip('/')}/{re.sub(r'[-_.]+', '-', name).lower()}/"
    with urllib.request.urlopen(urllib.request.Request(page, headers={"Accept": "text/html"})) as answer:
        links = re.findall(r'href="([^"#]+)', answer.read().decode())
    ending = re.compile(rf"/{re.sub('[-_.]+', '[-_.]', name)}-{re.escape(version(name))}\.tar\.gz$", re.I)
    link = next((link for link in links if ending.search(link)), None)
    if link is None:
        sys.exit(f"{page} has no source distribution of {name} {version(name)}")
    path = pathlib.Path(folder, "source.tar.gz")
    with urllib.request.urlopen(urllib.parse.urljoin(page, html.unescape(link))) as answer:
        path.write_bytes(answer.read())
    return path


def site_packages():
    """The folder of the packages."""
    return next(VENV.glob("lib/python*/site-packages"))


def version(name):
    """The version of a package that is installed."""
    return re.search(rf"^{name}==(\S+)", (HERE / "suites-requirements.txt").read_text(), re.M | re.I).group(1)


def run(name, suite, which):
    """Runs a suite with `which` of the compilers and keeps its outcomes."""
    if "sdist" in suite:
        paths = suite.get("tests", suite["sdist"])
    else:
        paths = [str(site_packages() / path) for path in suite["wheel"]]
    _run(f"{name}.{which}", name, suite, which, paths, suite.get("limit", LIMIT))


def run_whole(name, suite):
    """Runs all tests of a library with Rumba, then with Numba those that fail; shows which of these pass with Numba."""
    paths = suite["sdist"] if "sdist" in suite else [str(site_packages() / path) for path in suite.get("whole", suite["wheel"])]
    options = suite.get("whole_options", suite.get("options", []))
    suite = {**suite, "options": [*options, "--continue-on-collection-errors"]}
    _run(f"{name}.whole.rumba", name, suite, "rumba", paths, WHOLE_LIMIT)
    found, about = outcomes(name, "whole.rumba")
    count = collections.Counter(outcome for outcome, _ in found.values())
    print(f"{name}: {count['passed']} pass, {count['failed']} fail, {about['seconds']:.0f} s, ended with {about['ended']}", flush=True)
    failed = [test for test, (outcome, _) in found.items() if outcome == "failed"]
    if not failed:
        return
    _run(f"{name}.whole.numba", name, suite, "numba", paths, WHOLE_LIMIT, failed)
    lost = lost_of_whole(name)
    print(f"{name}: {len(lost)} of them pass with Numba")
    for test, text in lost.items():
        print(f"    {test}\n        {reason(text)}")


def lost_of_whole(name):
    """test -> text of what fails in the whole suite and passes with Numba."""
    failed = {test: text for test, (outcome, text) in outcomes(name, "whole.rumba")[0].items() if outcome == "failed"}
    with_numba, _ = (outcomes(name, "whole.numba") if failed else None) or ({}, None)
    return {test: text for test, text in failed.items() if with_numba.get(test, ("",))[0] == "passed"}


def _run(title, name, suite, which, paths, seconds, chosen=None):
    """Runs the tests under the paths, or those of them that are chosen, and keeps the outcomes under the title."""
    OUTCOMES.mkdir(exist_ok=True)
    record = OUTCOMES / f"{title}.jsonl"
    record.unlink(missing_ok=True)
    folder = VENV / "sources" / name if "sdist" in suite else VENV
    with tempfile.TemporaryDirectory() as caches:
        environment = {key: value for key, value in os.environ.items() if not key.startswith(("NUMBA_", "RUMBA_"))}
        environment |= {"PYTHONPATH": str(HERE), "RECORD": str(record), "NUMBA_CACHE_DIR": caches, "XDG_CACHE_HOME": caches,
                        "MPLBACKEND": "agg", "PYTHONDONTWRITEBYTECODE": "1", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
                        **({"RUMBA_AS_NUMBA": "1"} if which == "rumba" else {})}
        if chosen is not None:
            environment["CHOSEN"] = f"{caches}/chosen.json"
            pathlib.Path(environment["CHOSEN"]).write_text(json.dumps(chosen))
        command = [PYTHON, "-m", "pytest", "-q", "-p", "suites_recorder", "-p", "no:cacheprovider", "-o", "addopts=",
                   "--rootdir", folder, "--tb=short", *suite.get("options", []), *paths]
        began, processor = time.monotonic(), _processor_time()
        with open(OUTCOMES / f"{title}.log", "w") as log:
            process = subprocess.Popen(command, env=environment, stdout=log, stderr=subprocess.STDOUT, cwd=folder,
                                       preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1)))
            try:
                ended = process.wait(2 * seconds)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                ended = "time limit"
    if ended == -signal.SIGXCPU:
        ended = "time limit"
    with open(record, "a") as file:
        file.write(json.dumps({"seconds": round(time.monotonic() - began, 1), "processor": round(_processor_time() - processor, 1),
                               "ended": ended, "date": f"{datetime.date.today()}"}) + "\n")


def _processor_time():
    """Seconds of processor time that children took."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def outcomes(name, which):
    """test -> (outcome, text), and what the run said of itself; None where there was no run."""
    record = OUTCOMES / f"{name}.{which}.jsonl"
    if not record.exists():
        return None
    found, running, about = {}, None, None
    for line in map(json.loads, record.read_text().splitlines()):
        if "start" in line:
            running = line["start"]
        elif "end" in line:
            found[line["end"]], running = (line["outcome"], line["text"]), None
        else:
            about = line
    if about is None:
        return None
    if running is not None:
        found[running] = "failed", f"the process ended here: {about['ended']}"
    return found, about


def compare(name):
    """The numbers of a suite, and test -> text of what passes with Numba alone."""
    with_numba, with_rumba = outcomes(name, "numba"), outcomes(name, "rumba")
    if with_numba is None or with_rumba is None:
        return None
    passed = [{test for test, (outcome, _) in found.items() if outcome == "passed"} for found, _ in (with_numba, with_rumba)]
    imports = next((text for test, (outcome, text) in with_rumba[0].items() if test.endswith("(import)")), "")
    lost = {test: with_rumba[0].get(test, ("", imports or f"not reached: {with_rumba[1]['ended']}"))[1]
            for test in sorted(passed[0] - passed[1])}
    return {"numba": len(passed[0]), "rumba": len(passed[0] & passed[1]), "lost": lost,
            "times": [about["seconds"] for about in (with_numba[1], with_rumba[1])],
            "processor": [about["processor"] for about in (with_numba[1], with_rumba[1])],
            "ended": [with_numba[1]["ended"], with_rumba[1]["ended"]], "date": with_rumba[1]["date"]}


def causes(lost):
    """cause -> tests, the most frequent first."""
    found = collections.defaultdict(list)
    for test, text in lost.items():
        found[reason(text) if text.strip() else "nothing was said"].append(test)
    return sorted(found.items(), key=lambda item: -len(item[1]))


def explained(lost, suite):
    """The same with the explanations of the suite, where it has some, instead of what the tests print."""
    why = suite.get("why", {})
    return {test: next((reason for part, reason in why.items() if part in test), text) for test, text in lost.items()}


def show(name, result, tests=False):
    """A suite's numbers, and why tests were lost."""
    print(f"{name:18s} {result['numba']:5d} with Numba {result['processor'][0]:6.1f} s   {result['rumba']:5d} with Rumba "
          f"{result['processor'][1]:6.1f} s   {len(result['lost'])} lost", flush=True)
    for cause, names in causes(result["lost"])[:None if tests else 5]:
        print(f"    {len(names):5d}  {cause}", *(f"             {test}" for test in names[:40] if tests), sep="\n")


def describe(suites, results):
    """The section of docs/clients.md."""
    rows = []
    for name, result in results.items():
        about = suites[name].get("note", "")
        if "time limit" in result["ended"]:
            about += f"{'. ' if about else ''}Stopped after {suites[name].get('limit', LIMIT)} s with " + " and ".join(
                who for who, ended in zip(("Numba", "Rumba"), result["ended"]) if ended == "time limit")
        rows.append(f"| {name} {version(name)} | {result['numba']} | {result['rumba']} | {len(result['lost'])} | "
                    f"{result['times'][0]:.0f} | {result['times'][1]:.0f} | {result['processor'][0]:.0f} | "
                    f"{result['processor'][1]:.0f} | {about} |")
    lines = [HEADING, "",
             "Libraries' own test suites, unmodified, from their wheels or source distributions. `make suites` runs each in "
             f"one process with Numba {version('numba')} and in another with Rumba, both with empty caches. A test is lost if "
             "it passes with Numba and does not with Rumba.", ""]
    if rows:
        lines += [_summary(list(results.values())), "",
                  "| suite | with Numba | with Rumba | lost | s, Numba | s, Rumba | processor, Numba | processor, Rumba | |",
                  "|---|---|---|---|---|---|---|---|---|", *rows, ""]
    alone = [name for name in suites if name not in results and outcomes(name, "rumba") is not None]
    if alone:
        lines += ["### With Rumba alone", "", "These suites were not run with Numba in the same way yet: a test that fails may fail there, too.", "",
                  "| suite | passed | failed | s | processor | date | |", "|---|---|---|---|---|---|---|", *map(_row_alone(suites), alone), ""]
    lines += _whole_suites(suites)
    lost = collections.Counter()
    for name, result in results.items():
        lost.update({(cause, name): len(tests) for cause, tests in causes(explained(result["lost"], suites[name]))})
    for name in alone:
        failed = {test: text for test, (outcome, text) in outcomes(name, "rumba")[0].items() if outcome == "failed"}
        lost.update({(cause, name): len(tests) for cause, tests in causes(failed)})
    if lost:
        lines += ["### Why tests are lost, or fail with Rumba", "", "| tests | suite | cause |", "|---|---|---|"]
        for (cause, name), count in sorted(lost.items(), key=lambda item: (-item[1], item[0])):
            text = re.sub(r"/\S*/", "", cause).replace("|", "/").replace("<", "&lt;")
            lines.append(f"| {count} | {name} | {text} |")
        lines.append("")
    PAGE.write_text(PAGE.read_text().partition(HEADING)[0].rstrip() + "\n\n" + "\n".join(lines))


def _whole_suites(suites):
    """The table of the suites that ran whole."""
    rows = []
    for name in suites:
        if (record := outcomes(name, "whole.rumba")) is None:
            continue
        found, about = record
        count = collections.Counter(outcome for outcome, _ in found.values())
        lost = explained(lost_of_whole(name), suites[name])
        why = ". ".join(f"{text[0].upper()}{text[1:]}" for text in dict.fromkeys(lost.values()) if "\n" not in text)
        rows.append(f"| {name} {version(name)} | {count['passed']} | {count['failed']} | {len(lost)} | {about['seconds']:.0f} | {about['date']} | {why} |")
    if not rows:
        return []
    return ["### Whole suites", "", "All tests of the libraries of which the table above has a selection, or stops at a time limit: `clients/suites.py --whole "
            "NAME` runs them with Rumba, and with Numba those that fail. What fails with both needs a network, data, or another version of a package.", "",
            "| suite | passed | failed | of these pass with Numba | s | date | why |", "|---|---|---|---|---|---|---|", *rows, ""]


def _summary(results):
    passed, kept, whole = sum(r["numba"] for r in results), sum(r["rumba"] for r in results), sum(not r["lost"] for r in results)
    wall, processor = ([sum(r[kind][i] for r in results) for i in (0, 1)] for kind in ("times", "processor"))
    return (f"{max(r['date'] for r in results)}: of {passed} tests that pass with Numba {kept} pass with Rumba "
            f"({100 * kept / max(passed, 1):.1f} %). {whole} of {len(results)} suites lose none. All take {wall[0]:.0f} s with "
            f"Numba and {wall[1]:.0f} s with Rumba on a machine that did other work, too, and {processor[0]:.0f} s and "
            f"{processor[1]:.0f} s of processor time.")


def _row_alone(suites):
    def row(name):
        found, about = outcomes(name, "rumba")
        count = collections.Counter(outcome for outcome, _ in found.values())
        note = suites[name].get("note", "")
        if about["ended"] == "time limit":
            note += f"{'. ' if note else ''}Stopped at the time limit"
        return (f"| {name} {version(name)} | {count['passed']} | {count['failed']} | {about['seconds']:.0f} | "
                f"{about['processor']:.0f} | {about['date']} | {note} |")

    return row


def main():
    """The exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suites", nargs="*")
    parser.add_argument("--baseline", action="store_true", help="run with Numba again, too")
    parser.add_argument("--only", choices=("numba", "rumba"), help="run with one of them")
    parser.add_argument("--lost", action="store_true", help="run nothing, show what was lost")
    parser.add_argument("--page", action="store_true", help="run nothing, write the page")
    parser.add_argument("--whole", action="store_true", help="all tests of the libraries, with Numba those alone that fail")
    given = parser.parse_args()
    suites = tomllib.loads((HERE / "suites.toml").read_text())
    names = given.suites or list(suites)
    if given.whole:
        os.nice(10)
        install(suites)
        for name in names:
            run_whole(name, suites[name])
        return 0
    if not (given.lost or given.page):
        os.nice(10)
        install(suites)
        for number, name in enumerate(names, 1):
            for which in ("numba", "rumba"):
                if which == given.only or not given.only and (
                        which == "rumba" or given.baseline or not given.suites or outcomes(name, "numba") is None):
                    print(f"[{number}/{len(names)}] {name} with {which}", flush=True)
                    run(name, suites[name], which)
            if result := compare(name):
                show(name, result)
    results = {name: result for name in suites if (result := compare(name)) is not None}
    if given.lost:
        for name in names:
            show(name, results[name], tests=True)
    elif given.page or not given.suites:
        describe(suites, results)
    return int(any(results[name]["lost"] for name in names if name in results))


if __name__ == "__main__":
    sys.exit(main())
