"""Events of the compiler: who listens to compilations, what they are told, and what the environment asks for."""
import doctest
import json
import os
import subprocess
import sys

import numpy as np
import pytest

from rumba import events, jit, njit
from rumba.errors import TypingError
from rumba.types import float64, int64


class Noting(events.Listener):
    """Records the dispatcher's state when it is notified of an event."""

    def __init__(self):
        self.told = []

    def on_start(self, event):
        self._note(event)

    def on_end(self, event):
        self._note(event)

    def _note(self, event):
        dispatcher, args = event.data["dispatcher"], event.data["args"]
        self.told.append((event.status.name, args, args in dispatcher.overloads, event.is_failed))


def test_a_compilation_begins_before_and_ends_after_the_dispatcher_has_it():
    @njit
    def double(x):
        return x + x

    with events.install_listener("numba:compile", Noting()) as listener:
        double(1)
        double(2)
        double(1.5)
        # Another way in to what is compiled is no compilation.
        double(np.float64(1.5))
    double(np.ones(2))
    assert listener.told == [("START", (int64,), False, False), ("END", (int64,), True, False),
                             ("START", (float64,), False, False), ("END", (float64,), True, False)]


def test_signatures_are_announced():
    @njit
    def double(x):
        return x + x

    with events.install_listener("numba:compile", Noting()) as listener:
        double.compile("int64(int64)")
        double.compile("int64(int64)")
    assert listener.told == [("START", (int64,), False, False), ("END", (int64,), True, False)]


def test_a_failed_compilation_ends_with_its_exception():
    @njit
    def wrong(x):
        return x.nothing

    with events.install_recorder("numba:compile") as recorder:
        with pytest.raises(TypingError):
            wrong(1)
    (_, began), (_, ended) = recorder.buffer
    assert began.is_start and not began.is_failed
    assert ended.is_failed and ended.exc_details[0] is TypingError


def test_passes_have_their_times():
    @njit
    def double(x):
        return x + x

    with events.install_recorder("numba:run_pass") as passes, events.install_timer("numba:compile", lambda seconds: None) as timer:
        double(1)
    names = [event.data["name"] for _, event in passes.buffer if event.is_start]
    assert names[0] == "decode" and {"infer", "lower", "llvm", "link"}.issubset(names)
    assert len(set(names)) == len(names) and len(passes.buffer) == 2 * len(names)
    times = [at for at, _ in passes.buffer]
    assert times == sorted(times)
    assert 0 < times[-1] - times[0] < timer.duration
    assert passes.buffer[0][1].data["args"] == "(int64,)" and passes.buffer[0][1].data["return_type"] == "int64"
    timers = double.get_metadata(double.signatures[0])["timers"]
    assert 0 < timers["llvm_lock"] < timers["compiler_lock"]


def test_what_happens_within_counts_once():
    seconds = []
    with events.install_timer("mine", seconds.append) as timer:
        assert not timer.done
        with events.trigger_event("mine"), events.trigger_event("mine"):
            pass
    assert timer.done and seconds == [timer.duration]
    with pytest.raises(AttributeError):
        events.TimingListener().duration


def test_an_exception_of_a_listener_reaches_the_caller():
    class Failing(events.Listener):
        def on_start(self, event):
            pass

        def on_end(self, event):
            raise KeyError("mine")

    @njit
    def double(x):
        return x + x

    with events.install_listener("numba:compile", Failing()), pytest.raises(KeyError, match="mine"):
        double(1)
    assert double(2) == 4


def test_who_is_not_registered_cannot_leave():
    with pytest.raises(ValueError):
        events.unregister("numba:compile", Noting())
    with pytest.raises(TypeError, match="has to be a rumba.events.Listener"):
        events.register("numba:compile", print)


def errors_of(program, **environment):
    """What a program writes to its standard error."""
    done = subprocess.run([sys.executable, "-c", program], env={**os.environ, **environment}, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stderr


PROGRAM = """
from rumba import njit

@njit
def double(x):
    return x + x

double(1)
try:
    double(print)
except Exception:
    pass
try:
    njit(lambda x: x.nothing)(1)
except Exception:
    pass
"""


def test_the_log_has_a_line_for_each_compilation():
    lines = errors_of(PROGRAM, RUMBA_LOG="compile").splitlines()
    assert len(lines) == 2
    assert lines[0].startswith("rumba: __main__.double(int64) -> int64 in ") and " ms (" in lines[0]
    assert lines[1].startswith("rumba: __main__.<lambda>(int64) does not compile: TypingError: error[R0302]: Unknown attribute 'nothing'")


def test_an_unknown_kind_of_log_is_a_warning():
    assert "sets LOG to 'compiler', which it cannot be" in errors_of("import rumba", RUMBA_LOG="compiler")


def test_the_trace_is_what_chrome_shows(tmp_path):
    path = tmp_path / "trace.json"
    errors_of(PROGRAM, RUMBA_CHROME_TRACE=str(path))
    records = json.loads(path.read_text())
    assert {record["ph"] for record in records} == {"B", "E"}
    assert all(set(record) == {"cat", "pid", "tid", "ph", "name", "args", "ts"} for record in records)
    open_spans = []
    for record in sorted(records, key=lambda record: record["ts"]):
        if record["ph"] == "B":
            open_spans.append(record["name"])
        else:
            assert open_spans.pop() == record["name"]
    assert open_spans == []


def test_numbas_name_is_the_same_registry():
    from rumba.numba.core import event

    assert event.register is events.register and event._registered is events._registered


def test_object_mode_and_its_loops_are_told():
    @jit(forceobj=True)
    def count(n):
        object()
        total = 0
        for i in range(n):
            total += i
        return total

    with events.install_recorder("numba:compile") as recorder:
        assert (count(4), count(5)) == (6, 10)
    told = [(event.is_start, event.data["dispatcher"] is count) for _, event in recorder.buffer]
    assert told == [(True, True), (False, True), (True, False), (False, False)]


def test_examples_of_docstrings():
    failed, tried = doctest.testmod(events)
    assert tried > 0 and failed == 0
