"""What people read when the commonest mistakes of Numba's users are made: programs that import Numba, as they are.

Each file in `errors_compared/` is such a program, a line of dashes, and what it prints: what it computes where it works,
otherwise the exception. `BLESS=1` rewrites what stands below the line. `tools/compare_errors.py` puts it beside Numba's
into docs/errors-compared.md.
"""
import contextlib
import io
import linecache
import os
import pathlib
import re
import sys
import traceback

import pytest
import rumba.numba
from rumba import errors

ROOT = pathlib.Path(__file__).parents[2]
FILES = sorted((pathlib.Path(__file__).parent / "errors_compared").glob("*.txt"))
LINE = "-" * 80 + "\n"
# The version whose columns the files show.
VERSION = (3, 11)


def run(name, source):
    """Runs a program as if it stood in a file of its own: what it prints, and the exception that it ends with."""
    file = f"{name}.py"
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed):
            exec(compile(source, file, "exec"), {"__name__": "__main__"})
    except Exception as error:
        return printed.getvalue(), told(error)
    finally:
        del linecache.cache[file]
    return printed.getvalue(), ""


def told(error):
    """An error of the compiler by its text, any other with its traceback."""
    if isinstance(error, errors.NumbaError):
        return f"{type(error).__name__}: {error}\n"
    entries = traceback.TracebackException.from_exception(error)
    entries.stack = traceback.StackSummary.from_list(
        [frame for frame in entries.stack if frame.filename != __file__])
    return "".join(entries.format())


@pytest.mark.parametrize("path", FILES, ids=[path.stem for path in FILES])
def test_golden(path, monkeypatch):
    monkeypatch.setitem(sys.modules, "numba", rumba.numba)
    source, _, expected = path.read_text().partition(LINE)
    found = "".join(run(path.stem, source))
    if os.environ.get("BLESS"):
        path.write_text(source + LINE + found)
    elif sys.version_info[:2] == VERSION or not expected:
        assert found == expected
    else:
        # Other versions have other instructions, which may stand at other places.
        head = re.compile(r"^(\w+): .*?(?:error\[(R\d{4})\]|$)", re.S)
        assert found and bool(head.match(found)) == bool(head.match(expected))


def test_the_page_shows_these_messages():
    page = (ROOT / "docs" / "errors-compared.md").read_text()
    for path in FILES:
        source, _, printed = path.read_text().partition(LINE)
        assert source.strip() in page and printed.strip() in page, f"run tools/compare_errors.py: {path.stem}"


def test_compiler_errors_have_all_parts(monkeypatch):
    monkeypatch.setitem(sys.modules, "numba", rumba.numba)
    for path in FILES:
        message = path.read_text().partition(LINE)[2]
        if "error[R" in message:
            assert all(part in message for part in (" --> ", "^", " = help: ")), path.stem
