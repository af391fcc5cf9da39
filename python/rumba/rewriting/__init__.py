"""User-defined rewrites: they see a function in Numba's form (`rumba.numba_ir`) and return modified blocks.

| file | what |
|---|---|
| `registry` | `Rewrite`, `register_rewrite`, the order in which rewrites are tried |
| `run` | what a compilation calls |
| `view` | a function of the compiler as blocks of statements |
| `lifetimes` | where variables live, `del` |
| `emit` | the way back: statements as operations of the compiler |
| `typed` | types of variables, signatures of operations |
| `ops` | operations of libraries: an `op` and what it becomes |
| `builtin` | the rewrites that stand in the registry from the start |
| `array_exprs` | the one of expressions of arrays |

None of this is imported before somebody registers a rewrite, or asks for a dump.
"""
from . import builtin  # noqa: F401  first in the registry
from .ir_ops import lower_op
from .registry import Rewrite, RewriteError, RewriteRegistry, register_rewrite, rewrite_registry

__all__ = ["Rewrite", "RewriteError", "RewriteRegistry", "lower_op", "register_rewrite", "rewrite_registry"]
