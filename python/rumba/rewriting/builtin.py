"""The rewrites that stand in the registry from the start.

The compiler does what they do by itself, so functions that no rewrite of a user changes are not changed by these
either. They are what users' rewrites find done, and what dumps show.
"""
import operator

from ..errors import ConstantInferenceError
from ..numba_ir import Assign, Block, Expr, Raise, SetItem, StaticRaise, StaticSetItem, UNDEFINED
from .registry import Rewrite, register_rewrite


def _constant(func_ir, var):
    try:
        return func_ir.infer_constant(var)
    except ConstantInferenceError:
        return UNDEFINED


def _is_index(value):
    if isinstance(value, tuple):
        return all(map(_is_index, value))
    return isinstance(value, (int, str, slice)) or value is Ellipsis


class _OfStatements(Rewrite):
    """Looks for statements, and builds a block with what takes their place."""

    def match(self, func_ir, block, typemap, calltypes):
        """Whether there is such a statement."""
        self.block, self.found = block, {}
        for inst in block.body:
            made = self.look(func_ir, inst)
            if made is not None:
                self.found[id(inst)] = made
        return bool(self.found)

    def apply(self):
        """The block with the other statements."""
        block = Block(self.block.scope, self.block.loc)
        block.body = [self.found.get(id(inst), inst) for inst in self.block.body]
        return block

    def look(self, func_ir, inst):
        """What takes the place of a statement, or None."""
        raise NotImplementedError


@register_rewrite("before-inference")
class RewriteConstGetitems(_OfStatements):
    """`getitem(value, $const)` becomes `static_getitem(value, 0)`."""

    def look(self, func_ir, inst):
        """An item with an index that is known."""
        if not (isinstance(inst, Assign) and isinstance(inst.value, Expr) and inst.value.op == "getitem"):
            return None
        expr = inst.value
        index = _constant(func_ir, expr.index)
        if index is UNDEFINED or not _is_index(index):
            return None
        return Assign(Expr.static_getitem(expr.value, index, expr.index, expr.loc), inst.target, inst.loc)


@register_rewrite("before-inference")
class RewriteConstSetitems(_OfStatements):
    """`target[$const] = value` becomes `target[0] = value`."""

    def look(self, func_ir, inst):
        """A statement that writes to an index that is known."""
        if not isinstance(inst, SetItem):
            return None
        index = _constant(func_ir, inst.index)
        if index is UNDEFINED or not _is_index(index):
            return None
        return StaticSetItem(inst.target, index, inst.index, inst.value, inst.loc)


@register_rewrite("before-inference")
class RewriteConstRaises(_OfStatements):
    """`raise $exception` becomes `raise <class 'ValueError'>('x cannot be zero')`."""

    def look(self, func_ir, inst):
        """A `raise` of what is known when the function compiles."""
        if not isinstance(inst, Raise) or inst.cause is not None or inst.exception is None:
            return None
        value = _constant(func_ir, inst.exception)
        if isinstance(value, BaseException):
            made = StaticRaise(type(value), value.args, inst.loc)
        elif isinstance(value, type) and issubclass(value, BaseException):
            made = StaticRaise(value, None, inst.loc)
        else:
            return None
        # The exception is still made: `raise` takes it where it is.
        made._exception = inst.exception
        return made


@register_rewrite("before-inference")
class RewriteConstOperands(Rewrite):
    """Constant exponents are noted at the operation: `static_rhs`."""

    def match(self, func_ir, block, typemap, calltypes):
        """Whether there are powers whose exponent has not been looked at."""
        self.block, self.found = block, []
        for expr in block.find_exprs():
            if expr.op not in ("binop", "inplace_binop") or expr.fn not in (operator.pow, operator.ipow):
                continue
            known = _constant(func_ir, expr.rhs)
            if known is not UNDEFINED and expr.static_rhs is UNDEFINED and isinstance(known, (int, float)):
                self.found.append((expr, known))
        return bool(self.found)

    def apply(self):
        """The same block."""
        for expr, known in self.found:
            expr.static_rhs = known
        return self.block


from . import array_exprs  # noqa: E402,F401  behind the others, as it is tried behind them
