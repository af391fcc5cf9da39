"""Tools around the compiler: logs of calls, symbols, where functions begin, the machine, gdb, settings in files."""
import io
import json
import linecache
import logging
import os
import subprocess
import sys
import threading

import pytest

from rumba import config, events, njit, types
from rumba.tools import debugger_info, find_library, first_line, inspector, name_mangling, pass_timings, system_info, tracing
from rumba.tools.compiler_lock import global_compiler_lock, require_global_compiler_lock


@pytest.fixture
def log():
    """What is written to the log of traced calls."""
    text = io.StringIO()
    handler = logging.StreamHandler(text)
    tracing.logger.addHandler(handler)
    yield text
    tracing.logger.removeHandler(handler)


def _run(*arguments, **environment):
    return subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, env={**os.environ, "RUMBA_AS_NUMBA": "1", **environment})


def test_calls_of_functions_are_logged(log):
    @tracing.dotrace
    def outer(x, *rest, key=1, **more):
        return inner(x)

    @tracing.dotrace
    def inner(x):
        pass

    outer(1, 2, extra=3)
    assert log.getvalue().replace(f"{__name__}.", "").splitlines() == [
        ">> outer(x=1, 2, key=1, extra=3)", " >> inner(x=1)", " << inner", "<< outer"]


def test_calls_that_raise_are_logged(log):
    @tracing.dotrace
    def fails():
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        fails()
    assert log.getvalue().replace(f"{__name__}.", "").splitlines() == [">> fails()", "<< fails -> ValueError('no')"]


def test_methods_are_logged_with_their_class(log):
    class Counter:
        @tracing.dotrace
        @classmethod
        def make(cls):
            return 5

        @tracing.dotrace
        @staticmethod
        def plain():
            return 6

        size = tracing.dotrace(property(lambda self: 7))

    assert (Counter.make(), Counter.plain(), Counter().size) == (5, 6, 7)
    assert [line for line in log.getvalue().replace(f"{__name__}.", "").splitlines() if line.startswith("<<")] == [
        "<< Counter.make -> 5", "<< plain -> 6", "<< Counter.<lambda> -> 7"]


def test_trace_follows_the_setting(monkeypatch):
    def function():
        pass

    assert tracing.trace(function) is function
    monkeypatch.setattr(config, "TRACE", 1)
    assert tracing.trace(function) is not function


@pytest.mark.parametrize(("name", "args", "symbol"), [
    ("f", (), "_Z1f"), ("f", (types.int32, types.float64), "_Z1fid"), ("a.b", (types.boolean,), "_ZN1a1bEb"),
    ("f", (types.complex64,), "_Z1f9complex64"), ("é", (), "_Z6_c3_a9"), ("3d", (), "_Z3_3d")])
def test_symbols(name, args, symbol):
    assert name_mangling.mangle(name, args) == symbol


def test_symbols_have_tags_and_namespaces():
    assert name_mangling.mangle("f", (types.int64,), abi_tags=("x",), uid=3) == "_Z1fB2v3B1xx"
    assert name_mangling.prepend_namespace("_Z1fi", "outer") == "_ZN5outer1fEi"
    assert name_mangling.prepend_namespace("_ZN1a1fEi", "outer") == "_ZN5outer1a1fEi"
    with pytest.raises(ValueError, match="not a mangled name"):
        name_mangling.prepend_namespace("f", "outer")


def test_values_in_symbols():
    assert name_mangling.mangle_value(123) == "Li123E"
    assert name_mangling.mangle_templated_ident("list", [types.int32, 4]) == "4listIiLi4EE"


def _documented():
    """Text."""

    return 1


def test_the_body_of_a_function_begins_behind_its_docstring():
    line = first_line.get_func_body_first_lineno(_documented)
    assert linecache.getline(__file__, line).strip() == "return 1"
    assert first_line.get_func_body_first_lineno(njit(_documented)) == line
    assert first_line.get_func_body_first_lineno(lambda: 1) is None


def test_the_machine_is_described():
    info = system_info.get_sysinfo()
    assert info["Errors"] == [] and info["CPU Count"] >= 1 and info["Python Version"] == sys.version.split()[0]


def test_memory_is_told_without_psutil(monkeypatch):
    monkeypatch.setattr(system_info, "_psutil_import", False)
    info = system_info.get_os_spec_info("Linux")
    assert 0 < info["Mem Available"] <= info["Mem Total"]
    assert info["CPUs Allowed"] == len(info["List CPUs Allowed"].split())


def test_the_command_writes_json(tmp_path):
    path = tmp_path / "machine.json"
    assert _run("-m", "numba", "--sys-json", str(path)).returncode == 0
    assert json.loads(path.read_text())["OS Name"]


def test_a_debugger_that_is_none_is_told(monkeypatch):
    monkeypatch.setattr(config, "GDB_BINARY", "/not/there/gdb")
    info = debugger_info.collect_gdbinfo()
    assert "Testing gdb binary failed" in info.binary_loc and "/not/there/gdb" in info.binary_loc
    assert (info.py_ver, info.np_ver, info.supported) == ("No Python support", "No NumPy support", "None")


def test_settings_may_stand_in_a_file(tmp_path):
    # PyYAML comes with dask, which the tests require.
    (tmp_path / ".numba_config.yaml").write_text("color_scheme: light_bg\nOPT: 1\n")
    text = "from numba import config; print(config.COLOR_SCHEME, config.OPT)"
    run = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, cwd=tmp_path,
                         env={**os.environ, "RUMBA_AS_NUMBA": "1", "NUMBA_OPT": "2"})
    assert run.stdout.split() == ["light_bg", "2"], run.stderr


@pytest.mark.parametrize(("processor", "has_avx"), [("nocona", False), ("skylake-avx512", True)])
def test_processors_without_avx(processor, has_avx):
    run = _run("-c", "from numba import config; print(config.ENABLE_AVX)", NUMBA_CPU_NAME=processor)
    assert run.stdout.split() == [str(has_avx)], run.stderr


def test_functions_are_known_or_not():
    import numpy

    assert inspector.inspect_function(open)["numba_type"] is None
    assert inspector.inspect_function(range)["numba_type"] is not None
    infos = inspector.inspect_function(numpy.all)["source_infos"]
    assert all(os.path.isfile(info["filename"]) and info["lines"][0] < info["lines"][1] for info in infos.values()) and infos


def test_the_inspector_writes_files(tmp_path):
    out = tmp_path / "out"
    assert _run("-m", "numba.misc.help.inspector", "--file", str(out), "--format", "rst", "math").returncode == 0
    assert "- ``sin``: known" in (tmp_path / "out.rst").read_text()
    refused = _run("-m", "numba.misc.help.inspector", "--format", "foo", "math")
    assert refused.returncode == 1 and "'foo' is not supported" in refused.stderr


def test_libraries_are_found_by_name(tmp_path):
    for name in ("libmine.so", "libmine.so.1", "libother.so"):
        (tmp_path / name).touch()
    found = find_library.find_lib("mine", str(tmp_path), platform="linux")
    assert [os.path.basename(path) for path in found] == ["libmine.so", "libmine.so.1"]


_REPORT = """
===-----------------------------------------------------===
                 ... Pass execution timing report ...
   ---User Time---   --System Time--   --User+System--   ---Wall Time---  --- Name ---
   0.0003 ( 75.0%)        -----        0.0003 ( 75.0%)   0.0003 ( 75.0%)  Slow pass
   0.0001 ( 25.0%)   0.0000 (  0.0%)   0.0001 ( 25.0%)   0.0001 ( 25.0%)  Fast pass
   0.0004 (100.0%)   0.0000 (  0.0%)   0.0004 (100.0%)   0.0004 (100.0%)  Total
"""


def test_reports_of_llvm_are_read():
    timings = pass_timings.ProcessedPassTimings(_REPORT)
    assert [record.pass_name for record in timings.list_records()] == ["Slow pass", "Fast pass"]
    assert timings.get_total_time() == 0.0004 and timings.list_top(1)[0].user_percent == 75.0
    assert "0.0003s ( 75.0%) Slow pass" in timings.summary()


def test_times_of_llvm_are_recorded():
    function = njit(lambda x: x + 3)
    function(1)
    timings = function.get_metadata(function.signatures[0])["llvm_pass_timings"]
    assert len(timings) == 2 and timings.get_total_time() > 0
    assert "Module passes (full optimization)" in str(timings)
    assert {record.pass_name for record in timings[0].timings.list_records()} == {"build", "optimize"}
    nothing = pass_timings.PassTimingsCollection()
    assert (nothing.summary(), nothing.get_total_time(), nothing.list_longest_first()) == (
        "No pass timings were recorded", None, [])


def test_the_lock_is_held_by_its_thread():
    @global_compiler_lock
    def locked():
        require_global_compiler_lock()
        with global_compiler_lock:
            return global_compiler_lock.is_locked()

    with events.install_recorder("numba:compiler_lock") as recorder:
        assert locked()
    assert [event.is_start for _, event in recorder.buffer] == [True, False]
    with pytest.raises(AssertionError):
        require_global_compiler_lock()
    with global_compiler_lock:
        elsewhere = []
        thread = threading.Thread(target=lambda: elsewhere.append(global_compiler_lock.is_locked()))
        thread.start()
        thread.join()
        assert elsewhere == [False]
