"""What profilers and coverage.py are told of compiled code."""
import cProfile
import os
import pathlib
import pstats
import struct
import subprocess
import sys

import numpy as np
import pytest
from rumba import config, njit
from rumba.numba.core.ir import Loc
from rumba.tools import coverage_support

PROGRAM = """import numpy as np
from rumba import njit


@njit
def helper(x):
    return x * x + 1.0


@njit
def hot(a):
    total = 0.0
    for x in a:
        total += helper(x)
    return total


print(hot(np.arange(9.0)))
"""


def run(tmp_path, **environment):
    path = tmp_path / "hot.py"
    path.write_text(PROGRAM)
    process = subprocess.Popen(
        [sys.executable, str(path)], env={**os.environ, **environment}, stdout=subprocess.PIPE, text=True)
    out, _ = process.communicate()
    assert process.returncode == 0 and out == "213.0\n"
    return path, process.pid


def records(dump):
    """The records of a jitdump: kind, body."""
    magic, version, size, machine, _, process = struct.unpack_from("<6I", dump)
    assert (magic, version, size, machine) == (0x4A695444, 1, 40, 62)
    at, last = size, struct.unpack_from("<Q", dump, 24)[0]
    while at < len(dump):
        kind, size, time = struct.unpack_from("<IIQ", dump, at)
        assert time >= last
        last = time
        yield kind, dump[at + 16:at + size]
        at += size


def lines_of(body):
    """The address of a function, and the lines of its instructions by file."""
    address, count = struct.unpack_from("<QQ", body)
    at, lines = 16, set()
    for _ in range(count):
        _, line, _ = struct.unpack_from("<QII", body, at)
        end = body.index(b"\0", at + 16)
        lines.add((body[at + 16:end].decode(), line))
        at = end + 1
    return address, lines


def test_perf_is_told_of_names_and_lines(tmp_path):
    path, process = run(tmp_path, RUMBA_PERF="map,jitdump")
    files = [pathlib.Path(f"/tmp/perf-{process}.map"), pathlib.Path(f"/tmp/jit-{process}.dump")]
    try:
        rows = [line.split(" ", 2) for line in files[0].read_text().splitlines()]
        assert "rumba:__main__.hot" in [name for _, _, name in rows]
        places = {int(address, 16): (int(size, 16), name) for address, size, name in rows}
        lines = {}
        for kind, body in records(files[1].read_bytes()):
            if kind == 2:
                lines = dict([lines_of(body)])
                continue
            own, _, address, _, size, _ = struct.unpack_from("<IIQQQQ", body)
            name, _, code = body[40:].partition(b"\0")
            assert own == process and places[address] == (size, name.decode()) and len(code) == size
            if name == b"rumba:__main__.hot":
                assert {(str(path), line) for line in (7, 13, 14)} <= lines[address]
                assert all(file == str(path) for file, _ in lines[address])
    finally:
        for file in files:
            file.unlink(missing_ok=True)


def test_nobody_is_told_unasked(tmp_path):
    _, process = run(tmp_path)
    assert not os.path.exists(f"/tmp/perf-{process}.map") and not os.path.exists(f"/tmp/jit-{process}.dump")


@njit
def dot(a, b=2, *, c=0):
    """Documented."""
    return a * b + c


@njit
def item(a, i):
    return a[i]


def counts(calls):
    profile = cProfile.Profile()
    profile.runcall(calls)
    return {(os.path.basename(file), line, name): row[:2] for (file, line, name), row in pstats.Stats(profile).stats.items()}


def test_profilers_see_calls_where_asked():
    code = dot.py_func.__code__
    key = (os.path.basename(code.co_filename), code.co_firstlineno, "dot")
    assert key not in counts(lambda: dot(1, 2))
    assert dot._enable_sysmon is False
    dot._enable_sysmon = True
    try:
        assert dot._enable_sysmon is True
        found = counts(lambda: [dot(1, 2), dot(1.5, b=3), dot(a=1, c=4), njit(lambda: dot(1))()])
        # The last call is of compiled code.
        assert found[key] == (3, 3)
        assert dot(1, b=3, c=1) == 4 and dot.__name__ == "dot" and dot.__doc__ == "Documented."
        with pytest.raises(TypeError, match="unexpected keyword"):
            dot(1, d=1)
    finally:
        dot._enable_sysmon = False
    assert key not in counts(lambda: dot(1, 2)) and dot(1, 2) == 2


def test_watched_calls_raise():
    item._enable_sysmon = True
    try:
        with pytest.raises(IndexError):
            item(np.ones(2), 5)
        assert item(np.arange(3), 2) == 2
    finally:
        del item._enable_sysmon
    assert item._enable_sysmon is False


def test_monitoring_sees_calls():
    monitoring = getattr(sys, "monitoring", None)
    assert (monitoring is None) == (sys.version_info < (3, 12))
    if monitoring is None:
        return
    seen = []
    monitoring.use_tool_id(monitoring.PROFILER_ID, "test")
    events = monitoring.events.PY_START | monitoring.events.PY_RETURN
    for event in (monitoring.events.PY_START, monitoring.events.PY_RETURN):
        monitoring.register_callback(monitoring.PROFILER_ID, event, lambda code, *rest: seen.append(code.co_name))
    dot._enable_sysmon = True
    try:
        monitoring.set_events(monitoring.PROFILER_ID, events)
        dot(1, 2)
    finally:
        monitoring.set_events(monitoring.PROFILER_ID, 0)
        monitoring.free_tool_id(monitoring.PROFILER_ID)
        dot._enable_sysmon = False
    assert seen.count("dot") == 2


class Notes(coverage_support.NotifyLocBase):
    lines = []

    def notify(self, loc):
        self.lines.append((loc.filename, loc.line))

    def close(self):
        self.lines.append("closed")


def test_coverage_is_told_of_compiled_lines(monkeypatch):
    monkeypatch.setattr(coverage_support, "_the_registry", [*coverage_support._the_registry, Notes])

    def make():
        @njit
        def branches(x):
            if x is None:
                return 1
            y = x + 1
            return y
        return branches

    make()(1)
    assert Notes.lines == []
    monkeypatch.setattr(config, "JIT_COVERAGE", 1)
    branches = make()
    branches(1)
    first = branches.__code__.co_firstlineno
    assert Notes.lines[-1] == "closed"
    told = {line - first for file, line in Notes.lines[:-1] if file == __file__}
    assert {2, 4, 5} <= told and 3 not in told


class Collector:
    """Of coverage.py, what is used of it."""

    def __init__(self, branch):
        self.branch, self.should_trace_cache, self.contexts, self.data = branch, {}, [], {}
        self.covdata = self
        self.add_arcs = self.add_lines = self.data.update

    def should_trace(self, name, frame):
        return type("Choice", (), {"trace": "library" not in name, "source_filename": name})

    def mapped_file_dict(self, data):
        return data

    def switch_context(self, name):
        self.contexts.append(name)


@pytest.mark.parametrize("branch, data", [(False, {2, 3}), (True, [(2, 2), (3, 3)])])
def test_lines_become_data_of_coverage(branch, data):
    collector = Collector(branch)
    notifier = coverage_support.NotifyCompilerCoverage(collector)
    for loc in (Loc("a.py", 2), Loc("a.py", 3), Loc("library/b.py", 1), Loc("<stdin>", 1)):
        notifier.notify(loc)
    notifier.close()
    assert collector.data == {"a.py": data} and collector.contexts == ["numba_compiled", None]
