"""Functions in Numba's form: blocks of statements over named variables.

| file | what |
|---|---|
| `nodes` | places, scopes, variables, what stands for a value that is there already |
| `expr` | operations |
| `statements` | assignments, what changes something, what leaves a block |
| `function` | blocks and functions |
| `utils` | what rewrites ask of them |
| `read` | functions that are read outside of a compilation |
| `bytecode`, `controlflow` | instructions and blocks of bytecode, graphs with their analyses |

These are plain objects; `rumba.rewriting` makes them of a function that is being compiled, and reads them back.
"""
from .expr import Expr
from .function import Block, FunctionIR, Loop, With
from .nodes import (
    UNDEFINED, AbstractRHS, Arg, Const, FreeVar, Global, Inst, Loc, NotDefinedError, RedefinedError, Scope, UndefinedType,
    Var, VarMap, unknown_loc)
from .statements import (
    Assign, Branch, Del, DelAttr, DelItem, DynamicRaise, DynamicTryRaise, EnterWith, ExceptionEdge, Jump, PopBlock,
    Print, Raise, Reraise, Return, SetAttr, SetItem, StaticRaise, StaticSetItem, StaticTryRaise, Stmt, StoreMap,
    Terminator, TryRaise, Unreachable, Yield)

__all__ = [
    "UNDEFINED", "AbstractRHS", "Arg", "Assign", "Block", "Branch", "Const", "Del", "DelAttr", "DelItem", "DynamicRaise",
    "DynamicTryRaise", "EnterWith", "ExceptionEdge", "Expr", "FreeVar", "FunctionIR", "Global", "Inst", "Jump", "Loc",
    "Loop", "NotDefinedError", "PopBlock", "Print", "Raise", "RedefinedError", "Reraise", "Return", "Scope", "SetAttr",
    "SetItem", "StaticRaise", "StaticSetItem", "StaticTryRaise", "Stmt", "StoreMap", "Terminator", "TryRaise",
    "UndefinedType", "Unreachable", "Var", "VarMap", "With", "Yield", "unknown_loc"]
