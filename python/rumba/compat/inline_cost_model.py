"""The arguments of a cost model (`inline=function`): caller and callee before type inference, in Numba's form.

Changing any of it changes nothing.

Absent: whether a call is inlined otherwise. (The compiler inlines small functions whatever the option says.)
"""
from collections import namedtuple

InlineInfo = namedtuple("InlineInfo", "func_ir typemap calltypes signature")


class InlineOptions:
    """What the option `inline` says: `"always"`, `"never"` or a cost model."""

    def __init__(self, value):
        if value not in ("always", "never") and not callable(value):
            raise ValueError(f"inline is 'always', 'never' or a function that decides, not {value!r}")
        self.value = value

    @property
    def is_always_inline(self):
        """Whether all calls become the body."""
        return self.value == "always"

    @property
    def is_never_inline(self):
        """Whether the compiler alone decides."""
        return self.value == "never"

    @property
    def has_cost_model(self):
        """Whether a function decides."""
        return callable(self.value)


class OfOverload:
    """The cost model of an overload, which receives the known types as well."""

    def __init__(self, model):
        self.model = model

    def __call__(self, expr, caller, callee, signature):
        caller, callee = InlineInfo(caller, None, None, None), InlineInfo(callee, None, None, signature)
        return self.model(expr, caller, callee)


def decide(model, caller, callee, number, signature):
    """Whether a cost model inlines a call of one function in another: `number` says which of the caller's calls it
    is. The model of an overload receives the signature, too."""
    from ..numba_ir import Expr

    caller, callee = _shape(caller), _shape(callee)
    calls = [expr for block in caller.blocks.values() for expr in block.find_exprs("call") if not _is_helper(caller, expr)]
    known = number is not None and number < len(calls)
    expr = calls[number] if known else Expr("call", caller.loc, func=None, args=[], kws=(), vararg=None)
    if isinstance(model, OfOverload):
        return model(expr, caller, callee, signature)
    return model(expr, caller, callee)


def _shape(function):
    """A function before its types are known."""
    from .._rumba import rewriting
    from ..rewriting import from_ssa

    return from_ssa.build(function, rewriting.untyped(function))[0]


def _is_helper(func_ir, expr):
    """Whether a call stands for an operation that is no call."""
    from ..rewriting.from_ssa import Helper

    return any(isinstance(known, Helper) for known in func_ir._definitions.get(expr.func.name, ()))
