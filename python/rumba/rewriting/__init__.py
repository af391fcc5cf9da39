"""User-defined rewrites: they get a function in Numba IR (`rumba.numba_ir`) and return modified blocks.

| file | what |
|---|---|
| `registry` | `Rewrite`, `register_rewrite`, the order in which rewrites are tried |
| `run` | runs the rewrites of a compilation |
| `from_ssa` | converts a function of the compiler to blocks of statements |
| `liveness` | live ranges of variables, `del` |
| `to_ssa` | converts statements back to operations of the compiler |
| `typed` | types of variables, signatures of operations |
| `ir_ops` | user-defined operations: an `op` and the function that implements it |
| `native` | functions whose body is LLVM IR text |
| `builtin` | the rewrites registered from the start |
| `array_exprs` | the rewrite of array expressions |

None of this is imported before somebody registers a rewrite, or asks for a dump.
"""
from . import builtin  # noqa: F401  first in the registry
from .ir_ops import lower_op
from .registry import Rewrite, RewriteError, RewriteRegistry, register_rewrite, rewrite_registry

__all__ = ["Rewrite", "RewriteError", "RewriteRegistry", "lower_op", "register_rewrite", "rewrite_registry"]
