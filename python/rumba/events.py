"""Events of the compiler, for those who listen: compilations, the passes in them, and their times.

    >>> from rumba import events, njit
    >>> double = njit(lambda x: 2 * x)
    >>> with events.install_recorder("numba:compile") as recorder:
    ...     _ = double(4)
    >>> [event.status.name for _, event in recorder.buffer]
    ['START', 'END']

Kinds of events, with what `Event.data` has:

`numba:compile`
    `dispatcher`, the compiled function, `args`, the types of its arguments, and `return_type`, the declared type of the result or None.
    Functions that are compiled as part of others have no events of their own. An event that ends a failed compilation has
    `exc_details`, the class, the exception and the traceback.
`numba:run_pass`
    `name` of the pass, `module` and `qualname` of the function, `flags`, `args` and `return_type` as text. These come when the
    compilation ended, with the times at which the passes ran (`Event.time`).

`RUMBA_LOG=compile` writes a line to the standard error for each compilation; `RUMBA_CHROME_TRACE=trace.json` writes events to a file that
chrome://tracing and Perfetto open. `numba.core.event` is this module.

Absent: what the compiler is (`_rumba`), which announces compilations to one listener only where there is one.
"""
import abc
import atexit
import contextlib
import enum
import json
import os
import sys
import threading
import time

from . import _rumba, config
from .fork_locks import reentrant_lock

COMPILE, RUN_PASS = "numba:compile", "numba:run_pass"

_lock = reentrant_lock()
# The listeners of each kind that has any.
_registered = {}


class EventStatus(enum.Enum):
    """Whether something begins or has ended."""

    START = enum.auto()
    END = enum.auto()


class Event:
    """Something that began or ended.

    `kind` is a string, `status` an `EventStatus`, `data` what a kind says of it, `exc_details` the three values of `sys.exc_info()` if it
    failed, and `time` the seconds of `time.perf_counter()`, by default those of now.
    """

    def __init__(self, kind, status, data=None, exc_details=None, time=None):
        self.kind, self.status, self.data, self.exc_details = kind, status, data, exc_details
        self.time = _now() if time is None else time

    @property
    def is_start(self):
        """Whether something begins."""
        return self.status is EventStatus.START

    @property
    def is_end(self):
        """Whether something has ended."""
        return self.status is EventStatus.END

    @property
    def is_failed(self):
        """Whether it ended with an exception."""
        return self.is_end and self.exc_details is not None and any(part is not None for part in self.exc_details)

    def __repr__(self):
        data = type(self.data).__name__ if self.data is not None else "None"
        return f"Event({self.kind}, {self.status}, data: {data})"


class Listener(abc.ABC):
    """Is told of events: subclasses say what happens when something begins and when it ends."""

    @abc.abstractmethod
    def on_start(self, event):
        """Something begins."""

    @abc.abstractmethod
    def on_end(self, event):
        """Something has ended."""

    def notify(self, event):
        """Passes an event to the method for its status."""
        if event.is_start:
            self.on_start(event)
        elif event.is_end:
            self.on_end(event)
        else:
            raise AssertionError(f"an event neither begins nor ends: {event!r}")


class TimingListener(Listener):
    """Measures the time between the first event that begins and the one that ends it; what happens within counts once.

    `done` says whether it ended, `duration` is in seconds.
    """

    def __init__(self):
        self._depth = 0
        self._began = self._ended = None

    def on_start(self, event):
        if self._depth == 0:
            self._began = event.time
        self._depth += 1

    def on_end(self, event):
        self._depth -= 1
        if self._depth == 0:
            self._ended = event.time

    @property
    def done(self):
        """Whether everything that began has ended."""
        return self._ended is not None and self._depth == 0

    @property
    def duration(self):
        """Seconds from the beginning to the end; AttributeError before that."""
        if not self.done:
            raise AttributeError("nothing has ended yet")
        return self._ended - self._began


class RecordingListener(Listener):
    """Keeps all events, as pairs of the time and the event, in `buffer`."""

    def __init__(self):
        self.buffer = []

    def on_start(self, event):
        self.buffer.append((event.time, event))

    def on_end(self, event):
        self.buffer.append((event.time, event))


def register(kind, listener):
    """Tells a `Listener` of events of a kind from now on."""
    if not isinstance(listener, Listener):
        raise TypeError(f"a listener has to be a rumba.events.Listener, and this is {listener!r}")
    with _lock:
        _registered.setdefault(kind, []).append(listener)
        _listen_to_compiler()


def unregister(kind, listener):
    """Ends what `register` began; ValueError if the listener is not registered for this kind."""
    with _lock:
        listeners = _registered.get(kind, [])
        if listener not in listeners:
            raise ValueError(f"{listener!r} is not registered for {kind!r}")
        listeners.remove(listener)
        if not listeners:
            del _registered[kind]
        _listen_to_compiler()


def broadcast(event):
    """Tells all listeners of the kind of an event."""
    for listener in tuple(_registered.get(event.kind, ())):
        listener.notify(event)


@contextlib.contextmanager
def install_listener(kind, listener):
    """Registers a listener for the time of a `with` statement, which gets the listener."""
    register(kind, listener)
    try:
        yield listener
    finally:
        unregister(kind, listener)


@contextlib.contextmanager
def install_timer(kind, callback):
    """Measures events of a kind within a `with` statement, then calls `callback` with the seconds, if any ended."""
    with install_listener(kind, TimingListener()) as timer:
        yield timer
    if timer.done:
        callback(timer.duration)


@contextlib.contextmanager
def install_recorder(kind):
    """Records events of a kind within a `with` statement, which gets the `RecordingListener`."""
    with install_listener(kind, RecordingListener()) as recorder:
        yield recorder


def start_event(kind, data=None):
    """Tells listeners that something begins."""
    broadcast(Event(kind, EventStatus.START, data))


def end_event(kind, data=None, exc_details=None):
    """Tells listeners that something has ended."""
    broadcast(Event(kind, EventStatus.END, data, exc_details))


@contextlib.contextmanager
def trigger_event(kind, data=None):
    """Tells listeners that the body of a `with` statement begins and ends, and how."""
    start_event(kind, data)
    try:
        yield
    except BaseException:
        end_event(kind, data, sys.exc_info())
        raise
    end_event(kind, data)


def _now():
    return time.perf_counter()


def _listen_to_compiler():
    wanted = COMPILE in _registered or RUN_PASS in _registered
    _rumba.session.set_listener(_compilation if wanted else None)


def _compilation(dispatcher, args):
    """A compilation begins; what is returned is called when it ended."""
    data = {"dispatcher": dispatcher, "args": args, "return_type": None}
    began = Event(COMPILE, EventStatus.START, data)
    broadcast(began)

    def ended(error):
        details = None if error is None else (type(error), error, error.__traceback__)
        if details is None:
            _passes(dispatcher, args, began.time)
        broadcast(Event(COMPILE, EventStatus.END, data, details))

    return ended


def _passes(dispatcher, args, began):
    """The passes of a compilation, one after the other."""
    if RUN_PASS not in _registered:
        return
    from .numba_pipeline.plain import whole

    function, result = dispatcher.py_func, dispatcher.overloads.get(args)
    if result is None:
        return
    data = {"qualname": function.__qualname__, "module": function.__module__, "flags": LazyText(lambda: str(dispatcher.targetoptions)),
            "args": str(args), "return_type": str(result.signature.return_type)}
    for name, seconds in whole(dispatcher.get_metadata(args).get("pass_times", {})).items():
        named = {"name": name, **data}
        broadcast(Event(RUN_PASS, EventStatus.START, named, time=began))
        began += seconds
        broadcast(Event(RUN_PASS, EventStatus.END, named, time=began))


class LazyText:
    """A text that is made when it is wanted."""

    def __init__(self, make):
        self._make = make

    def __repr__(self):
        return self._make()


class _Log(Listener):
    """Writes a line to the standard error for each compilation."""

    def on_start(self, event):
        event.data["began"] = event.time

    def on_end(self, event):
        dispatcher, args = event.data["dispatcher"], event.data["args"]
        seconds = event.time - event.data.get("began", event.time)
        function = dispatcher.py_func
        code = function.__code__
        name = f"{function.__module__}.{function.__qualname__}({', '.join(map(str, args))})"
        where = f"{code.co_filename}:{code.co_firstlineno}"
        if event.is_failed:
            first = str(event.exc_details[1]).strip().splitlines() or [""]
            text = f"rumba: {name} does not compile: {event.exc_details[0].__name__}: {first[0]} ({where})"
        else:
            text = f"rumba: {name} -> {self._result(dispatcher, args)} in {1000 * seconds:.1f} ms{self._cached(dispatcher, args)} ({where})"
        print(text, file=sys.stderr, flush=True)

    @staticmethod
    def _result(dispatcher, args):
        result = dispatcher.overloads.get(args)
        return "?" if result is None else result.signature.return_type

    @staticmethod
    def _cached(dispatcher, args):
        cached = dispatcher.get_metadata(args).get("cache") if args in dispatcher.overloads else None
        return ", from the cache" if cached == "hit" else ""


class _ChromeTrace(RecordingListener):
    """Writes what it recorded when the process ends."""

    def __init__(self, path):
        super().__init__()
        self._path, self._process = path, os.getpid()

    def notify(self, event):
        event.thread = threading.get_native_id()
        super().notify(event)

    def write(self):
        # A forked process has the events of its parent.
        if os.getpid() == self._process:
            with open(self._path, "w", encoding="utf-8") as file:
                json.dump([_chrome_record(event) for _, event in self.buffer], file)


def _chrome_record(event):
    """An event in Chrome's Trace Event Format: https://www.chromium.org/developers/how-tos/trace-event-profiling-tool/."""
    data = event.data or {}
    function = getattr(data.get("dispatcher"), "py_func", None)
    name = data.get("name") or getattr(function, "__qualname__", event.kind)
    shown = {key: str(value) for key, value in data.items() if key != "dispatcher"}
    return {"cat": event.kind, "pid": os.getpid(), "tid": event.thread, "ph": "B" if event.is_start else "E",
            "name": name, "args": shown, "ts": event.time * 1e6}


def follow_environment():
    """Registers the listeners that `RUMBA_LOG` and `RUMBA_CHROME_TRACE` ask for."""
    if "compile" in config.LOG:
        register(COMPILE, _Log())
    if config.CHROME_TRACE:
        trace = _ChromeTrace(config.CHROME_TRACE)
        register(COMPILE, trace)
        register(RUN_PASS, trace)
        atexit.register(trace.write)
