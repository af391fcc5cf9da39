"""The predefined rewrites in the registry.

The compiler does what they do by itself, as long as nobody takes one out or changes it: `Watched` classes and the registry's lists tell
it so. They are what users' rewrites find done, and what dumps show.
"""
import operator

from ..errors import ConstantInferenceError
from ..numba_ir import Assign, Block, Const, Expr, Global, Raise, SetItem, StaticRaise, StaticSetItem, UNDEFINED
from ..numba_ir.statements import Print
from ..types import StringLiteral
from .registry import Rewrite, Watched, register_rewrite, rewrite_registry


def _constant(func_ir, var):
    try:
        return func_ir.infer_constant(var)
    except ConstantInferenceError:
        return UNDEFINED


def _is_index(value):
    if isinstance(value, tuple):
        return all(map(_is_index, value))
    return isinstance(value, (int, str, slice)) or value is Ellipsis


class _OfStatements(Rewrite, metaclass=Watched):
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
class RewriteConstOperands(Rewrite, metaclass=Watched):
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


@register_rewrite("before-inference")
class RewritePrintCalls(Rewrite, metaclass=Watched):
    """`x = $print(args)` becomes `print(args)` and `x = None`."""

    def match(self, func_ir, block, typemap, calltypes):
        """Whether `print` is called, without keywords."""
        self.block, self.prints = block, {}
        for inst in block.find_insts(Assign):
            expr = inst.value
            if not (isinstance(expr, Expr) and expr.op == "call") or expr.kws:
                continue
            callee = func_ir.get_definition(expr.func) if len(func_ir._definitions.get(expr.func.name, ())) == 1 else None
            if isinstance(callee, Global) and callee.value is print:
                self.prints[id(inst)] = expr
        return bool(self.prints)

    def apply(self):
        """The block with the statements."""
        block = Block(self.block.scope, self.block.loc)
        for inst in self.block.body:
            call = self.prints.get(id(inst))
            if call is None:
                block.append(inst)
                continue
            block.append(Print(call.args, call.vararg, call.loc))
            block.append(Assign(Const(None, call.loc), inst.target, inst.loc))
        return block


@register_rewrite("before-inference")
class DetectConstPrintArguments(Rewrite, metaclass=Watched):
    """Constant arguments are noted at `print`: `consts`."""

    def match(self, func_ir, block, typemap, calltypes):
        """Whether there are such arguments that have not been looked at."""
        self.block, self.found = block, {}
        for inst in block.find_insts(Print):
            known = {} if inst.consts else {at: _constant(func_ir, arg) for at, arg in enumerate(inst.args)}
            known = {at: value for at, value in known.items() if value is not UNDEFINED}
            if known:
                self.found[inst] = known
        return bool(self.found)

    def apply(self):
        """The same block."""
        for inst, known in self.found.items():
            inst.consts = known
        return self.block


@register_rewrite("after-inference")
class RewriteStringLiteralGetitems(_OfStatements):
    """`getitem(value, index)` with a string that the type of the index knows becomes `static_getitem(value, "name")`."""

    def match(self, func_ir, block, typemap, calltypes):
        """Whether there is such a statement."""
        self.typemap, self.calltypes = typemap, calltypes
        return super().match(func_ir, block, typemap, calltypes)

    def look(self, func_ir, inst):
        """An item with a name that is known."""
        if not (isinstance(inst, Assign) and isinstance(inst.value, Expr) and inst.value.op == "getitem"):
            return None
        expr = inst.value
        ty = self.typemap.get(expr.index.name)
        if not isinstance(ty, StringLiteral):
            return None
        made = Expr.static_getitem(expr.value, ty.literal_value, expr.index, expr.loc)
        self.calltypes[made] = self.calltypes.get(expr)
        return Assign(made, inst.target, inst.loc)


@register_rewrite("after-inference")
class RewriteStringLiteralSetitems(_OfStatements):
    """`target[index] = value` with a string that the type of the index knows becomes `target["name"] = value`."""

    def match(self, func_ir, block, typemap, calltypes):
        """Whether there is such a statement."""
        self.typemap = typemap
        return super().match(func_ir, block, typemap, calltypes)

    def look(self, func_ir, inst):
        """A statement that writes to a name that is known."""
        ty = self.typemap.get(inst.index.name) if isinstance(inst, SetItem) else None
        if not isinstance(ty, StringLiteral):
            return None
        return StaticSetItem(inst.target, ty.literal_value, inst.index, inst.value, inst.loc)


from . import array_exprs  # noqa: E402,F401  after the others, as it is tried after them

rewrite_registry.completed()
