"""Pruning of branches whose condition is known from constants and arguments before inference."""
import operator

from ..errors import ConstantInferenceError
from ..numba_ir import Arg, Assign, Branch, Const, Expr, FreeVar, Global, Jump, Var
from ..numba_ir.transforms import drop_unreached
from ..numba_ir.utils import get_definition, guard
from ..types import ArrayCompatible, BaseTuple, Literal, NoneType, Omitted

_UNKNOWN = object()
_NOT_NONE = object()


def dead_branch_prune(func_ir, called_args):
    """Takes the ways out that are never taken with arguments of these types; whether there were some."""
    changed = False
    for block in func_ir.blocks.values():
        last = block.terminator
        if isinstance(last, Branch):
            known = _Known(func_ir, called_args)
            truth = known.truth(last.cond)
            if truth is not _UNKNOWN:
                _put_constant(func_ir, known.comparison(last.cond), truth)
                block.body[-1] = Jump(last.truebr if truth else last.falsebr, last.loc)
                changed = True
    if changed:
        drop_unreached(func_ir.blocks)
        func_ir.definitions_anew()
    return changed


def _put_constant(func_ir, comparison, truth):
    """A comparison whose outcome is known becomes that."""
    for block in func_ir.blocks.values():
        for inst in block.body:
            if isinstance(inst, Assign) and inst.value is comparison:
                inst.value = Const(truth, comparison.loc)


class _Known:
    """What is known of variables."""

    def __init__(self, func_ir, args):
        self.func_ir, self.args = func_ir, args

    def comparison(self, var):
        """The comparison that a condition is, perhaps as an argument of `bool`; None if it is none."""
        definition = self.tested(guard(get_definition, self.func_ir, var))
        return definition if isinstance(definition, Expr) and definition.op == "binop" else None

    def tested(self, definition):
        """What `bool` gets, of a call of it."""
        while isinstance(definition, Expr) and definition.op == "call":
            func = guard(get_definition, self.func_ir, definition.func)
            if not (isinstance(func, Global) and func.value is bool and len(definition.args) == 1):
                break
            definition = guard(get_definition, self.func_ir, definition.args[0])
        return definition

    def truth(self, var):
        """Whether a condition holds."""
        definition = guard(get_definition, self.func_ir, var)
        if self.tested(definition) is not definition:
            return self.truth(definition.args[0])
        if isinstance(definition, Expr) and definition.op == "unary" and definition.fn is operator.not_:
            known = self.truth(definition.value)
            return known if known is _UNKNOWN else not known
        if isinstance(definition, Expr) and definition.op == "binop":
            return self.compared(definition)
        known = self.value(var)
        return bool(known) if isinstance(known, _PLAIN) else _UNKNOWN

    def compared(self, expr):
        """What a comparison gives."""
        left, right = self.value(expr.lhs), self.value(expr.rhs)
        if expr.fn in (operator.is_, operator.is_not, operator.eq, operator.ne):
            pair = (left, right)
            negated = expr.fn in (operator.is_not, operator.ne)
            if all(known is None for known in pair):
                return not negated
            if any(known is None for known in pair) and all(known is not _UNKNOWN for known in pair):
                return negated
        if expr.fn not in _COMPARISONS or not all(isinstance(known, _PLAIN) for known in (left, right)):
            return _UNKNOWN
        try:
            return bool(expr.fn(left, right))
        except TypeError:
            return _UNKNOWN

    def value(self, var):
        """A constant, None, or that a value is not None."""
        definition = guard(get_definition, self.func_ir, var)
        if isinstance(definition, Arg):
            return self.argument(definition.index)
        if isinstance(definition, (Const, Global, FreeVar)):
            return definition.value
        try:
            return self.func_ir.infer_constant(var)
        except ConstantInferenceError:
            return _UNKNOWN

    def argument(self, index):
        ty = self.args[index] if index < len(self.args) else None
        if isinstance(ty, NoneType) or (isinstance(ty, Omitted) and ty.value is None):
            return None
        return _NOT_NONE if isinstance(ty, Literal) else _UNKNOWN


_COMPARISONS = (operator.lt, operator.le, operator.eq, operator.ne, operator.gt, operator.ge)
_PLAIN = (bool, int, float, complex, str, bytes, tuple, type(None))


def rewrite_semantic_constants(func_ir, called_args):
    """`array.ndim` and `len(tuple)` of arguments become the constants that their types say."""
    for block in func_ir.blocks.values():
        for inst in block.body:
            if isinstance(inst, Assign) and isinstance(inst.value, Expr):
                known = _semantic(func_ir, inst.value, called_args)
                if known is not None:
                    old, inst.value = inst.value, Const(known, inst.value.loc)
                    values = func_ir._definitions.get(inst.target.name, [])
                    values[:] = [inst.value if value is old else value for value in values]


def _semantic(func_ir, expr, args):
    """The number that an operation gives, or None."""
    if expr.op == "getattr" and expr.attr == "ndim":
        ty = _argument_type(func_ir, expr.value, args)
        return ty.ndim if isinstance(ty, ArrayCompatible) else None
    if expr.op == "call" and len(expr.args) == 1 and not expr.kws:
        func = guard(get_definition, func_ir, expr.func)
        if isinstance(func, Global) and func.value is len:
            ty = _argument_type(func_ir, expr.args[0], args)
            return len(ty) if isinstance(ty, BaseTuple) else None
    return None


def _argument_type(func_ir, var, args):
    definition = guard(get_definition, func_ir, var) if isinstance(var, Var) else None
    if isinstance(definition, Arg) and definition.index < len(args):
        return args[definition.index]
    return None
