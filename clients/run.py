"""Runs the programs of clients/programs: public packages that say `import numba`, unmodified, under Rumba.

    .venv/bin/python clients/run.py                    make .venv-clients, run everything, write docs/clients.md
    .venv/bin/python clients/run.py resampy stumpy     these packages alone; nothing is written
    .venv/bin/python clients/run.py --offline          do not install; do nothing where that was not done before

Each function of a file is a program. It runs compiled, and once more with the compiler off; both results have to be
the same. (A program that does not run without the compiler checks itself.) The exit status is 1 if a program of
clients/passing.txt fails; `--bless` rewrites that list.
"""
import argparse
import json
import os
import pathlib
import pickle
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
HERE = ROOT / "clients"
# Of the version of Python that runs this; the page is about the first.
VERSION = "{}.{}".format(*sys.version_info)
VENV = ROOT / (".venv-clients" if VERSION == "3.11" else f".venv-clients-{VERSION}")
PYTHON = VENV / "bin" / "python"
PASSING = HERE / "passing.txt"


def worker(package, folder):
    """In a process of .venv-clients: runs a file's programs, a pickle and a line of JSON for each."""
    import importlib.util
    import inspect
    import time
    import traceback
    import warnings

    warnings.simplefilter("ignore")
    programs, broken = {}, None
    try:
        spec = importlib.util.spec_from_file_location(f"client_{package}", HERE / "programs" / f"{package}.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        programs = {name: value for name, value in vars(module).items()
                    if inspect.isfunction(value) and value.__module__ == spec.name and not name.startswith("_")}
    except BaseException:
        broken = traceback.format_exc()
        programs = dict.fromkeys(re.findall(r"^def ([a-z]\w*)", (HERE / "programs" / f"{package}.py").read_text(), re.M))
    for name, program in programs.items():
        print(json.dumps({"start": name}), flush=True)
        began, error = time.perf_counter(), broken
        if broken is None:
            try:
                with open(pathlib.Path(folder, f"{name}.pickle"), "wb") as file:
                    pickle.dump(plain(program()), file)
            except BaseException:
                error = traceback.format_exc()
        print(json.dumps({"end": name, "error": error, "seconds": round(time.perf_counter() - began, 2)}), flush=True)


def plain(value):
    """A result without classes of the package's own."""
    import numpy

    if isinstance(value, (tuple, list)):
        return [plain(item) for item in value]
    return value if isinstance(value, str) or value is None else numpy.array(value)


def run(package, folder, disabled):
    """name -> (error or None, seconds) of a package's programs."""
    environment = {**os.environ, "RUMBA_AS_NUMBA": "1", "NUMBA_DISABLE_JIT": str(int(disabled)), "PYTHONPATH": ""}
    command = [PYTHON, __file__, "--worker", package, folder]
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=folder)
    try:
        out, err = process.communicate(timeout=240)
        why = f"the process ended with status {process.returncode}"
    except subprocess.TimeoutExpired:
        process.kill()
        out, err = process.communicate()
        why = "took more than 240 seconds"
    found, running = {}, None
    for line in out.splitlines():
        if line.startswith('{"start"'):
            running = json.loads(line)["start"]
        elif line.startswith('{"end"'):
            record = json.loads(line)
            found[record["end"]], running = (record["error"], record["seconds"]), None
    if running is not None:
        found[running] = f"{why}\n{err[-800:]}", 0
    return found


def same(one, other):
    """Whether two results are equal up to rounding."""
    import numpy

    if isinstance(one, (tuple, list)):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, str) or one is None:
        return one == other
    one, other = numpy.asarray(one), numpy.asarray(other)
    if one.dtype.kind not in "biufc":
        return bool((one == other).all())
    return one.shape == other.shape and numpy.allclose(one, other, rtol=1e-7, atol=1e-10, equal_nan=True)


def outcome(package, folder):
    """name -> (None or what is wrong, seconds, seconds without the compiler)."""
    ours, plain = pathlib.Path(folder, "compiled"), pathlib.Path(folder, "plain")
    ours.mkdir(), plain.mkdir()
    compiled, expected = run(package, str(ours), False), run(package, str(plain), True)
    results = {}
    for name, (error, seconds) in compiled.items():
        slow = None
        if error is None and name in expected and expected[name][0] is None:
            slow = expected[name][1]
            one, other = (pickle.loads((where / f"{name}.pickle").read_bytes()) for where in (ours, plain))
            if not same(one, other):
                error = f"another result than without the compiler: {one!r:.300} instead of {other!r:.300}"
        results[name] = error, seconds, slow
    return results


_REASONS = [
    (r"Untyped (?:attribute|global name|closure variable) '([^']+)': Cannot determine Numba type of (.*)", r"global \1 (\2)"),
    (r"No implementation of function ([\w.]+)\(?", r"\1"),
    (r"module '([\w.]+)' has no attribute '(\w+)' in Rumba", r"the name \1.\2"),
    (r"cannot import name '(\w+)' from '([\w.]+)'", r"the name \2.\1"),
    (r"No module named '([\w.]+)'", r"the module \1"),
    (r"error\[\w+\]: (.*)", r"\1"),
]


def reason(error):
    """The missing feature that an error names, in few words."""
    for pattern, shown in _REASONS:
        found = re.search(pattern, error)
        if found:
            return found.expand(shown)[:140]
    return error.strip().splitlines()[-1][:140]


def install():
    """Makes .venv-clients, unless it is there."""
    wanted = (HERE / "requirements.txt").read_text()
    marker = VENV / ".requirements"
    if not marker.exists() or marker.read_text() != wanted:
        subprocess.run([sys.executable, "-m", "venv", str(VENV)], check=True)
        subprocess.run([str(PYTHON), "-m", "pip", "install", "-q", "--no-deps", "-r", str(HERE / "requirements.txt")],
                       check=True)
        marker.write_text(wanted)
    site = next(VENV.glob("lib/python*/site-packages"))
    hook = (ROOT / "python" / "rumba.data" / "purelib" / "rumba_as_numba.pth").read_text()
    (site / "rumba.pth").write_text(f"{ROOT / 'python'}\n{hook}")


def describe(results):
    """docs/clients.md, but for the section that clients/suites.py writes."""
    rows, missing, passed = [], {}, 0
    for package, programs in results.items():
        text = (HERE / "programs" / f"{package}.py").read_text()
        for name, (error, seconds, slow) in programs.items():
            what = re.search(rf'def {name}\(\):\n    """(.*?)"""', text, re.S).group(1)
            rows.append(f"| {package} | {name} | {what} | {'runs' if error is None else 'fails'} |")
            passed += error is None
            if error is not None:
                missing.setdefault(reason(error), []).append(f"{package}.{name}")
    lines = ["# Programs that say `import numba`", "",
             "Public packages from PyPI, unmodified, under `RUMBA_AS_NUMBA=1`: their own functions, on input of ours. "
             "`make clients` runs them and writes this page. Results are compared with those of the same functions without "
             "the compiler, or with NumPy and SciPy.", "", f"{passed} of {len(rows)} run."]
    if missing:
        lines += ["", "## What is missing", "", "| missing | programs |", "|---|---|"]
    for what, names in sorted(missing.items(), key=lambda item: (-len(item[1]), item[0])):
        lines.append(f"| {what.replace('|', '/')} | {', '.join(names)} |")
    lines += ["", "## Programs", "", "| package | program | what it does | |", "|---|---|---|---|", *rows, ""]
    page = ROOT / "docs" / "clients.md"
    _, heading, suites = page.read_text().partition("## Their own tests")
    page.write_text("\n".join(lines) + (f"\n{heading}{suites}" if heading else ""))


def due():
    """The programs that have to run: lines `name`, or `name <3.12` for those whose package needs an older version of Python."""
    lines = [line.split() for line in PASSING.read_text().splitlines()] if PASSING.exists() else []
    now = sys.version_info[:2]
    return [name for name, *below in lines if not below or now < tuple(map(int, below[0][1:].split(".")))]


def main():
    """The exit status."""
    if sys.argv[1:2] == ["--worker"]:
        worker(*sys.argv[2:])
        return 0
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("packages", nargs="*")
    parser.add_argument("--offline", action="store_true")
    parser.add_argument("--bless", action="store_true")
    parser.add_argument("-v", action="store_true", help="print whole errors")
    given = parser.parse_args()
    if given.offline and not (VENV / ".requirements").exists():
        print("the packages of clients/requirements.txt are not installed (make clients): their programs are skipped")
        return 0
    install()
    every = sorted(path.stem for path in (HERE / "programs").glob("*.py"))
    results = {}
    for package in given.packages or every:
        with tempfile.TemporaryDirectory() as folder:
            results[package] = outcome(package, folder)
        for name, (error, seconds, slow) in results[package].items():
            shown = "ok" if error is None else f"FAILS: {error if given.v else reason(error)}"
            print(f"{package + '.' + name:36s} {seconds:7.2f} s {'' if slow is None else f'(plain {slow:.2f} s)':18s} {shown}",
                  flush=True)
    passing = {f"{package}.{name}" for package, programs in results.items()
               for name, (error, _, _) in programs.items() if error is None}
    total = sum(map(len, results.values()))
    print(f"{len(passing)} of {total} programs run")
    if not given.packages and not given.offline and VERSION == "3.11":
        describe(results)
    if given.bless and not given.packages:
        limits = {line.split()[0]: line for line in PASSING.read_text().splitlines()} if PASSING.exists() else {}
        PASSING.write_text("".join(f"{limits.get(name, name)}\n" for name in sorted(passing)))
    wanted = {name for name in due() if name.partition(".")[0] in results}
    lost = sorted(wanted - passing)
    if lost:
        print("these ran before and do not now:", *lost)
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main())
