"""Information about gdb for `numba -g`: Numba's `numba.misc.numba_gdbinfo`.

The debugger is the one that the setting GDB_BINARY names. Absent: running compiled code in it.
"""
import ast
import collections
import os
import re
import shutil
import subprocess

from .. import config

_gdb_info = collections.namedtuple("_gdb_info", ("binary_loc", "extension_loc", "py_ver", "np_ver", "supported"))


class _GDBTestWrapper:
    """Asks a debugger what it can do."""

    gdb_binary = None

    def __init__(self):
        binary = config.GDB_BINARY
        self.gdb_binary = (shutil.which(binary) or binary) if binary is not None else None

    def run_command(self, cmd):
        """Runs a command line, at most for a while; what came of it."""
        return subprocess.run(cmd, capture_output=True, text=True, timeout=60, check=False)

    def run_cmd(self, cmdline):
        """Runs some lines of Python in the debugger."""
        script = "\n".join(cmdline)
        return self.run_command([self.gdb_binary, "-batch", "-ex", f"python {script}"])

    def check_launch(self):
        """Whether it starts."""
        return self.run_command([self.gdb_binary, "-batch", "-ex", "show version"])

    def check_python(self):
        """The version of Python in it, as a tuple's text."""
        return self.run_cmd(["import sys; print(sys.version_info[:2])"])

    def check_numpy(self):
        """Whether it has NumPy, as a truth value's text."""
        return self.run_cmd(["import types; import numpy; print(isinstance(numpy, types.ModuleType))"])

    def check_numpy_version(self):
        """The version of that NumPy."""
        return self.run_cmd(["import types; import numpy; print(numpy.__version__)"])


def collect_gdbinfo():
    """Asks the debugger of the settings: where it is, what versions it has, how much of Python's values it can show."""
    extension = os.path.join(os.path.dirname(__file__), "__init__.py")
    gdb = _GDBTestWrapper()
    python, numpy, support = "No Python support", "No NumPy support", "None"
    try:
        status = gdb.check_launch()
        fault = None if _is_fine(status) else f"gdb at '{gdb.gdb_binary}' does not appear to work.\n{_said(status)}"
    except (OSError, subprocess.SubprocessError) as error:
        fault = f"{error}\ngdb at '{gdb.gdb_binary}' does not appear to work."
    if fault is not None:
        return _gdb_info(f"Testing gdb binary failed. Reported Error:\n{fault}", extension, python, numpy, support)
    found = _version(gdb.check_python())
    if found is not None:
        python, support = found, "Partial (only scalars and how values are stored)"
        status = gdb.check_numpy()
        if _is_fine(status) and "True" in (status.stdout or ""):
            numpy, support = _numpy_version(gdb.check_numpy_version()), "Full"
    return _gdb_info(gdb.gdb_binary, extension, python, numpy, support)


def display_gdbinfo(sep_pos=45):
    """Prints it; the exit status."""
    info = collect_gdbinfo()
    print("-" * 80)
    print("GDB info:")
    print("-" * 80)
    rows = (
        ("Binary location", info.binary_loc), ("Print extension location", info.extension_loc), ("Python version", info.py_ver),
        ("NumPy version", info.np_ver), ("Numba printing extension support", info.supported))
    for heading, value in rows:
        print(f"{heading:<{sep_pos}}: {value}")
    return 0


def _is_fine(status):
    return status.returncode == 0 and "Traceback" not in (status.stderr or "")


def _said(status):
    return (status.stderr or status.stdout or "").strip()


def _version(status):
    """A version, from the text of a tuple of two numbers."""
    if not _is_fine(status):
        return None
    try:
        major, minor = ast.literal_eval(status.stdout.strip())
    except (SyntaxError, ValueError, TypeError):
        return None
    return f"{major}.{minor}"


def _numpy_version(status):
    text = (status.stdout or "").strip() if _is_fine(status) else ""
    return text if re.match(r"\d+\.\d+", text) else "Unknown"
