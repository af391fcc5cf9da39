"""`rumba check`: what it finds in programs, where, and what it leaves alone."""
import json
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).parents[2]

WRONG = '''\
import os, re
import numpy as np
from numba import njit, objmode

HAS_NO_GPU = False
TABLE = {"a": 1}

@njit
def called(a):
    return a.foo

@njit("int64(int64)")
def eager(x):
    return x + "a"

@njit
def names(a):
    if HAS_NO_GPU:
        return os.getpid()
    with objmode(x="int64"):
        x = os.getppid()
    s = re.compile("x") + unknown(a)
    try:
        s += TABLE["a"] + np.genfromtxt(a) + sum(map(abs, [1, 2])) + isinstance(a, os.PathLike)
    except ValueError as error:
        raise KeyError("x")
    return np.linalg.expm(x) + a.attr

@njit
def undecided(a):
    return a.foo.bar

@njit
def steps(ä, b: int = 1):
    return "ä" + os.nothing(b)

def make():
    @njit
    def inner(x: int):
        return x.foo
    return inner

inner = make()

@njit
async def coroutine(x):
    return x

def main():
    a = np.zeros((3, 4), dtype=np.float32)
    called(a)

if __name__ == "__main__":
    raise SystemExit("this does not run")
'''

GOOD = '''\
import numpy as np
from rumba import njit

print("a module may print")

@njit
def by_use(grid, weights, steps):
    total = 0.0
    for i in range(steps):
        total += grid[i, 0] * weights[i]
    return total

@njit
def through(grid, weights, n):
    return by_use(grid, weights, n)

class Shape:
    @staticmethod
    @njit
    def area(width, height=2):
        return width * height
'''


def check(folder, *arguments):
    """(exit status, standard output, standard error) of the command in a folder."""
    command = [sys.executable, "-m", "rumba", "check", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder)
    return done.returncode, done.stdout, done.stderr


@pytest.fixture(scope="module")
def wrong(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wrong")
    (folder / "prog.py").write_text(WRONG)
    return folder


def test_what_is_wrong_is_told_with_its_place(wrong):
    status, out, err = check(wrong, "prog.py", "--json", "--warnings")
    found = json.loads(out)
    assert (status, err) == (1, "")
    told = [(one["severity"], one["line"], one["column"], one["code"], one["function"]) for one in found]
    lines = WRONG.splitlines()

    def at(function, text, code, severity="error"):
        line = next(number for number, one in enumerate(lines, 1) if text in one)
        return severity, line, lines[line - 1].index(text) + 1, code, function
    assert told == [
        at("called", "a.foo", "R0302"), at("eager", 'x + "a"', "R0301"), at("names", "re.compile", "R0201"),
        at("names", "unknown", "R0202"), at("names", "TABLE[", "R0201"), at("names", "np.genfromtxt", "R0301"),
        at("names", "np.linalg.expm", "R0302"), ("note", 29, None, None, "undecided"), at("steps", "os.nothing", "R0302"),
        at("make.<locals>.inner", "x.foo", "R0302"),
        ("error", 45, None, "R0203", "coroutine")]
    assert "array(float32, 2d, C)" in found[0]["message"], "the type follows from the call in main()"


def test_what_is_wrong_is_shown_as_the_compiler_shows_it(wrong):
    status, out, err = check(wrong, "prog.py")
    assert (status, err) == (1, "")
    assert f"""\
error[R0201]: Untyped attribute 'compile': Cannot determine Numba type of <class 'function'>
  --> {wrong}/prog.py:22:9
   |
22 |     s = re.compile("x") + unknown(a)
   |         ^^^^^^^^^^ used here
   |
   = help: 'compile' is""" in out
    assert out.splitlines()[-1] == "7 functions in 1 file: 0 compile, 6 do not, 1 not decided, --warnings says why"
    assert "\x1b" not in out and "is not known" not in out


def test_packages_and_what_cannot_be_imported(tmp_path):
    package = tmp_path / "shapes" / "inner"
    package.mkdir(parents=True)
    (tmp_path / "shapes" / "__init__.py").write_text("from rumba import njit\n")
    (package / "__init__.py").write_text(GOOD)
    (package / "more.py").write_text("from .. import njit\nfrom . import by_use\n@njit\ndef f(x):\n    return x + 1\n")
    for target in ("shapes", tmp_path / "shapes" / "inner"):
        status, out, err = check(tmp_path, target)
        assert (status, err) == (0, "a module may print\n") and out.startswith("4 functions in "), out
    (package / "ends.py").write_text("raise SystemExit\n")
    (package / "fails.py").write_text("1 / 0\n")
    status, out, err = check(tmp_path, "shapes.inner.ends", package / "fails.py", "nothing")
    assert status == 2 and out == "0 functions in 0 files: 0 compile, 0 do not\n"
    assert "it ends the program when it is imported" in err and "ZeroDivisionError: division by zero" in err
    assert "there is no file, folder or module 'nothing'" in err


def test_a_program_in_order():
    assert check(ROOT, "examples/black_scholes.py") == (0, "4 functions in 1 file: 4 compile, 0 do not\n", "")
