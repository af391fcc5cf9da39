"""`numba.core.ir`: what cost models are shown (`rumba.inlining`). It can be read, not compiled."""
from ...inlining import Arg, Assign, Block, Const, Expr, FreeVar, FunctionIR, Global, Loc, Stmt, Var
from .._missing import missing

__all__ = ["Arg", "Assign", "Block", "Const", "Expr", "FreeVar", "FunctionIR", "Global", "Loc", "Stmt", "Var"]
__getattr__ = missing(__name__)
