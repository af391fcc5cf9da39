"""Values of variables that hold constants."""
import operator
from types import ModuleType

from ..errors import ConstantInferenceError
from .expr import Expr
from .nodes import UNDEFINED, Const, FreeVar, Global, Var

_MOST_STEPS = 1000


def infer_constant(func_ir, name):
    """The value of a variable: a constant, a name outside of the function, an attribute of a module, an operation on
    constants, a call of a class of exceptions or of `slice`. ConstantInferenceError for others."""
    return _Finder(func_ir).value(name)


class _Finder:
    def __init__(self, func_ir):
        self.func_ir, self.steps = func_ir, 0

    def value(self, name):
        self.steps += 1
        name = name.name if isinstance(name, Var) else name
        try:
            definition = self.func_ir.get_definition(name)
        except KeyError:
            raise ConstantInferenceError(f"variable {name}") from None
        if self.steps > _MOST_STEPS:
            raise ConstantInferenceError(f"variable {name}")
        if isinstance(definition, (Const, Global, FreeVar)) and definition.value is not UNDEFINED:
            return definition.value
        if isinstance(definition, Expr):
            return self.operation(definition)
        raise ConstantInferenceError(str(definition), loc=getattr(definition, "loc", None))

    def operation(self, expr):
        if expr.op == "call" and not expr.kws and not expr.vararg:
            callee = self.value(expr.func)
            if callee is slice or callee in (range, len, list, tuple) or (
                    isinstance(callee, type) and issubclass(callee, BaseException)):
                return callee(*map(self.value, expr.args))
        elif expr.op == "getattr":
            owner = self.value(expr.value)
            if isinstance(owner, ModuleType):
                return getattr(owner, expr.attr)
        elif expr.op == "exhaust_iter":
            return self.value(expr.value)
        elif expr.op == "static_getitem" and isinstance(items := self.value(expr.value), tuple):
            return items[expr.index]
        elif expr.op == "build_tuple":
            return tuple(map(self.value, expr.items))
        elif expr.op == "binop" and expr.fn is not operator.contains:
            return self.computed(expr, expr.fn, expr.lhs, expr.rhs)
        elif expr.op == "unary":
            return self.computed(expr, expr.fn, expr.value)
        raise ConstantInferenceError(str(expr), loc=expr.loc)

    def computed(self, expr, function, *operands):
        values = list(map(self.value, operands))
        if not all(isinstance(value, (int, float, complex)) for value in values):
            raise ConstantInferenceError(str(expr), loc=expr.loc)
        try:
            return function(*values)
        except (ArithmeticError, ValueError, TypeError):
            raise ConstantInferenceError(str(expr), loc=expr.loc) from None
