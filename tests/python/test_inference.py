"""The literate specification of type inference: Markdown documents in `tests/inference`.

Every block of Python is a program. `reveal_type(x)  # revealed: int64` says which type `x` has where the
function compiles (`a | b` where it is compiled for several argument types, in their order; no comment
where the line is never compiled). `# error: [R0300] words` says that a statement of the program fails
to compile with this code and these words, at this line. `BLESS=1` rewrites the revealed types.
"""
import ast
import contextlib
import io
import linecache
import os
import pathlib
import re
import typing

import pytest
from rumba import cfunc, errors, njit

DOCUMENTS = sorted((pathlib.Path(__file__).parents[1] / "inference").glob("*.md"))
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.M | re.S)
REVEALED = re.compile(r"revealed type: (.*)\n\s*--> .*?:(\d+):")
COMMENT = re.compile(r"  # revealed: (.*)$")
ERROR = re.compile(r"# error: \[(R\d{4})\] (.*)$")


def programs():
    """Every block with the file and the line where it begins."""
    for path in DOCUMENTS:
        text = path.read_text()
        for block in BLOCK.finditer(text):
            line = text.count("\n", 0, block.start(1)) + 1
            yield pytest.param(path, line, block[1], id=f"{path.stem}:{line}")


def run(file, source):
    """The types revealed and the errors raised, by line of the program."""
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    namespace = {"cfunc": cfunc, "njit": njit, "reveal_type": typing.reveal_type, "__name__": file}
    stream, failures = io.StringIO(), []
    try:
        with contextlib.redirect_stderr(stream):
            for statement in ast.parse(source, file).body:
                try:
                    exec(compile(ast.Module([statement], []), file, "exec"), namespace)
                except errors.RumbaError as error:
                    failures.append(error)
    finally:
        del linecache.cache[file]
    revealed = {}
    for ty, line in REVEALED.findall(stream.getvalue()):
        types = revealed.setdefault(int(line), [])
        types += [ty] if ty not in types else []
    return {line: " | ".join(types) for line, types in revealed.items()}, failures


def bless(path, first, source, revealed):
    lines = path.read_text().splitlines(True)
    for number, text in enumerate(source.splitlines(), 1):
        if "reveal_type(" in text:
            bare = COMMENT.sub("", text)
            types = revealed.get(number)
            lines[first + number - 2] = (f"{bare}  # revealed: {types}" if types else bare) + "\n"
    path.write_text("".join(lines))


@pytest.mark.parametrize("path, line, source", list(programs()))
def test_document(path, line, source):
    revealed, failures = run(f"{path.stem}-{line}.py", source)
    if os.environ.get("BLESS"):
        bless(path, line, source, revealed)
        return
    lines = list(enumerate(source.splitlines(), 1))
    found = {number: COMMENT.search(text) for number, text in lines}
    assert revealed == {number: comment[1] for number, comment in found.items() if comment}
    expected = [(number, *ERROR.search(text).groups()) for number, text in lines if ERROR.search(text)]
    told = [(error.loc.line, error.code) for error in failures]
    assert sorted(told) == sorted((number, code) for number, code, _ in expected), [str(e) for e in failures]
    for number, code, words in expected:
        assert any(words in str(error) and error.loc.line == number for error in failures), words


def test_many_variables_settle():
    """A type that goes from variable to variable, one per pass over the loop, arrives."""
    count = 150
    lines = [f"    a{i} = 0" for i in range(count)] + ["    while n:"]
    lines += [f"        a{i} = a{i - 1}" for i in reversed(range(1, count))]
    lines += ["        a0 = 1.5", "        n -= 1", f"    return a{count - 1}"]
    namespace = {}
    exec("def f(n):\n" + "\n".join(lines), namespace)
    assert njit(namespace["f"])(count) == 1.5
