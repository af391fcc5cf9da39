"""Errors of functions that decorators compile for explicit signatures: collected during an import, so that the import
continues.
"""
import contextlib
from contextvars import ContextVar

_listening = ContextVar("_listening", default=None)


@contextlib.contextmanager
def collected():
    """The list that gets (dispatcher, error) for each such function in here."""
    faults = []
    token = _listening.set(faults)
    try:
        yield faults
    finally:
        _listening.reset(token)


def note(dispatcher, error):
    """Takes an error, if errors are collected; whether they are."""
    faults = _listening.get()
    if faults is None:
        return False
    faults.append((dispatcher, error))
    return True
