"""Operations of libraries: an `op` that the compiler does not know, and the function that it becomes.

    @lower_op("my_fma")
    def lower(context, expr):
        def fma(a, b, c):
            return a * b + c
        return fma

`ir.Expr("my_fma", loc, a=x, b=y, c=z)` is then a call of `fma(x, y, z)`: the operands that are variables, in order.
The hook may return a compiled function, too, or the text of a function of LLVM's IR.
"""
import re
from types import FunctionType

from .._rumba import Dispatcher
from ..errors import LoweringError

HOOKS = {}


def lower_op(op):
    """Registers how an operation is lowered; KeyError if another hook has its name already."""
    def register(hook):
        if HOOKS.setdefault(op, hook) is not hook:
            raise KeyError(f"the operation {op!r} is lowered by {HOOKS[op].__name__} already")
        return hook

    return register


def callee(context, expr):
    """The compiled function that an operation calls."""
    hook = context.special_ops.get(expr.op) or HOOKS.get(expr.op)
    if hook is None:
        raise LoweringError(
            f"nothing says what the operation {expr.op!r} becomes: register a hook for it with "
            f"rumba.rewriting.lower_op({expr.op!r})", loc=expr.loc)
    made = hook(context, expr)
    if isinstance(made, str):
        return _of_text(expr, made)
    if isinstance(made, Dispatcher):
        return made
    if isinstance(made, FunctionType):
        from ..decorators import njit

        # What an operation becomes is not rewritten: the same rewrite could find itself in it.
        return njit(made, no_rewrites=True)
    raise LoweringError(
        f"the hook of the operation {expr.op!r} returns a Python function, a compiled one or the text of a function of "
        f"LLVM's IR, not {made!r}", loc=expr.loc)


_DEFINE = re.compile(r"^\s*define\s+(?:[a-z_]+\s+)*?(\S+)\s+@\"?([\w.$]+)\"?\s*\(([^)]*)\)", re.M)


def _of_text(expr, text):
    """A compiled function that calls the only function that a text defines. Its types are numbers."""
    from .. import types
    from ..decorators import njit
    from .native import intrinsic_of_text

    found = _DEFINE.search(text)
    if not found:
        raise LoweringError(f"the text for the operation {expr.op!r} defines no function", loc=expr.loc)
    known = {"i1": types.boolean, "i8": types.int8, "i16": types.int16, "i32": types.int32, "i64": types.int64,
             "float": types.float32, "double": types.float64}
    words = [found[1], *(part.split()[0] for part in found[3].split(",") if part.strip())]
    if not all(word in known for word in words):
        raise LoweringError(
            f"the function for the operation {expr.op!r} takes and returns numbers, not {', '.join(words)}", loc=expr.loc)
    result, *params = [known[word] for word in words]
    return njit(intrinsic_of_text(text, found[2], result, params))
