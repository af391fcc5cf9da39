"""Breakpoints for gdb in the source: `gdb()`, `gdb_init()` and `gdb_breakpoint()`, in Python and in compiled code.

gdb is a child of the process that it is attached to. The settings say which one it is (GDB_BINARY).
Absent: what gdb knows of compiled code (`debug=True`).
"""
import ctypes
import os
import shutil
import subprocess
import sys
import tempfile
import time

from .. import _rumba, config, errors
from ..extending import overload
from ..object_mode import objmode

# The compiled code calls it without anything between: gdb shows the caller one frame up.
_stop = ctypes.CDLL(_rumba.__file__).numba_gdb_breakpoint
_stop.argtypes, _stop.restype = [], None

# What gdb does where `_stop` is called. It reads commands of a breakpoint from a file only.
_COMMANDS = "set breakpoint pending on\nbreak numba_gdb_breakpoint\ncommands\nup 2\nend\n"

_PTRACE_SCOPE = "/proc/sys/kernel/yama/ptrace_scope"
_PR_SET_PTRACER = 0x59616D61
_SECONDS = 60

# Debuggers that were started; a reference keeps each from being waited for in vain.
_started = []


def gdb(*args):
    """Attaches gdb to this process, and stops.

    In compiled code it stops in the function that calls it, whose lines and variables gdb knows if it was compiled
    with `debug=True`. If a debugger is attached already, it just stops.

    Parameters
    ----------
    *args : str
        Arguments of gdb, after those that attach it and set its breakpoint: such as `"-ex", "info locals"`.

    Raises
    ------
    RuntimeError
        There is no gdb, or it may not attach.

    Examples
    --------
    >>> from rumba import gdb, njit
    >>> @njit(debug=True)
    ... def f(a):
    ...     b = a + 1
    ...     gdb("-ex", "info locals", "-ex", "continue", "-ex", "quit")
    ...     return b
    >>> f(1)                                                # doctest: +SKIP
    """
    _attach(args)
    _stop()


def gdb_init(*args):
    """Attaches gdb to this process like `gdb`, and goes on: to the next `gdb_breakpoint()`, or to a breakpoint that was set.

    Examples
    --------
    >>> from rumba import gdb_init, njit
    >>> njit(debug=True)(lambda: gdb_init("-ex", "continue"))()     # doctest: +SKIP
    """
    _attach(args)


def gdb_breakpoint():
    """Stops in the debugger that `gdb` or `gdb_init` attached; without one it does nothing.

    Examples
    --------
    >>> from rumba import gdb_breakpoint, njit
    >>> @njit(debug=True)
    ... def f(a):
    ...     b = a + 1
    ...     gdb_breakpoint()
    ...     return b
    >>> f(1)
    2
    """
    _stop()


@overload(gdb)
def _compiled_gdb(*args):
    _check_texts("gdb", args)

    def stop(*args):
        with objmode():
            _attach(args)
        _stop()
    return stop


@overload(gdb_init)
def _compiled_gdb_init(*args):
    _check_texts("gdb_init", args)

    def attach(*args):
        with objmode():
            _attach(args)
    return attach


@overload(gdb_breakpoint)
def _compiled_gdb_breakpoint():
    def stop():
        _stop()
    return stop


def _check_texts(name, args):
    from .. import types

    for arg in args:
        if types.unliteral(arg) != types.unicode_type:
            raise errors.RequireLiteralValue(f"{name}() takes arguments of gdb as strings, not {arg}")


def check_source(function):
    """Warns of a function without a source, of which a debugger cannot show a line."""
    import inspect
    import warnings

    try:
        inspect.getsourcelines(function)
    except (OSError, TypeError):
        warnings.warn(errors.NumbaDebugInfoWarning(
            f"Could not find source for function: {function}. A debugger knows its lines by number only."), stacklevel=2)


def _attach(args):
    if _tracer():
        return
    binary = _binary()
    sys.stdout.flush()
    with tempfile.NamedTemporaryFile("w", suffix=".gdb") as commands:
        commands.write(_COMMANDS)
        commands.flush()
        process = subprocess.Popen([binary, "-p", str(os.getpid()), "-x", commands.name, "-ex", "continue", *args])
        _started.append(process)
        _wait_for(process, binary)


def _wait_for(process, binary):
    end = time.monotonic() + _SECONDS
    while not _tracer():
        if process.poll() is not None or time.monotonic() > end:
            raise RuntimeError(f"gdb at '{binary}' did not attach to this process")
        time.sleep(0.01)
    # It is about to stop the process, and sets its breakpoint before it continues.
    time.sleep(0.25)


def confirm_gdb(need_ptrace_attach=True):
    """Raises RuntimeError if there is no gdb, or if it may not attach to this process and has to."""
    _located()
    if need_ptrace_attach:
        _check_attaches()


def _binary():
    """Where gdb is, which may attach."""
    binary = _located()
    if _check_attaches():
        # A child may look at its parent only if that allows it.
        ctypes.CDLL(None).prctl(_PR_SET_PTRACER, ctypes.c_ulong(-1), 0, 0, 0)
    return binary


def _located():
    named = config.GDB_BINARY
    binary = shutil.which(named)
    if binary is None:
        raise RuntimeError(
            f"Is gdb present? The location '{named}' does not exist. The environment variable RUMBA_GDB_BINARY (or "
            "NUMBA_GDB_BINARY) says where it is.")
    return binary


def _check_attaches():
    """Whether the system restricts who may attach; RuntimeError if nobody may."""
    try:
        with open(_PTRACE_SCOPE) as file:
            scope = file.read().strip()
    except OSError:
        return False
    if scope not in ("0", "1"):
        raise RuntimeError(
            f"gdb can launch but cannot attach to this process: ptrace permissions are restricted ({_PTRACE_SCOPE} is "
            f"{scope}). Start the program in gdb instead: gdb --args python program.py")
    return True


def _tracer():
    """The process that is attached to this one, or 0."""
    with open("/proc/self/status") as file:
        return next((int(line.split()[1]) for line in file if line.startswith("TracerPid:")), 0)
