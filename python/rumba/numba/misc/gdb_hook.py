"""`numba.misc.gdb_hook`: whether a debugger may be attached, and the functions that attach it."""
from ...tools.debugger import confirm_gdb as _confirm_gdb  # noqa: F401
from ...tools.debugger import gdb, gdb_breakpoint, gdb_init

__all__ = ["gdb", "gdb_breakpoint", "gdb_init"]
