"""Locks that are free in the child of a fork, even if another thread held them.

The child has one thread, the one that forked. What other threads were about goes on in the parent alone.
"""
import os
import weakref
from _thread import RLock, allocate_lock

_made = weakref.WeakSet()


def lock():
    """A new lock."""
    return _noted(allocate_lock())


def reentrant_lock():
    """A new lock that the thread which holds it may take again."""
    return _noted(RLock())


def _noted(made):
    _made.add(made)
    return made


def _free():
    for made in _made:
        # What the thread that forked holds it releases itself.
        if not (isinstance(made, RLock) and made._is_owned()):
            made._at_fork_reinit()


os.register_at_fork(after_in_child=_free)
