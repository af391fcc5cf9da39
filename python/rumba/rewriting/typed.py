"""Signatures of operations, from the types of their variables."""
from ..numba_ir import Assign, Expr, SetAttr, SetItem, StaticSetItem
from ..types import Signature


def call_types(func_ir, typemap):
    """The signature of each call, operator and item, by the node itself."""
    found = {}
    for block in func_ir.blocks.values():
        for inst in block.body:
            if isinstance(inst, Assign) and isinstance(inst.value, Expr):
                found[inst.value] = _signature(inst.value, typemap.get(inst.target.name), typemap)
            elif isinstance(inst, (SetItem, StaticSetItem, SetAttr)):
                found[inst] = _of_statement(inst, typemap)
    return {node: signature for node, signature in found.items() if signature is not None}


def _signature(expr, result, typemap):
    """The signature of an operation; None where it has none, or a type is not known."""
    operands = _OPERANDS.get(expr.op)
    if operands is None or result is None:
        return None
    args = tuple(typemap.get(var.name) for var in operands(expr) if var is not None)
    return None if None in args else Signature(result, args, None)


_OPERANDS = {
    "binop": lambda expr: (expr.lhs, expr.rhs),
    "inplace_binop": lambda expr: (expr.lhs, expr.rhs),
    "unary": lambda expr: (expr.value,),
    "call": lambda expr: (*expr.args, *(value for _, value in expr.kws), expr.vararg),
    "getitem": lambda expr: (expr.value, expr.index),
    "static_getitem": lambda expr: (expr.value, expr.index_var),
    "getiter": lambda expr: (expr.value,),
    "iternext": lambda expr: (expr.value,),
}


def _of_statement(inst, typemap):
    from .. import types

    parts = {SetItem: ("target", "index", "value"), StaticSetItem: ("target", "index_var", "value"),
             SetAttr: ("target", "value")}[type(inst)]
    args = tuple(typemap.get(getattr(inst, part).name) for part in parts if getattr(inst, part) is not None)
    return None if None in args else Signature(types.none, args, None)
