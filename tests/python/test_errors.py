"""Golden tests of compile errors: what people read when a function does not compile.

Each file in `errors/` is a program, a line of dashes, and the class and text of the exception it ends
with. `BLESS=1` rewrites what stands below the line. The programs see `njit` and `math`.
"""
import linecache
import math
import os
import pathlib
import pickle
import re
import subprocess
import sys

import pytest
import rumba
from rumba import errors, njit

FILES = sorted((pathlib.Path(__file__).parent / "errors").glob("*.txt"))
LINE = "-" * 80 + "\n"
# The version whose columns the files show.
VERSION = (3, 11)
CODES = pathlib.Path(__file__).parents[2] / "docs" / "errors.md"


def run(name, source):
    """Runs a program as if it stood in a file of its own; the exception that it ends with."""
    file = f"{name}.py"
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    try:
        exec(compile(source, file, "exec"), {"njit": njit, "math": math, "__name__": name})
    except Exception as error:
        return error
    finally:
        del linecache.cache[file]
    return None


@pytest.mark.parametrize("path", FILES, ids=[path.stem for path in FILES])
def test_golden(path):
    source, _, expected = path.read_text().partition(LINE)
    error = run(path.stem, source)
    found = "no error\n" if error is None else f"{type(error).__name__}: {error}\n"
    # Names of instructions and addresses differ between versions and runs.
    found = re.sub(r" at 0x[0-9a-f]+", " at 0x...", found)
    if os.environ.get("BLESS"):
        path.write_text(source + LINE + found)
    elif sys.version_info[:2] == VERSION:
        assert found == expected
    else:
        # Other versions have other instructions, which may stand at other places.
        head = re.compile(r"^(\w+): .*?(?:error\[(R\d{4})\]|$)", re.S)
        assert head.match(found).groups() == head.match(expected).groups()


def failing():
    """An error with two labels and a hint."""
    source = "@njit\ndef f(n):\n    if n:\n        x = 1\n    else:\n        x = slice(n)\n    return x, n, n, n\nf(0)\n"
    return run("sample", source)


def test_the_exception_carries_its_parts():
    error = failing()
    assert isinstance(error, errors.TypingError)
    assert error.code == "R0300" == error.diagnostic.code
    assert error.diagnostic.message.startswith("Cannot unify")
    assert [label.place.line for label in error.diagnostic.labels] == [6, 4]
    assert error.diagnostic.hint and error.diagnostic.calls == ()
    place = error.loc
    assert (place.filename, place.line, place.col, place.function) == ("sample.py", 6, 12, "f")
    assert str(error).startswith("error[R0300]: Cannot unify")
    assert str(error).endswith("\n\nFailed in nopython mode pipeline (step: nopython frontend)")


def test_the_exception_can_be_pickled():
    error = failing()
    copy = pickle.loads(pickle.dumps(error))
    assert str(copy) == str(error) and copy.diagnostic == error.diagnostic and copy.code == error.code


def test_a_lost_source_leaves_places():
    namespace = {"njit": njit}
    exec(compile("@njit\ndef f(n):\n    return missing\n", "lost.py", "exec"), namespace)
    with pytest.raises(errors.TypingError) as caught:
        namespace["f"](1)
    assert "--> lost.py:3:12" in str(caught.value) and "columns 12-18" in str(caught.value)


@pytest.mark.parametrize("result", ["x", "(x)"])
def test_a_name_of_two_types_is_named_where_it_is_only_returned(result):
    """CPython duplicates the return after the branches; in which cases depends on the version."""
    source = f"@njit\ndef f(n):\n    if n:\n        x = 1\n    else:\n        x = slice(n)\n    return {result}\nf(0)\n"
    error = run("sample", source)
    assert error.diagnostic.message == "Cannot unify int64 and slice<a:b> for 'x'"
    assert [label.place.line for label in error.diagnostic.labels] == [6, 4]


@pytest.mark.parametrize("environment, colored", [
    ({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False),
    ({"NUMBA_DISABLE_ERROR_MESSAGE_HIGHLIGHTING": "1"}, False)])
def test_colors_are_for_terminals(environment, colored):
    source = ("import sys, rumba\nsys.stderr.isatty = lambda: True\n"
              "def f(): return missing\n"
              "try: rumba.njit(f)()\nexcept rumba.TypingError as error: print(repr(str(error)))")
    clean = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "TERM")}
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, check=True,
                          env={**clean, "TERM": "xterm", **environment})
    assert ("\\x1b[" in done.stdout) == colored


def test_every_code_has_a_page():
    page = CODES.read_text()
    for path in FILES:
        for code in re.findall(r"error\[(R\d{4})\]", path.read_text()):
            assert f"\n## {code} " in page, code
