"""The lock that Numba holds while it compiles: a context manager and a decorator.

Rumba's compiler locks for itself; this is for programs that compile by hand and want no other thread between.
"""
import functools
import threading


class _CompilerLock:
    """A lock that its thread may take again; each time it is held is an event `numba:compiler_lock`."""

    def __init__(self):
        self._lock = threading.RLock()
        self._depth = 0

    def acquire(self):
        """Takes the lock."""
        from .. import events

        self._lock.acquire()
        self._depth += 1
        if self._depth == 1:
            events.start_event("numba:compiler_lock")

    def release(self):
        """Gives it back."""
        from .. import events

        if self._depth == 1:
            events.end_event("numba:compiler_lock")
        self._depth -= 1
        self._lock.release()

    def is_locked(self):
        """Whether this thread holds the lock."""
        return self._lock._is_owned()

    def __enter__(self):
        self.acquire()

    def __exit__(self, *exception):
        self.release()

    def __call__(self, function):
        @functools.wraps(function)
        def locked(*args, **kwargs):
            with self:
                return function(*args, **kwargs)

        return locked


global_compiler_lock = _CompilerLock()


def require_global_compiler_lock():
    """Raises AssertionError unless this thread holds the lock."""
    if not global_compiler_lock.is_locked():
        raise AssertionError("this is for threads that hold the global compiler lock")
