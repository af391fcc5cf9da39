"""`debug=True`: lines, functions and variables as a debugger sees them."""
import os
import pathlib
import re
import shutil
import subprocess
import sys

import debugged
import numpy as np
import pytest
from rumba import config, gdb, gdb_breakpoint, njit
from rumba.errors import NumbaDebugInfoWarning, TypingError
from rumba.numba.core.runtime import rtsys

PROGRAM = pathlib.Path(debugged.__file__)
START = """
set breakpoint pending on
set confirm off
set pagination off
set width 0
"""
COMMANDS = """break debugged.py:35
break inner if x == 2
run
echo == inner\\n
bt 2
info args
info locals
finish
delete 2
cont
echo == work\\n
info args
info locals
print b.data[1]
print *first
print items->length
print found.data
print items->items[2]
print text.length
ptype r
ptype p
cont
"""
GENERATOR = """
tbreak debugged.py:44 if i == 2
run
echo == generator\\n
print square
print i
cont
"""


def compiled_text(function, *args):
    function(*args)
    return function.inspect_llvm(function.signatures[0])


def test_llvm_is_told_of_lines_and_variables():
    debugged.run()
    text = debugged.work.inspect_llvm(debugged.work.signatures[0])
    assert 'DICompileUnit(language: DW_LANG_C_plus_plus' in text
    line = debugged.work.py_func.__code__.co_firstlineno
    assert re.search(rf'DISubprogram\(name: "work", .*line: {line},', text)
    for number, name in enumerate(("n", "scale", "flag", "a", "p", "r", "text"), 1):
        assert f'DILocalVariable(name: "{name}", arg: {number},' in text
    for name in ("total", "pair", "same", "c", "b", "items", "first", "found", "i", "k", "d", "more"):
        assert f'DILocalVariable(name: "{name}", scope' in text
    assert re.search(r'DILocalVariable\(name: "total", .*line: 19,', text)
    lines = {int(number) for number in re.findall(r"!DILocation\(line: (\d+)", text)}
    assert {19, 20, 22, 23, 24, 25, 26, 27, 30, 31, 32, 33, 34, 35, 36, 37} <= lines
    assert "debug_info" in debugged.work.inspect_asm(debugged.work.signatures[0])


def test_only_where_it_is_asked_for(monkeypatch):
    @njit
    def plain(x):
        return x + 1

    assert "DILocation" not in compiled_text(plain, 1)
    monkeypatch.setattr(config, "DEBUGINFO_DEFAULT", 1)

    @njit
    def chosen(x):
        return x + 1

    @njit(debug=False)
    def refused(x):
        return x + 1

    assert "DILocalVariable(name: \"x\", arg: 1" in compiled_text(chosen, 1)
    assert "DILocation" not in compiled_text(refused, 1)


def test_functions_that_it_calls_are_shown():
    @njit
    def other(x):
        there = x + 1
        return there

    @njit(debug=True)
    def f(n):
        def inner(z):
            within = z + n
            return within
        return inner(n) + other(n)

    text = compiled_text(f, 3)
    assert all(f'DILocalVariable(name: "{name}"' in text for name in ("n", "z", "within", "there"))
    assert 'DILocalVariable(name: "there"' not in compiled_text(other, 3)


def test_a_variable_of_several_types_is_shown():
    @njit(debug=True)
    def f(n):
        total = 0
        for i in range(n):
            total += 0.5
        other = 1
        other = (other, 2)
        return total + other[1]

    text = compiled_text(f, 3)
    assert text.count('DILocalVariable(name: "total"') == 1
    assert 'DILocalVariable(name: "other"' in text and 'DILocalVariable(name: "other$1"' in text


def test_debugged_code_is_cached_with_its_lines(tmp_path):
    program = "from rumba import njit\n\n@njit(debug=True, cache=True)\ndef f(x):\n    return x + 1\n\nprint(f(1), f.stats)\n"
    environment = {**os.environ, "RUMBA_CACHE_DIR": str(tmp_path)}
    # What moved has other lines, so it is compiled again.
    for start, hits in (("", 0), ("", 1), ("\n", 0)):
        (tmp_path / "moving.py").write_text(start + program)
        done = subprocess.run([sys.executable, str(tmp_path / "moving.py")], env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert done.stdout.startswith("2 ") and done.stdout.count(": 1") >= 1
        assert bool(re.search(r"cache_hits=\S*\{.*?: 1\}\), cache_misses", done.stdout)) == bool(hits), done.stdout


needs_gdb = pytest.mark.skipif(shutil.which("gdb") is None, reason="there is no gdb")


def run_in_gdb(commands, folder):
    """What gdb prints after each `echo == name`, and all of it."""
    script = folder / "commands"
    script.write_text(START + commands)
    command = ["gdb", "-batch", "-nx", "-x", str(script), "--args", sys.executable, str(PROGRAM)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    text = done.stdout
    return dict(re.findall(r"^== (\w+)\n(.*?)(?=^== |\Z)", text, re.M | re.S)), text


@needs_gdb
def test_gdb_stops_and_prints(tmp_path):
    parts, text = run_in_gdb(COMMANDS, tmp_path)
    inner = parts["inner"]
    assert "#0  inner (x=2, y=1.5) at" in inner and re.search(r"^#1  .*work \(n=3, scale=1.5, flag=true", inner, re.M), text
    assert "x = 2\ny = 1.5\nz = 0\n" in inner
    work = parts["work"]
    for line in (
        "n = 3", "scale = 1.5", "flag = true", "p = {x = 1, y = 2.5}", "found = {valid = true, data = 3}",
        "total = 7.5", "pair = {f0 = 3, f1 = 1.5}", "same = {1, 2, 3}", "c = 1.5 + 2i", "i = 2", "k = 7.5",
        "$1 = 2", "$2 = {a = 2, b = 2.5}", "$3 = 4", "$4 = 3", "$5 = 3", "$6 = 5",
    ):
        assert line in work.splitlines(), (line, text)
    assert re.search(r"^a = \{meminfo = \w+, parent = 0x0, nitems = 4, itemsize = 8, data = \w+, shape = \{4\}, strides = \{8\}\}$",
                     work, re.M)
    assert re.search(r'^mixed = \{f0 = 1, f1 = \{data = \w+ "constant", length = 8\}, f2 = 2.5, f3 = 3\}$', work, re.M)
    assert re.search(r'^text = \{data = \w* ?"hello", length = 5\}$', work, re.M)


@needs_gdb
def test_gdb_stops_in_generators(tmp_path):
    parts, text = run_in_gdb(GENERATOR, tmp_path)
    assert "$1 = 4\n$2 = 2\n" in parts["generator"], text


ATTACHING = """
from rumba import gdb, gdb_breakpoint, gdb_init, njit

@njit(debug=True)
def attached(a):
    gdb_breakpoint()
    b = a + 1
    gdb("-ex", "set confirm off", "-ex", "echo == stopped\\\\n", "-ex", "info locals", "-ex", "continue",
        "-ex", "echo == again\\\\n", "-ex", "print c", "-ex", "continue", "-ex", "quit")
    c = b * 2.5
    gdb_breakpoint()
    return c

print(attached(1), flush=True)
gdb_init()
"""


@needs_gdb
def test_gdb_is_attached_from_the_source(tmp_path):
    (tmp_path / "attaching.py").write_text(ATTACHING)
    environment = {**os.environ, "RUMBA_GDB_BINARY": shutil.which("gdb")}
    done = subprocess.run([sys.executable, str(tmp_path / "attaching.py")], env=environment, capture_output=True,
                          text=True, timeout=120, stdin=subprocess.DEVNULL)
    parts = dict(re.findall(r"^== (\w+)\n(.*?)(?=^== |\Z)", done.stdout, re.M | re.S))
    assert "attached (a=1)" in done.stdout.partition("== stopped")[0], done.stdout
    assert "b = 2\nc = 0\n" in parts["stopped"] and "$1 = 5\n" in parts["again"] and "5.0\n" in parts["again"], done


def test_a_missing_gdb_is_named(monkeypatch):
    monkeypatch.setattr(config, "GDB_BINARY", "/not/there/gdb")
    with pytest.raises(RuntimeError, match="Is gdb present.*/not/there/gdb.*RUMBA_GDB_BINARY"):
        gdb()
    with pytest.raises(TypingError, match="arguments of gdb as strings, not int64"):
        njit(lambda: gdb(1))()
    gdb_breakpoint()
    assert njit(lambda: gdb_breakpoint())() is None


def test_a_function_without_source_is_warned_of():
    space = {}
    exec(compile("def f(x):\n    return x + 1\n", "<not in any file>", "exec"), space)
    with pytest.warns(NumbaDebugInfoWarning, match="Could not find source for function: <function f at"):
        assert njit(debug=True)(space["f"])(1) == 2


def allocate(n):
    a = np.ones(n)
    b = a * 2
    items = [1.0]
    table = {1: a}
    text = str(n)
    for i in range(3):
        items.append(i)
        row = np.full(n, i)
        items[0] += row[0] + b[0] + len(text) + table[1][0]
    if n == 7:
        raise ValueError(text)
    found = None
    if n > 3:
        found = a[1:]
    return items, found, (b, text)


def test_what_variables_hold_is_released():
    f = njit(debug=True)(allocate)
    given = np.ones(3)
    g = njit(debug=True)(lambda x: (x, x[1:])[1])
    for n in (3, 4):
        for one, two in zip(f(n), allocate(n)):
            assert np.array_equal(one, two) if not isinstance(one, tuple) else one[1] == two[1]

    def calls():
        f(4), g(given)
        with pytest.raises(ValueError, match="7"):
            f(7)

    calls()
    count, before = sys.getrefcount(given), rtsys.get_allocation_stats()
    for _ in range(20):
        calls()
    after = rtsys.get_allocation_stats()
    assert sys.getrefcount(given) == count
    assert after.alloc - before.alloc == after.free - before.free > 0
