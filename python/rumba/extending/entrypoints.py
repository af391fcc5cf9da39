"""Entry points of the group `numba_extensions`, by which libraries extend the compiler.

Each distribution may name a function `init` there. All are called once, before the first compilation.
"""
import os
import sys

from .. import fork_locks

_lock = fork_locks.reentrant_lock()
_already_initialized = False


def init_all():
    """Calls the init functions that were not called yet; one that fails is a warning."""
    global _already_initialized
    if _already_initialized:
        return
    with _lock:
        if _already_initialized:
            return
        # Before they are called: an init function may compile something itself.
        _already_initialized = True
        if "importlib.metadata" not in sys.modules and not _any_is_installed():
            return
        for entry in _entry_points():
            _init(entry)


def _any_is_installed():
    """Whether some distribution's metadata names the group. Reading it all is much faster than importing
    what understands it."""
    for folder in sys.path:
        try:
            names = [name for name in os.listdir(folder or ".") if name.endswith((".dist-info", ".egg-info"))]
        except OSError:
            # A zip file or nothing at all; the first is for those who understand it.
            if os.path.isfile(folder):
                return True
            continue
        for name in names:
            try:
                with open(os.path.join(folder, name, "entry_points.txt"), "rb", buffering=0) as file:
                    if b"numba_extensions" in file.read():
                        return True
            except OSError:
                continue
    return False


def _entry_points():
    from importlib import metadata

    found = metadata.entry_points()
    select = getattr(found, "select", None)
    entries = select(group="numba_extensions") if select else found.get("numba_extensions", ())
    return [entry for entry in entries if entry.name == "init"]


def _init(entry):
    import logging
    import warnings

    logging.getLogger(__name__).debug("Loading extension: %s", entry)
    try:
        entry.load()()
    except Exception as error:
        module = entry.value.partition(":")[0]
        warnings.warn(
            f"Numba extension module '{module}' failed to load due to '{type(error).__name__}({error})'.",
            stacklevel=2)
