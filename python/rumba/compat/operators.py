"""Python's operators by their symbols."""
import operator

BINOPS_TO_OPERATORS = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "//": operator.floordiv,
    "/": operator.truediv, "%": operator.mod, "**": operator.pow, "&": operator.and_,
    "|": operator.or_, "^": operator.xor, "<<": operator.lshift, ">>": operator.rshift,
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt,
    ">=": operator.ge, "is": operator.is_, "is not": operator.is_not, "in": operator.contains,
    "@": operator.matmul,
}

INPLACE_BINOPS_TO_OPERATORS = {
    "+=": operator.iadd, "-=": operator.isub, "*=": operator.imul, "//=": operator.ifloordiv,
    "/=": operator.itruediv, "%=": operator.imod, "**=": operator.ipow, "&=": operator.iand,
    "|=": operator.ior, "^=": operator.ixor, "<<=": operator.ilshift, ">>=": operator.irshift,
    "@=": operator.imatmul,
}

UNARY_BUITINS_TO_OPERATORS = {"+": operator.pos, "-": operator.neg, "~": operator.invert, "not": operator.not_}

OPERATORS_TO_BUILTINS = {
    function: sign
    for table in (BINOPS_TO_OPERATORS, INPLACE_BINOPS_TO_OPERATORS, UNARY_BUITINS_TO_OPERATORS)
    for sign, function in table.items()
}
