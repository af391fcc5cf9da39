"""The rewrite of array expressions: operations whose only use is the next one become one `arrayexpr`.

The compiler turns such a tree into one loop: conversion back to the compiler's IR splits the tree into its operations again
(`to_ssa`), which the compiler's own fusion pass joins.
"""
import operator

import numpy as np

from .. import source_text, types
from ..numba_ir import Assign, Block, Const, Del, Expr, FreeVar, Global
from ..numba_ir.expr import BINARY, COMPARE, UNARY
from .registry import Rewrite, Watched, register_rewrite

_OPERATORS = {*BINARY.values(), *COMPARE.values(), *UNARY.values()} - {
    operator.matmul, operator.is_, operator.is_not, operator.contains, operator.not_}

# What writes into no array.
_PURE = frozenset(
    "arrayexpr binop build_list build_map build_set build_tuple build_slice cast getattr getitem pair_first pair_second "
    "static_getitem undef unary".split())


@register_rewrite("after-inference")
class RewriteArrayExprs(Rewrite, metaclass=Watched):
    """Array operations that feed each other become expression trees."""

    def __init__(self, pipeline=None, *args, **kws):
        super().__init__(pipeline, *args, **kws)
        ops = getattr(getattr(pipeline, "targetctx", None), "special_ops", None)
        if ops is not None:
            ops.setdefault("arrayexpr", _lower_array_expr)

    def match(self, func_ir, block, typemap, calltypes):
        """Whether the block has array operations. What is found is kept for `apply`: `array_assigns` by name,
        `const_assigns` by name, and in `matches` the names of the results."""
        self.crnt_block, self.typemap, self.matches = block, typemap, []
        self.array_assigns, self.const_assigns = {}, {}
        if typemap is None or not any(isinstance(ty, types.Array) for ty in typemap.values()):
            return False
        for instr in block.find_insts(Assign):
            self._match_assign(func_ir, instr)
        return bool(self.matches)

    def _match_assign(self, func_ir, instr):
        name, expr = instr.target.name, instr.value
        if isinstance(expr, (Const, Global, FreeVar)) and isinstance(expr.value, (int, float, complex)):
            self.const_assigns[name] = Const(expr.value, expr.loc)
            return
        if not isinstance(expr, Expr) or not isinstance(self.typemap.get(name), types.Array):
            return
        if expr.op == "arrayexpr":
            self.array_assigns[name] = instr
        elif self._get_array_operator(func_ir, expr) is not None:
            self.array_assigns[name] = instr
            self.matches.append(name)

    @staticmethod
    def _get_array_operator(func_ir, expr):
        """The operator or elementwise function of an operation; None for others."""
        if expr.op in ("binop", "unary"):
            return expr.fn if expr.fn in _OPERATORS else None
        if expr.op != "call" or expr.kws or expr.vararg:
            return None
        try:
            callee = func_ir.infer_constant(expr.func)
        except Exception:  # whatever it is, it is no elementwise function
            return None
        is_ufunc = isinstance(callee, np.ufunc) or getattr(callee, "is_elementwise", False)
        return callee if is_ufunc and len(expr.args) == callee.nin else None

    def _get_operands(self, expr):
        if expr.op == "binop":
            return [expr.lhs, expr.rhs]
        return [expr.value] if expr.op == "unary" else list(expr.args)

    def _translate_expr(self, func_ir, expr):
        """An operation as a pair of its operator and its operands."""
        return self._get_array_operator(func_ir, expr), self._get_operands(expr)

    def _handle_matches(self):
        """Builds the trees: what takes the place of each assignment (`replace_map`, None where it goes), the
        variables that trees read (`used_vars`), and those that are gone (`dead_vars`)."""
        replace_map, used_vars, dead_vars = {}, set(), set()
        readers = self._count_readers()
        func_ir = self._func_ir()
        trees = {}
        for instr in self.crnt_block.find_insts(Assign):
            name = instr.target.name
            if name not in self.matches:
                continue
            fn, operands = self._translate_expr(func_ir, instr.value)
            leaves = []
            for operand in operands:
                inner = trees.get(operand.name)
                if inner is not None and readers[operand.name] == 1 and not self._reassigned(operand.name, instr):
                    leaves.append(inner[1])
                    replace_map[inner[0]] = None
                    dead_vars.add(operand.name)
                elif operand.name in self.const_assigns:
                    leaves.append(self.const_assigns[operand.name])
                else:
                    leaves.append(operand)
            tree = fn, leaves
            trees[name] = instr, tree
            expr = Expr("arrayexpr", instr.value.loc, expr=tree, ty=self.typemap[name])
            replace_map[instr] = Assign(expr, instr.target, instr.loc)
        for new in replace_map.values():
            if new is not None:
                used_vars.update(var.name for var in new.value.list_vars())
        return replace_map, used_vars, dead_vars

    def _func_ir(self):
        return self.pipeline.func_ir

    def _reassigned(self, name, instr):
        """Whether anything that a tree reads is assigned, or may be changed, between the tree and where it would go."""
        inside, reads = False, set()
        for known in self.crnt_block.body:
            if known is instr:
                return False
            if inside and isinstance(known, Assign) and known.target.name in reads:
                return True
            if inside and (not isinstance(known, (Assign, Del)) or self._may_change(known)):
                return True
            if isinstance(known, Assign) and known.target.name == name:
                inside, reads = True, {var.name for var in known.value.list_vars()}
        return False

    def _may_change(self, inst):
        """Whether an assignment may write into an array."""
        expr = getattr(inst, "value", None)
        if not isinstance(expr, Expr) or expr.op in _PURE:
            return False
        return self._get_array_operator(self._func_ir(), expr) is None

    def _count_readers(self):
        """How often each variable is read in the whole function."""
        counts = {}
        for block in self._func_ir().blocks.values():
            for inst in block.body:
                if isinstance(inst, Del):
                    continue
                read = inst.value.list_vars() if isinstance(inst, Assign) else inst.list_vars()
                for var in read:
                    counts[var.name] = counts.get(var.name, 0) + 1
        return counts

    def apply(self):
        """The block with the trees in place of their operations."""
        replace_map, used_vars, dead_vars = self._handle_matches()
        result = Block(self.crnt_block.scope, self.crnt_block.loc)
        ahead = [new for new in (replace_map.get(instr) for instr in self.crnt_block.body) if new is not None]
        delayed = {}
        for instr in self.crnt_block.body:
            if isinstance(instr, Assign):
                new = replace_map.get(instr, instr)
                if new is None:
                    continue
                result.append(new)
                if new is not instr:
                    ahead.remove(new)
                    still = {var.name for tree in ahead for var in tree.value.list_vars()}
                    for name in [name for name in delayed if name not in still]:
                        result.append(delayed.pop(name))
            elif isinstance(instr, Del) and instr.value in dead_vars:
                continue
            elif isinstance(instr, Del) and instr.value in used_vars and any(
                    instr.value == var.name for tree in ahead for var in tree.value.list_vars()):
                # A variable that a tree reads lives until there.
                delayed[instr.value] = instr
            else:
                result.append(instr)
        return result


def _lower_array_expr(lowerer, expr):
    """What an `arrayexpr` becomes: a function of its operands that computes the tree, of which the compiler makes one loop. (Where
    nobody else says what an `arrayexpr` becomes, the compiler needs no such function.)"""
    names, scope = [], {}
    text = _text_of(expr.expr, names, scope)
    return source_text.function(f"array_expression({', '.join(names)})", [f"return {text}"], scope)


def _text_of(tree, names, scope):
    """A tree as a Python expression of its variables, in the order in which they are read. `scope` gets what it calls."""
    if isinstance(tree, Const):
        return _named("constant", tree.value, scope)
    if not isinstance(tree, tuple):
        names.append(f"x{len(names)}")
        return names[-1]
    fn, operands = tree
    if isinstance(fn, str):
        fn = (UNARY if len(operands) == 1 else {**COMPARE, **BINARY})[fn]
    return f"{_named('call', fn, scope)}({', '.join(_text_of(operand, names, scope) for operand in operands)})"


def _named(prefix, value, scope):
    name = f"{prefix}{len(scope)}"
    scope[name] = value
    return name
