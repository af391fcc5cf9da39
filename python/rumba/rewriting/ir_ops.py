"""User-defined operations: an `op` that the compiler does not know, and the function that implements it.

    @lower_op("my_fma")
    def lower(context, expr):
        def fma(a, b, c):
            return a * b + c
        return fma

`ir.Expr("my_fma", loc, a=x, b=y, c=z)` is then a call of `fma(x, y, z)`: the operands that are variables, in order.
The hook may return a compiled function, too, or the text of a function of LLVM's IR. A hook in Numba's form, `hook(lowerer, expr)`,
writes code with llvmlite by `lowerer.builder` and `lowerer.context`, and returns the value.
"""
import re
from types import FunctionType

from .._rumba import Dispatcher
from ..errors import LoweringError
from ..extending.code_forms import explicit, is_explicit

HOOKS = {}


def lower_op(op):
    """Registers how an operation is lowered; KeyError if another hook has its name already."""
    def register(hook):
        if HOOKS.setdefault(op, hook) is not hook:
            raise KeyError(f"the operation {op!r} is lowered by {HOOKS[op].__name__} already")
        return hook

    return register


def is_overridden(context, op):
    """Whether somebody says what an operation becomes that the compiler knows itself."""
    hook = context.special_ops.get(op) or HOOKS.get(op)
    return hook is not None and getattr(hook, "__module__", None) != "rumba.rewriting.array_exprs"


class _WritesCode(BaseException):
    """A hook asks for what there is only when code is written."""


class _Probe:
    """The target as hooks see it that return what an operation becomes."""

    def __init__(self, context):
        self._context = context

    def __getattr__(self, name):
        if name in ("builder", "context", "fndesc", "func_ir", "library", "loadvar", "storevar", "typeof"):
            raise _WritesCode
        return getattr(self._context, name)


class Lowerer:
    """What a hook in Numba's form writes its code with."""

    def __init__(self, context, builder, expr, types, values):
        self.context, self.builder, self.loc = context, builder, expr.loc
        self._types, self._values = types, values

    def typeof(self, name):
        """The type of an operand."""
        return self._types[name]

    def loadvar(self, name):
        """The value of an operand."""
        return self._values[name]

    def incref(self, ty, value):
        """Says that one more holds a value."""
        self.context.nrt.incref(self.builder, ty, value)

    def decref(self, ty, value):
        """Says that one less holds a value."""
        self.context.nrt.decref(self.builder, ty, value)


def _of_code(hook, expr, operands, result):
    """A compiled function whose code a hook writes. `result` is the type that the rewrite stated."""
    from ..extending import overload_registry
    from .. import source_text
    from ..decorators import njit
    from ..extending.lower_builtin import TypedSignature
    from ..types import unliteral

    if result is None:
        raise LoweringError(
            f"the hook of the operation {expr.op!r} writes its code, so the rewrite has to state the type of the result: put it into "
            "the typemap", loc=expr.loc)

    class Written(TypedSignature):
        """What the operation becomes for types of operands."""

        def written(self, args):
            if is_explicit(hook):
                return explicit(lambda b, signature, values: hook(b, expr, values))

            def codegen(context, builder, signature, values):
                lowerer = Lowerer(context, builder, expr, dict(zip(operands, args)), dict(zip(operands, values)))
                return hook(lowerer, expr)

            return codegen

    def called(*args):
        raise NotImplementedError(f"the operation {expr.op!r} is for compiled code")

    names = ", ".join(f"x{at}" for at in range(len(operands)))
    stated = Written(called, lambda context: lambda *args: unliteral(result)(*args), expr.op)
    overload_registry.add_function(called, stated)
    call = source_text.function(f"call({names})", [f"return called({names})"], {"called": called})
    # What an operation becomes is not rewritten: the same rewrite could find itself in it.
    return njit(call, no_rewrites=True)


def callee(context, expr, operands, result):
    """The compiled function that an operation calls with its operands. `result` is the type of what it gives, if it is known."""
    hook = context.special_ops.get(expr.op) or HOOKS.get(expr.op)
    if hook is None:
        raise LoweringError(
            f"nothing says what the operation {expr.op!r} becomes: register a hook for it with "
            f"rumba.rewriting.lower_op({expr.op!r})", loc=expr.loc)
    if is_explicit(hook):
        return _of_code(hook, expr, operands, result)
    try:
        made = hook(_Probe(context), expr)
    except _WritesCode:
        return _of_code(hook, expr, operands, result)
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
